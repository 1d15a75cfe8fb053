"""uv, and how pip's settings become its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Mapping

from core.errors import EngineError

_SAME_MEANING = {
    "PIP_INDEX_URL": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "PIP_EXTRA_INDEX_URL": ("UV_INDEX", "UV_EXTRA_INDEX_URL"),
    "PIP_FIND_LINKS": ("UV_FIND_LINKS",),
    "PIP_NO_INDEX": ("UV_NO_INDEX",),
}
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def find_uv() -> Path:
    """The uv of this interpreter's environment, else the one on PATH.

    Raises:
        EngineError: there is none.
    """
    own = Path(sys.prefix) / "bin" / "uv"
    if own.is_file():
        return own
    found = shutil.which("uv")
    if found is None:
        raise EngineError(
            "uv, which makes the isolated environments, is not installed.",
            why=f"It is neither in {own.parent} nor on PATH.",
            remedy="Run `make setup`, or install the package uv for this interpreter.",
        )
    return Path(found)


def uv_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for uv: pip's index, links and certificates where uv has none of its own.

    With an extra index, every index is searched as pip does; the lock's hashes decide what may
    be installed. Proxy variables have the same names for both.
    """
    env = dict(os.environ if environ is None else environ)
    for pip_name, uv_names in _SAME_MEANING.items():
        if env.get(pip_name) and not any(env.get(name) for name in uv_names):
            env[uv_names[0]] = _translated(pip_name, env[pip_name])
    if env.get("PIP_EXTRA_INDEX_URL"):
        env.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    bundle = next((env[name] for name in _CERTIFICATES if env.get(name)), None)
    if bundle and not env.get("SSL_CERT_FILE"):
        env["SSL_CERT_FILE"] = bundle
    env.pop("VIRTUAL_ENV", None)
    return env


def _translated(pip_name: str, value: str) -> str:
    return ",".join(value.split()) if pip_name == "PIP_FIND_LINKS" else value
