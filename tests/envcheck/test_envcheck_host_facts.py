"""Collectors of the host: virtualisation, clock, kernel log, disks, limits, probe, redaction."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Callable

import pytest

from core import jsonio
from envcheck.facts import clock, disks, docker, gpu_probe, kernel_log, smi, system, virtual
from envcheck.facts.redact import encodable, without_home
from envcheck.facts.shell import Ran

Fake = Callable[[str, str], None]
UUID = "GPU-1b2c3d4e-0000-1111-2222-333344445555"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a shell script on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name: str, script: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return make


def namespaces(folder: Path, **numbers: int) -> str:
    folder.mkdir(exist_ok=True)
    first = {"pid": 0xEFFFFFFC, "uts": 0xEFFFFFFE, "ipc": 0xEFFFFFFF}
    for name, number in {**first, **numbers}.items():
        (folder / name).symlink_to(f"{name}:[{number}]")
    return str(folder)


def test_a_virtual_machine_made_from_an_image_is_no_container(tmp_path: Path, fake: Fake) -> None:
    """It keeps /.dockerenv, which systemd-detect-virt believes; its namespaces are the first."""
    (tmp_path / ".dockerenv").touch()
    fake("systemd-detect-virt", '[ "$1" = --vm ] && echo kvm || echo docker')

    assert "none" == virtual.container(namespaces(tmp_path / "ns"), f"{tmp_path}/")
    assert "kvm" == virtual.virtual_machine()


@pytest.mark.parametrize("shared", ["pid", "uts", "ipc"])
def test_a_container_that_shares_a_namespace_is_one(
    tmp_path: Path, fake: Fake, shared: str
) -> None:
    """--pid=host, --uts=host and --ipc=host leave the others of its own."""
    own = {name: 4026532000 for name in ("pid", "uts", "ipc") if name != shared}
    (tmp_path / ".dockerenv").touch()
    fake("systemd-detect-virt", "exit 1")

    assert "docker" == virtual.container(namespaces(tmp_path / "ns", **own), f"{tmp_path}/")


def test_a_container_without_a_mark_is_still_one(tmp_path: Path, fake: Fake) -> None:
    """Its kind is unknown and said to be."""
    fake("systemd-detect-virt", "echo none; exit 1")

    assert "some container" == virtual.container(namespaces(tmp_path / "ns", pid=1), f"{tmp_path}/")


def test_without_namespaces_marks_decide(tmp_path: Path, fake: Fake) -> None:
    """What cannot be read does not end the reading."""
    fake("systemd-detect-virt", "echo wsl")

    assert "wsl" == virtual.container(str(tmp_path / "absent"), f"{tmp_path}/")


def test_a_hypervisor_is_seen_without_systemd(tmp_path: Path, fake: Fake) -> None:
    """The processor's own flag tells."""
    fake("systemd-detect-virt", "exit 127")
    (tmp_path / "vm").write_text("flags : fpu vme hypervisor lahf_lm\n")
    (tmp_path / "bare").write_text("flags : fpu vme\n")

    assert "some hypervisor" == virtual.virtual_machine(str(tmp_path / "vm"))
    assert "none" == virtual.virtual_machine(str(tmp_path / "bare"))


@pytest.mark.parametrize(
    ("maxerror", "answer"), [(1500, True), (15_999_999, True), (16_000_000, False)]
)
def test_the_kernel_says_whether_its_clock_is_set(maxerror: int, answer: bool) -> None:  # noqa: FBT001
    """At its mark of 16 s nobody sets it."""
    assert answer is clock.within(maxerror)


def test_asking_for_the_clock_changes_nothing_and_answers() -> None:
    """Real system call, without privileges."""
    assert clock.synchronised() in (True, False)


