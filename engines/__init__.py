"""Where a command runs: ``docker``, ``venv`` or ``host``, behind one small protocol."""
