"""Collectors read fake programs on PATH and never raise."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any, Callable

import pytest

from core import jsonio
from envcheck import api, cli
from envcheck.facts import collect, docker, libraries, nvidia, nvml, smi, system, tools, torch
from envcheck.facts.shell import Ran, run

MISMATCH = (
    "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144"
)
NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
INFO = {
    "ServerVersion": "27.5.1",
    "Driver": "overlay2",
    "DockerRootDir": "/",
    "Runtimes": {"runc": {}, "nvidia": {}},
    "CDISpecDirs": ["/etc/cdi"],
    "RegistryConfig": {"Mirrors": ["https://mirror.example/"]},
    "ClientInfo": {"Version": "27.5.1", "Plugins": [{"Name": "buildx", "Version": "v0.20.0"}]},
}
Fake = Callable[..., None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a program on PATH, alone with the shell's own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv("DOCKER_HOST", raising=False)

    def make(name: str, text: str, rc: int = 0, stream: int = 1) -> None:
        path = folder / name
        path.write_text(f"#!/bin/sh\ncat >&{stream} <<'EOF'\n{text}\nEOF\nexit {rc}\n")
        path.chmod(0o755)

    return make


def no_nvml(**options: Any) -> dict[str, Any]:
    del options
    return {"state": "absent", "text": "no NVML here"}


@pytest.mark.parametrize(("text", "rc"), [(MISMATCH, 18), (NO_DRIVER, 9), (NO_DRIVER, 0)])
def test_nvidia_smi_is_judged_by_text_and_status(fake: Fake, text: str, rc: int) -> None:
    """Either of the two is enough: status 0 with that text is a failure too (cases 3 and 10)."""
    fake("nvidia-smi", text, rc)

    found = smi.collect(identify=False)

    assert found["state"] == "failed"
    assert text.splitlines()[0] in found["text"]


def test_nvidia_smi_serves_where_nvml_does_not(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Properties it does not know are unavailable, odd spellings do not end the reading."""
    monkeypatch.setattr(nvml, "collect", no_nvml)
    line = (
        "NVIDIA GeForce RTX 4090 D, GPU-1, 00000000:01:00.0, 0x268510DE, 8.9, 24564, 1, Enabled,"
        " Default, [N/A], [Not Supported], [N/A], 425.00, 425.00, 12.5, 35, 0, 210, 3105, [N/A],"
        " [N/A], 0x0000000000000001, P8, 0, 1, 4, 16, soon"
    )
    banner = "| NVIDIA-SMI 570.124.06  Driver Version: 570.124.06  CUDA Version: 12.8 |"
    fake("nvidia-smi", f"{banner}")
    query = Path(os.environ["PATH"].split(":")[0]) / "nvidia-smi"
    query.write_text(
        f"#!/bin/sh\ncase $1 in --query-gpu=*) echo '{line}';; --*) exit 2;; "
        f"*) echo '{banner}';; esac\n"
    )

    found = nvidia.collect()
    card = found["devices"][0]

    assert (found["state"], found["driver_version"], found["cuda_level"]) == (
        "ok", "570.124.06", "12.8",
    )  # fmt: skip
    assert (card["name"], card["pci_id"]) == ("NVIDIA GeForce RTX 4090 D", "10de:2685")
    assert card["throttle_reasons"] == ["idle"]
    assert "unavailable" in card["uuid"]
    assert "unavailable" in card["mig"]
    assert "unavailable" in card["pcie_width_max"]


@pytest.mark.parametrize(
    ("text", "rc", "host", "state"),
    [
        (json.dumps(INFO), 0, "", "ok"),
        ("permission denied while trying to connect to the Docker daemon socket", 1, "", "denied"),
        ("Cannot connect to the Docker daemon. Is the docker daemon running?", 1, "", "dead"),
        ("error during connect: dial tcp: i/o timeout", 1, "tcp://10.0.0.1:2375", "unreachable"),
    ],
)
def test_the_engine_has_its_states(
    fake: Fake,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    text: str,
    rc: int,
    host: str,
    state: str,
) -> None:
    """Permission, a dead engine and a DOCKER_HOST that does not answer are three things."""
    socket = tmp_path / "docker.sock"
    socket.touch()
    monkeypatch.setattr(docker, "SOCKET", str(socket))
    if host:
        monkeypatch.setenv("DOCKER_HOST", host)
    fake("docker", text, rc, stream=1 if rc == 0 else 2)

    assert state == docker.collect()["state"]


def test_an_engine_that_says_its_errors_with_status_0_is_not_ok(fake: Fake) -> None:
    """Some versions of the command print ServerErrors and exit with 0."""
    fake("docker", json.dumps({"ServerErrors": ["permission denied on the socket"]}))

    assert docker.collect()["state"] == "denied"


def test_no_docker_and_no_socket_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is the one case in which venv serves without a question."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(docker, "SOCKET", str(tmp_path / "none"))
    monkeypatch.delenv("DOCKER_HOST", raising=False)

    found = docker.collect()

    assert found["state"] == "absent"
    assert "unavailable" in found["free_bytes"]


def test_the_engines_answers_become_facts(fake: Fake) -> None:
    """Runtimes, plug-ins, mirrors and the space at the data root."""
    fake("docker", json.dumps(INFO))

    found = docker.collect()

    assert found["runtimes"] == ["nvidia", "runc"]
    assert found["buildx"] == "v0.20.0"
    assert found["mirrors"] == ["https://mirror.example/"]
    assert found["free_bytes"] > 0