def test_xid_events_are_counted_without_the_programs_that_caused_them() -> None:
    """Old and new spellings; a line of another driver is none."""
    log = (
        "[ 5.1] NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen\n"
        "[ 6.1] NVRM: Xid (PCI:0000:01:00): 31, pid=4242, name=python, Ch 00000008\n"
        "[ 7.1] NVRM: Xid (PCI:0000:01:00): 31, pid=4243, name=python, Ch 00000008\n"
        "[ 8.1] xhci_hcd 0000:00:14.0: Xid 3\n"
    )
    found = kernel_log.events(log)

    assert [
        {"code": 79, "pci": "0000:01:00", "count": 1},
        {"code": 31, "pci": "0000:01:00", "count": 2},
    ] == found
    assert "python" not in str(found)


def test_the_journal_serves_where_dmesg_is_forbidden(fake: Fake) -> None:
    """Ordinary users of some distributions may read only that."""
    fake("dmesg", "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1")
    fake("journalctl", "echo 'NVRM: Xid (PCI:0000:01:00): 48, pid=1'")

    assert [{"code": 48, "pci": "0000:01:00", "count": 1}] == kernel_log.xids()


def test_a_log_that_cannot_be_read_is_not_an_empty_one(fake: Fake) -> None:
    """Forbidden, and a journal that shows nothing: unavailable with both reasons."""
    fake("dmesg", "echo 'Operation not permitted' >&2; exit 1")
    fake("journalctl", "exit 0")
    found = kernel_log.xids()

    assert "Operation not permitted" in found["unavailable"]
    assert "shows nothing" in found["unavailable"]


def test_the_end_of_a_long_kernel_log_is_read(fake: Fake) -> None:
    """An event after more than a megabyte of lines counts."""
    fake("dmesg", "yes 'a line' | head -n 200000; echo 'NVRM: Xid (PCI:0000:01:00): 79, x'")

    assert 79 == kernel_log.xids()[0]["code"]


def test_disks_are_listed_once_and_without_what_is_none(tmp_path: Path) -> None:
    """Two mounts of one device, a bind mount, a read-only one and a pseudo file system."""
    data = tmp_path / "a b"
    data.mkdir()
    mountinfo = tmp_path / "mountinfo"
    escaped = str(data).replace(" ", "\\040")
    mountinfo.write_text(
        f"27 1 254:0 / {tmp_path} rw,relatime - ext4 /dev/vda rw\n"
        f"42 27 254:0 /var/lib {tmp_path} rw,relatime shared:1 - ext4 /dev/vda rw\n"
        f"43 27 254:16 / {escaped} rw - xfs /dev/vdb rw\n"
        f"44 27 254:32 / {tmp_path} ro - ext4 /dev/vdc ro\n"
        "45 27 0:22 / /sys rw - sysfs sysfs rw\n"
        "46 27 254:48 / /nowhere/at/all rw - ext4 /dev/vdd rw\n"
        "odd line\n"
    )
    found = disks.mounts(str(mountinfo))

    assert {str(tmp_path), str(data)} == {item["path"] for item in found}
    assert all(item["free_bytes"] > 0 for item in found)


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "1000000 100000\n"}, 10.0),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "150000", "cpu/cpu.cfs_period_us": "100000"}, 1.5),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({}, None),
    ],
)
def test_a_cpu_quota_is_read_in_both_versions(
    tmp_path: Path, files: dict[str, str], quota: Any
) -> None:
    """Version 2, version 1, and no limit at all."""
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    found = system.cpu_quota(str(tmp_path))

    assert quota == (None if isinstance(found, dict) else found)


def test_a_probe_takes_the_first_way_that_shows_a_card(fake: Fake) -> None:
    """--gpus is refused, CDI works: the card is there whatever `docker info` lists."""
    fake(
        "docker",
        'case "$*" in *nvidia.com/gpu=all*) echo "GPU 0: NVIDIA H200 (UUID: x)";; '
        '*) echo "could not select device driver" >&2; exit 125;; esac',
    )
    found = gpu_probe.probe("some/image")

    assert ("cdi", 0) == (found["way"], found["returncode"])
    assert "NVIDIA H200" in found["text"]


