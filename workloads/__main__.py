"""``python -m workloads``."""

from __future__ import annotations

import sys

from workloads.cli import main

sys.exit(main(sys.argv[1:]))
