"""The docker engine on a real engine: closed in, bounded, and always cleared away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any, Iterator

import pytest

from core.errors import EngineError
from engines import docker as docker_engine
from engines.base import STDOUT_LIMIT, Outcome, Target
from engines.client import connect
from engines.container import Limits, remove_leftovers
from engines.docker import DockerEngine, DockerSession

pytestmark = pytest.mark.docker
PYTHON = "/usr/bin/python3"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A Docker client of this module."""
    made = connect()
    yield made
    made.close()


@pytest.fixture(scope="module")
def target(local_base: str) -> Target:
    """The local base, as an environment."""
    return Target("base", {}, local_base, None, "3.9", ("3.9",))


@pytest.fixture(scope="module")
def session(client: Any, target: Target) -> Iterator[DockerSession]:
    """A session that tests share; each trial is a fresh process."""
    engine = DockerEngine(limits=Limits(memory="256m"), interpreter=PYTHON, client=client)
    with engine.open(target, device="cpu", label=f"test-{uuid.uuid4().hex}") as opened:
        yield opened


def run(session: DockerSession, code: str, timeout_s: float = 60) -> Outcome:
    """Run a line of Python in a session."""
    return session.python(["-c", code], timeout_s=timeout_s)


def containers(client: Any, label: str) -> list[Any]:
    """Every container of a run, stopped ones too."""
    found = client.containers.list(all=True, filters={"label": f"io.torchrig.run={label}"})
    return list(found)


def test_ordinary_end_gives_bytes_log_and_status(session: DockerSession) -> None:
    """Standard output, the log and the exit status come back apart."""
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    outcome = run(session, code)

    assert (b"out\n", "err\n", 3) == (outcome.stdout, outcome.log, outcome.returncode)
    assert (False, False) == (outcome.timed_out, outcome.lost)


def test_user_is_ordinary_and_cannot_gain_privileges(session: DockerSession) -> None:
    """User 1000, no capability in any set, and no way to gain one."""
    code = (
        "import os\n"
        "keep = ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Groups')\n"
        "lines = [l.split() for l in open('/proc/self/status') if l.startswith(keep)]\n"
        "caps = {int(w, 16) for l in lines if l[0].startswith('Cap') for w in l[1:]}\n"
        "gains = [l for l in lines if l[0] == 'NoNewPrivs:']\n"
        "print(os.getuid(), os.getgid(), sorted(caps), gains)"
    )

    assert b"1000 1000 [0] [['NoNewPrivs:', '1']]\n" == run(session, code).stdout


def test_there_is_no_network(session: DockerSession) -> None:
    """Only the loopback interface exists, and nothing outside is reached."""
    code = (
        "import socket\n"
        "built_in = ('lo', 'sit0', 'tunl0')\n"
        "print([name for _, name in socket.if_nameindex() if name not in built_in])\n"
        "s = socket.socket(); s.settimeout(5)\n"
        "try: s.connect(('192.0.2.1', 80))\n"
        "except OSError as e: print(e.errno)"
    )

    assert b"[]\n101\n" == run(session, code).stdout


def test_root_is_read_only_and_temporary_folder_runs_programs(session: DockerSession) -> None:
    """Nothing but the private folder can be written, and what lies there may be executed."""
    code = (
        "import os, subprocess\n"
        "for path in ('/x', '/etc/x', '/usr/x', '/home/x', '/var/tmp/x'):\n"
        "    try: open(path, 'w'); print('wrote', path)\n"
        "    except OSError: pass\n"
        "open('tool', 'w').write('#!/bin/sh\\necho ran\\n'); os.chmod('tool', 0o700)\n"
        "print(subprocess.run(['./tool'], stdout=subprocess.PIPE).stdout)"
    )

    assert b"b'ran\\n'\n" == run(session, code).stdout


def test_shared_memory_and_processes_are_set(session: DockerSession) -> None:
    """Shared memory is 2 GiB, and the number of processes is bounded."""
    code = (
        "import os, pathlib\n"
        "v = os.statvfs('/dev/shm'); print(v.f_frsize * v.f_blocks)\n"
        "paths = [pathlib.Path('/sys/fs/cgroup') / p for p in ('pids.max', 'pids/pids.max')]\n"
        "print([p.read_text().strip() for p in paths if p.exists()])"
    )

    assert f"{2 * 1024**3}\n['8192']\n".encode() == run(session, code).stdout


def test_each_trial_has_a_fresh_temporary_folder(session: DockerSession) -> None:
    """What one trial leaves in its folder the next does not find."""
    code = "import os; print(os.listdir('.'), os.environ['HOME'] == os.getcwd()); open('x', 'w')"

    assert b"[] True\n" == run(session, code).stdout
    assert b"[] True\n" == run(session, code).stdout


def test_time_limit_ends_the_trial_and_the_next_one_runs(session: DockerSession) -> None:
    """A trial over its limit is a timeout, also when it ignores SIGTERM; the session goes on."""
    outcome = run(session, "import time; time.sleep(600)", timeout_s=1)

    assert (True, False) == (outcome.timed_out, outcome.lost)
    assert "1 s" in outcome.reason
    assert b"on\n" == run(session, "print('on')").stdout


