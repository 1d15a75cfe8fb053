"""The compiled operators of the environment that runs these tests, built once and kept."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason="needs a torch environment")


@pytest.fixture(scope="session")
def ops(request):
    request.getfixturevalue("torch")
    from kernels import ops as face
    from kernels.build import build

    build()
    face.load()
    return face