def test_a_probe_that_sees_nothing_keeps_the_first_answer(fake: Fake) -> None:
    """The engine's own words about --gpus are what people search for."""
    fake("docker", 'case "$*" in *--gpus*) echo first >&2; exit 125;; *) exit 1;; esac')
    found = gpu_probe.probe("some/image")

    assert ("gpus", 125, "first") == (found["way"], found["returncode"], found["text"])


def test_a_probe_pulls_nothing_and_has_no_network(fake: Fake, tmp_path: Path) -> None:
    """What is started is bounded, marked and removed."""
    fake("docker", f'echo "$*" >> {tmp_path}/calls; echo "GPU 0: x"')
    gpu_probe.probe("some/image")
    words = (tmp_path / "calls").read_text()

    for part in ("--rm", "--pull never", "--network none", "io.torchrig=1", "some/image -L"):
        assert part in words


def test_a_list_without_a_gpu_is_no_proof() -> None:
    """A container may exit with 0 and list nothing."""
    assert not gpu_probe.sees_gpu(Ran(0, "No devices found.\n"))
    assert gpu_probe.sees_gpu(Ran(0, "warning\nGPU 0: NVIDIA H200\n"))


def test_limits_are_those_the_engine_has(fake: Fake) -> None:
    """Fields of `docker info` that are true."""
    fake(
        "docker",
        """echo '{"ServerVersion": "27.5.1", "MemoryLimit": true, "PidsLimit": false}'""",
    )

    assert ["memory"] == docker.collect()["limits"]


def test_nvidia_smi_counts_errors_rows_and_processes(fake: Fake) -> None:
    """What NVML gives as numbers, from the three queries of nvidia-smi."""
    card = (
        "NVIDIA H200, GPU-1, 00000000:00:06.0, 0x233510DE, 9.0, 143771, 0, Enabled, Default, "
        "Disabled, Enabled, 3, 700.00, 700.00, 98.48, 37, [N/A], 345, 1980, 1980, 1980, "
        "0x0000000000000001, P0, 0, 5, 5, 16, 16"
    )
    fake(
        "nvidia-smi",
        f"""case "$1" in
          --query-gpu=*) echo '{card}';;
          --query-compute-apps=*) echo '00000000:00:06.0, 17'; echo '00000000:00:07.0, 18';;
          --query-remapped-rows=*) echo '00000000:00:06.0, 1, 2, Yes, No';;
          *) echo 'Driver Version: 580.159.04 CUDA Version: 13.0';; esac""",
    )
    (device,) = smi.collect(identify=False)["devices"]

    assert (3, 1) == (device["uncorrected_errors"], device["processes"])
    assert {"corrected": 1, "uncorrected": 2, "pending": True, "failed": False} == (
        device["remapped_rows"]
    )
    assert "bus" not in device


def test_what_identifies_is_left_out() -> None:
    """Home folders, UUIDs of cards and the hosts of addresses, credentials included."""
    facts = {
        "a": [f"GPU 0: NVIDIA H200 (UUID: {UUID})", f"{UUID},MIG-{UUID[4:]}"],
        "b": {"c": "/home/me/x", "d": "https://user:secret@mirror.example/path"},
        "e": "Cannot connect at tcp://10.1.2.3:2375. Is it running?",
        "n": 5,
    }
    text = str(without_home(facts, "/home/me"))

    for secret in ("1b2c3d4e", "/home/me", "secret", "mirror.example", "10.1.2.3"):
        assert secret not in text
    assert "~/x" in text
    assert "/path" in text


def test_bytes_that_are_no_text_can_still_be_written(tmp_path: Path) -> None:
    """A variable of the environment may hold any bytes."""
    odd = os.fsdecode(b"/opt/\xff/lib")
    path = tmp_path / "facts.json"
    jsonio.write(path, encodable({"variables": {"LD_LIBRARY_PATH": odd}}))

    assert "/opt/" in jsonio.read(path)["variables"]["LD_LIBRARY_PATH"]
    assert stat.S_ISREG(path.stat().st_mode)
