"""How an NVIDIA GPU reaches a container, proved by one that looks for it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, Sequence

from core.errors import EngineError
from engines import container

Method = Literal["cdi", "runtime"]
METHODS: tuple[Method, ...] = ("cdi", "runtime")

PROBE = ("nvidia-smi", "-L")
PROBE_S = 60
NVIDIA_VENDOR = "0x10de"
_TOOLKIT = ("nvidia-ctk", "nvidia-container-cli", "nvidia-container-runtime")
_DEVICES = ("/dev/nvidiactl", "/dev/dxg")


@dataclass(frozen=True)
class GpuAccess:
    """The way that was proved: ``cdi`` or ``runtime``, and the GPUs seen through it."""

    method: Method
    seen: tuple[str, ...] = ()


@dataclass(frozen=True)
class GpuHost:
    """What the host says about GPUs in containers.

    ``gpu`` is None where the engine runs on another machine, which cannot be looked at.
    """

    gpu: bool | None
    toolkit: bool
    registered: bool
    snap: bool


def device_requests(access: GpuAccess | None) -> list[Any]:
    """The Docker SDK's device requests for a way of access; empty without a GPU."""
    from docker.types import DeviceRequest

    if access is None:
        return []
    if access.method == "cdi":
        return [DeviceRequest(driver="cdi", device_ids=["nvidia.com/gpu=all"])]
    return [DeviceRequest(count=-1, capabilities=[["gpu"]])]


def prove_gpu(client: Any, image: str) -> GpuAccess:
    """Start one container per known way until ``nvidia-smi -L`` sees a GPU in it.

    The container is closed in exactly as the one of a session is.

    Raises:
        EngineError: no way works; the remedy fits the cause that was found.
    """
    answers: dict[Method, str] = {}
    for method in METHODS:
        seen, answers[method] = _try(client, image, method)
        if seen:
            return GpuAccess(method, seen)
    raise explain_gpu(look(client), answers)


def require_gpu_path(client: Any) -> None:
    """Refuse, before there is an image to probe with, what no image can make good.

    Raises:
        EngineError: this machine has no GPU, or the engine has neither an NVIDIA runtime nor a
            CDI specification for one.
    """
    host = look(client)
    if host.gpu is False or host.snap or not host.registered:
        raise explain_gpu(host, {})


def look(client: Any) -> GpuHost:
    """Read the host's side of the matter."""
    info: Mapping[str, Any] = client.info()
    local = str(client.api.base_url).startswith("http+docker://localhost")
    folders = tuple(info.get("CDISpecDirs") or ())
    return GpuHost(
        gpu=_has_gpu() if local else None,
        toolkit=any(shutil.which(name) for name in _TOOLKIT),
        registered="nvidia" in (info.get("Runtimes") or {})
        or (describes_gpu(folders) if local else bool(folders)),
        snap=str(info.get("DockerRootDir", "")).startswith("/var/snap/"),
    )


def explain_gpu(host: GpuHost, answers: Mapping[Method, str]) -> EngineError:
    """One error, one remedy, for why no GPU is seen inside a container."""
    why, remedy = _cause(host, " ".join(answers.values()))
    said = "; ".join(f"{method}: {text}" for method, text in answers.items() if text)
    said = f" The engine said: {said}." if said else ""
    return EngineError("No GPU reaches a container.", why=f"{why}{said}", remedy=remedy)


def _cause(host: GpuHost, answers: str) -> tuple[str, str]:
    if host.gpu is False:
        return (
            "This machine has no NVIDIA GPU (no PCI device of vendor 10de).",
            "Run on the CPU with --device cpu.",
        )
    if host.snap:
        return (
            (
                "Docker was installed from snap, whose engine does not see the NVIDIA container "
                "toolkit of the host."
            ),
            (
                "Remove the snap (`sudo snap remove docker`) and install Docker Engine from "
                "distribution packages, then the NVIDIA Container Toolkit."
            ),
        )
    if "docker-init" in answers:
        return (
            "The engine has no docker-init, the small first process of every container here.",
            "Install it (package tini on Debian and Ubuntu; Docker's own packages bring it).",
        )
    if "unsatisfied condition" in answers:
        return (
            "The image asks for a newer CUDA than the driver offers.",
            "Update the NVIDIA driver, or build on a base image with an older CUDA.",
        )
    return _toolkit_cause(host)


def _toolkit_cause(host: GpuHost) -> tuple[str, str]:
    if host.gpu is not None and not host.toolkit and not host.registered:
        return (
            "The NVIDIA Container Toolkit is not installed.",
            (
                "Install the package nvidia-container-toolkit, run `sudo nvidia-ctk runtime "
                "configure --runtime=docker`, and restart Docker."
            ),
        )
    if not host.registered:
        return (
            "The NVIDIA Container Toolkit is not registered with the engine.",
            "Run `sudo nvidia-ctk runtime configure --runtime=docker` and restart Docker.",
        )
    return (
        "The toolkit is registered, and still no container sees a GPU.",
        (
            "Check that `nvidia-smi` works on the host, run `sudo nvidia-ctk cdi generate "
            "--output=/etc/cdi/nvidia.yaml`, and restart Docker."
        ),
    )


def describes_gpu(folders: Sequence[str]) -> bool:
    """Whether a CDI specification for NVIDIA GPUs lies in one of the folders."""
    files = (path for folder in folders for path in Path(folder).glob("*"))
    return any(
        "nvidia.com/gpu" in _read(path) for path in files if path.suffix in (".yaml", ".json")
    )


def _has_gpu() -> bool:
    vendors = Path("/sys/bus/pci/devices").glob("*/vendor")
    if any(_read(path) == NVIDIA_VENDOR for path in vendors):
        return True
    return any(Path(device).exists() for device in _DEVICES)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _try(client: Any, image: str, method: Method) -> tuple[tuple[str, ...], str]:
    """The GPUs that a probe container lists, and what was said where it lists none."""
    from docker.errors import DockerException

    name = container.new_name("probe", f"gpu-{method}")
    settings = container.options(
        image,
        name=name,
        label="probe",
        limits=container.Limits(),
        command=PROBE,
        gpu=device_requests(GpuAccess(method)),
    )
    try:
        probe = client.containers.create(**settings)
        probe.start()
        status = probe.wait(timeout=PROBE_S)["StatusCode"]
        text = probe.logs(tail=20).decode("utf-8", "replace")
    except (DockerException, OSError) as error:
        return (), str(getattr(error, "explanation", None) or error).strip()
    finally:
        _remove(client, name)
    return listed_gpus(text if status == 0 else ""), text.strip()


def listed_gpus(text: str) -> tuple[str, ...]:
    """The lines of ``nvidia-smi -L`` that name a GPU."""
    return tuple(line.strip() for line in text.splitlines() if line.startswith("GPU "))


def _remove(client: Any, name: str) -> None:
    from docker.errors import DockerException

    try:
        client.api.remove_container(name, force=True, v=True)
    except (DockerException, OSError):
        return
