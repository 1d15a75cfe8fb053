"""The Docker engine, how a GPU would reach its containers, and the space at its data root."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from envcheck.facts.field import attempt, unavailable
from envcheck.facts.gpu_probe import probe
from envcheck.facts.shell import Ran, run

SOCKET = "/var/run/docker.sock"
STATES = ("ok", "absent", "denied", "dead", "unreachable", "unanswered")
_TOOLKIT = ("nvidia-ctk", "nvidia-container-runtime", "nvidia-container-cli")


def collect(probe_image: str = "") -> dict[str, Any]:
    """The ``docker`` section. A probe container is started only where an image is named."""
    ran = run(["docker", "info", "--format", "{{json .}}"], timeout_s=4)
    info = attempt(_parse, ran.out) if not ran.why else {}
    state, text = classify(ran, info if isinstance(info, dict) else {})
    return {
        "state": state,
        "text": text,
        "endpoint": _endpoint_kind(),
        "snap": _is_snap(info),
        "toolkit": [name for name in _TOOLKIT if shutil.which(name)],
        "cdi_specs": attempt(_cdi_specs, ("/etc/cdi", "/var/run/cdi")),
        **_engine(info if state == "ok" else {}, text or state),
        "gpu_probe": attempt(probe, probe_image),
    }


def classify(ran: Ran, info: dict[str, Any]) -> tuple[str, str]:
    """The engine's state and the text that says so; the text is empty for ``ok``."""
    if "PATH" in ran.why:
        return ("unanswered" if _named_or_present() else "absent"), ran.why
    if ran.why:
        return ("unreachable", ran.why)
    errors = info.get("ServerErrors") or []
    text = "; ".join(str(error) for error in errors) or ran.err.strip()
    if info.get("ServerVersion") and not errors:
        return "ok", ""
    if "permission denied" in text.lower():
        return "denied", text
    if os.environ.get("DOCKER_HOST"):
        return "unreachable", text
    return ("dead" if Path(SOCKET).exists() else "absent"), text


def _named_or_present() -> bool:
    return bool(os.environ.get("DOCKER_HOST")) or Path(SOCKET).exists()


def _endpoint() -> str:
    return os.environ.get("DOCKER_HOST") or f"unix://{SOCKET}"


def _endpoint_kind() -> str:
    scheme = _endpoint().partition(":")[0]
    return "local socket" if scheme == "unix" else f"DOCKER_HOST by {scheme}"


def _parse(text: str) -> Any:
    return json.loads(text)


def _is_snap(info: Any) -> bool:
    client = os.path.realpath(shutil.which("docker") or "")
    root = str(info.get("DockerRootDir", "")) if isinstance(info, dict) else ""
    return client.startswith("/snap/") or client == "/usr/bin/snap" or root.startswith("/var/snap/")


def _engine(info: dict[str, Any], why: str) -> dict[str, Any]:
    def field(name: str) -> Any:
        return info[name] if info.get(name) else unavailable(why or f"the engine names no {name}")

    root = field("DockerRootDir")
    return {
        "server_version": field("ServerVersion"),
        "client_version": (info.get("ClientInfo") or {}).get("Version") or unavailable(why),
        "storage_driver": field("Driver"),
        "cgroup_driver": field("CgroupDriver"),
        "cgroup_version": field("CgroupVersion"),
        "limits": _limits(info) if info else unavailable(why),
        "runtimes": sorted(info["Runtimes"]) if info.get("Runtimes") else unavailable(why),
        "cdi_folders": (info.get("CDISpecDirs") or []) if info else unavailable(why),
        "mirrors": attempt(_mirrors, info) if info else unavailable(why),
        "buildx": attempt(_buildx, info) if info else unavailable(why),
        "data_root": root,
        **_space(root, why),
    }


def _limits(info: dict[str, Any]) -> list[str]:
    """What the engine can bound a container in."""
    known = {
        "MemoryLimit": "memory",
        "SwapLimit": "swap",
        "PidsLimit": "pids",
        "CpuCfsQuota": "cpu",
    }
    return [name for field, name in known.items() if info.get(field) is True]


def _mirrors(info: dict[str, Any]) -> list[str]:
    return list((info.get("RegistryConfig") or {}).get("Mirrors") or [])


def _buildx(info: dict[str, Any]) -> Any:
    plugins = (info.get("ClientInfo") or {}).get("Plugins") or []
    for plugin in plugins:
        if plugin.get("Name") == "buildx" and plugin.get("Version"):
            return plugin["Version"]
    return "none"


def _space(root: Any, why: str) -> dict[str, Any]:
    if not isinstance(root, str):
        missing = unavailable(why)
    elif not _endpoint().startswith("unix://"):
        missing = unavailable(f"the engine at {_endpoint()} is another machine")
    elif not Path(root).is_dir():
        missing = unavailable(f"{root} is not visible from here")
    else:
        return {
            "free_bytes": attempt(lambda: _stat(root).f_bavail * _stat(root).f_frsize),
            "free_inodes": attempt(_free_inodes, root),
        }
    return {"free_bytes": missing, "free_inodes": missing}


def _stat(root: str) -> os.statvfs_result:
    return os.statvfs(root)


def _free_inodes(root: str) -> Any:
    stat = _stat(root)
    return stat.f_favail if stat.f_files else unavailable("this file system counts no inodes")


def _cdi_specs(folders: tuple[str, ...]) -> list[str]:
    return [
        str(path)
        for folder in folders
        for path in sorted(Path(folder).glob("*"))
        if path.suffix in (".yaml", ".yml", ".json") and _names_nvidia(path)
    ]


def _names_nvidia(path: Path) -> bool:
    pattern = r"nvidia\.com/gpu"
    return bool(re.search(pattern, path.read_text(encoding="utf-8", errors="replace")[:65536]))