def test_trial_that_ignores_sigterm_is_killed(
    session: DockerSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL follows where SIGTERM is ignored."""
    monkeypatch.setattr(docker_engine, "KILL_AFTER_S", 1.0)
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    outcome = run(session, code, timeout_s=1)

    assert (True, False, 137) == (outcome.timed_out, outcome.lost, outcome.returncode)


def test_frozen_container_is_given_up_on(
    client: Any, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the limit inside the container cannot act, the host's backstop does."""
    monkeypatch.setattr(docker_engine, "KILL_AFTER_S", 1.0)
    monkeypatch.setattr(docker_engine, "BACKSTOP_S", 2.0)
    label = f"test-{uuid.uuid4().hex}"
    engine = DockerEngine(interpreter=PYTHON, client=client)
    with engine.open(target, device="cpu", label=label) as opened:
        threading.Timer(1.0, containers(client, label)[0].pause).start()
        outcome = run(opened, "import time; time.sleep(600)", timeout_s=3)
        after = run(opened, "print('on')")

    assert (True, b"on\n") == (outcome.timed_out, after.stdout)
    assert [] == containers(client, label)


def test_output_is_bounded(session: DockerSession) -> None:
    """A flood is read to its end and cut at 64 MiB, with the reason."""
    outcome = run(session, "import sys\nfor _ in range(1100): sys.stdout.write('x' * 65536)")

    assert STDOUT_LIMIT == len(outcome.stdout)
    assert "64 MiB" in outcome.reason


def test_out_of_memory_is_lost_with_its_reason(session: DockerSession) -> None:
    """A trial that the kernel kills for memory is lost, not failed."""
    outcome = run(session, "x = bytearray(1024**3)")

    assert (True, False) == (outcome.lost, outcome.timed_out)
    assert "out of memory" in outcome.reason
    assert b"on\n" == run(session, "print('on')").stdout


def test_killed_trial_is_lost_but_not_for_memory(session: DockerSession) -> None:
    """A process killed by someone else is lost without a word on memory."""
    outcome = run(session, "import os; os.kill(os.getpid(), 9)")

    assert outcome.lost
    assert "memory" not in outcome.reason


def test_crash_is_an_ordinary_end(session: DockerSession) -> None:
    """A segmentation fault is the program's own failure, named by its signal."""
    outcome = run(session, "import os; os.kill(os.getpid(), 11)")

    assert (False, False, "It ended with signal 11.") == (
        outcome.lost,
        outcome.timed_out,
        outcome.reason,
    )


def test_container_killed_from_outside_is_lost_and_replaced(client: Any, target: Target) -> None:
    """Whoever removes the container loses that trial only."""
    label = f"test-{uuid.uuid4().hex}"
    engine = DockerEngine(interpreter=PYTHON, client=client)
    with engine.open(target, device="cpu", label=label) as opened:
        doomed = containers(client, label)[0]
        threading.Timer(1.0, lambda: doomed.remove(force=True)).start()
        outcome = run(opened, "import time; time.sleep(600)", timeout_s=60)
        after = run(opened, "print('on')")

    assert (True, False) == (outcome.lost, outcome.timed_out)
    assert "went away" in outcome.reason
    assert b"on\n" == after.stdout


def test_identity_names_image_and_engine(
    session: DockerSession, client: Any, target: Target
) -> None:
    """What is kept with the results says which image ran on which engine."""
    identity = session.identity

    assert client.images.get(target.image).id == identity["image_id"]
    assert (True, None) == (identity["managed"], identity["gpu_method"])
    assert identity["engine_version"]


def test_image_is_never_pulled(client: Any) -> None:
    """An image that is not there is an error that says how to build it."""
    missing = Target("base", {}, "torchrig/never-built:none", None, "3.9")
    with pytest.raises(EngineError, match="invoke build --env base"):
        DockerEngine(client=client).open(missing, device="cpu", label="test")


def test_container_goes_when_the_work_raises(client: Any, target: Target) -> None:
    """An exception in between leaves nothing behind, and closing twice is harmless."""
    label = f"test-{uuid.uuid4().hex}"
    engine = DockerEngine(interpreter=PYTHON, client=client)
    opened = engine.open(target, device="cpu", label=label)
    with pytest.raises(ZeroDivisionError), opened:
        _ = len(containers(client, label)) / 0
    opened.close()
    after = run(opened, "print('on')")

    assert [] == containers(client, label)
    assert (True, b"") == (after.lost, after.stdout)


@pytest.mark.parametrize("block", ["with s: ", ""])
def test_container_goes_on_interrupt(block: str, client: Any, target: Target) -> None:
    """Ctrl-C in the middle of a trial removes the container, also where nobody closes."""
    label = f"test-{uuid.uuid4().hex}"
    body = "s.python(['-c', 'import time; time.sleep(600)'], timeout_s=600)"
    code = (
        "import sys\n"
        "from engines.base import Target\n"
        "from engines.docker import DockerEngine\n"
        f"e = DockerEngine(interpreter={PYTHON!r})\n"
        f"t = Target('base', {{}}, {target.image!r}, None, '3.9')\n"
        f"s = e.open(t, device='cpu', label={label!r})\n"
        "print('up', flush=True)\n" + f"{block}{body}\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    wait_for_sleep(containers(client, label)[0])
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)

    assert b"KeyboardInterrupt" in errors
    assert [] == containers(client, label)


def wait_for_sleep(container: Any) -> None:
    """Wait until the trial's own process runs in the container."""
    for _ in range(300):
        if any("time.sleep" in " ".join(row) for row in container.top()["Processes"]):
            return
        time.sleep(0.1)
    pytest.fail("the trial never started")


def test_leftovers_are_removed_by_label_only(client: Any, local_base: str) -> None:
    """Cleaning takes what carries the label, and nothing that only has a like name."""
    ours = client.containers.create(
        local_base, ["sleep", "60"], labels={"io.torchrig": "1", "io.torchrig.run": "old"}
    )
    other = client.containers.create(
        local_base, ["sleep", "60"], name=f"torchrig-{uuid.uuid4().hex}"
    )
    try:
        removed = remove_leftovers(client)
        names = {c.name for c in client.containers.list(all=True)}
    finally:
        other.remove(force=True)

    assert ours.name in removed
    assert other.name in names