def test_a_probe_container_that_gets_no_gpu_is_recorded(fake: Fake) -> None:
    """The engine's own words and status 125 (case 1)."""
    fake("docker", 'could not select device driver "" with capabilities: [[gpu]].', 125, stream=2)

    found = docker.collect("some/image")["gpu_probe"]

    assert found["returncode"] == 125
    assert "could not select device driver" in found["text"]


def test_nvcc_is_found_the_way_torch_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA_HOME wins over PATH, and is named."""
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.7, V11.7.99'\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))

    found = tools.nvcc()

    assert (found["version"], found["found_by"]) == ("11.7.99", "CUDA_HOME")


def test_ninja_is_asked_by_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package without an executable on PATH gives no answer (case 37)."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "unavailable" in tools.ninja()["answer"]


def test_libraries_on_the_library_path_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older cuBLAS in LD_LIBRARY_PATH (case 32) and a planted libcuda (case 8)."""
    for name in ("libcublasLt.so.11", "libcuda.so.525.85.12"):
        (tmp_path / name).write_text("x")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))

    found = libraries.collect()

    assert found["on_library_path"] == [str(tmp_path / "libcublasLt.so.11")]
    assert {"path": str(tmp_path / "libcuda.so.525.85.12"), "version": "525.85.12"} in (
        found["libcuda"]
    )


def test_library_versions_are_whole(tmp_path: Path) -> None:
    """The patch level counts (case 3)."""
    for name in ("libcuda.so.570.124.06", "libcuda.so.1", "libcuda.so"):
        (tmp_path / name).write_text("x")

    assert ["570.124.06"] == nvidia.library_versions("libcuda.so", (str(tmp_path),))


def test_a_program_that_hangs_is_given_up() -> None:
    """Its whole process group ends, and the reason is told."""
    ran = run(["sh", "-c", "sleep 60 & sleep 60"], timeout_s=0.2)

    assert "did not answer" in ran.why


def test_a_torch_process_that_dies_keeps_what_it_told() -> None:
    """Facts before the crash stand; those after it name the signal."""
    told = json.dumps({"name": "import", "value": "ok"}) + '\n{"name": "versi'

    found = torch.gather(Ran(-11, told, "Segmentation fault"), "auto")

    assert found["import"] == "ok"
    assert "signal 11" in found["version"]["unavailable"]


def test_without_torch_the_import_is_the_fault() -> None:
    """One failure; the rest follows from it."""
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("this interpreter has torch")
    report = api.environment_report(device="cpu")
    failed = [f.id for f in report.findings if f.status.value == "fail"]

    assert ["torch.import"] == failed


def test_collecting_never_raises_where_nothing_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No program on PATH at all: facts are still plain, strict JSON."""
    monkeypatch.setenv("PATH", str(tmp_path))

    found = collect.host()

    assert {"system", "nvidia", "docker"} == set(found)
    assert jsonio.loads(jsonio.dumps(found)) == found


def test_a_distribution_is_read_from_its_file(tmp_path: Path) -> None:
    """Quotes are taken off, absent fields are unknown."""
    path = tmp_path / "os-release"
    path.write_text("ID=ubuntu\nVERSION_ID=\"22.04\"\nPRETTY_NAME='Ubuntu 22.04.5 LTS'\n")

    assert {"id": "ubuntu", "version": "22.04", "name": "Ubuntu 22.04.5 LTS"} == (
        system.distribution(str(path))
    )


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"kind": "envcheck-facts", "schema": 99}', '{"kind": "other"}', '{"a": NaN}',
     '{"kind": "envcheck-facts", "schema": 1, "scope": "moon", "facts": {}}'],
)  # fmt: skip
def test_a_wrong_facts_file_is_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """Exit status 2 and a remedy, no traceback."""
    path = tmp_path / "facts.json"
    path.write_text(content)

    assert cli.main(["--facts", str(path)]) == 2
    assert "envcheck: " in capsys.readouterr().err


def test_an_unknown_profile_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2."""
    assert cli.main(["--host", "--profile", "rtx4090dd"]) == 2
    assert "Did you mean rtx4090d?" in capsys.readouterr().err


def test_the_json_document_is_strict_and_whole(tmp_path: Path) -> None:
    """Schema, kind, verdict, counts, facts and findings."""
    path = tmp_path / "report.json"

    cli.main(["--host", "--device", "cpu", "--json", str(path)])
    data = jsonio.read(path)

    assert {
        "schema", "kind", "scope", "verdict", "strict", "counts", "facts", "findings", "checks",
    } == set(data)  # fmt: skip
    assert sum(data["counts"].values()) == len(data["findings"])


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("c++ (Debian 10.2.1-6) 10.2.1 20210110", "10.2.1"),
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
        ("g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", "11.4.0"),
        ("gcc (GCC) 12.2.1 20221121 (Red Hat 12.2.1-4)", "12.2.1"),
        ("Debian clang version 14.0.6", "14.0.6"),
        ("Apple clang version 15.0.0 (clang-1500.3.9.4)", "15.0.0"),
        ("icpc: command line error", None),
    ],
)
def test_a_compiler_version_is_read_whatever_stands_around_it(
    line: str, version: str | None
) -> None:
    """Package versions in parentheses and release dates are no compiler versions."""
    assert version == tools.compiler_version(line)
