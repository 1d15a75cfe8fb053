"""The subprocess function: real processes, real deaths."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.errors import EngineError
from engines import cmd

PYTHON = sys.executable


def alive(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    """Give the kernel time to take a killed process down."""
    for _ in range(200):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


def test_output_and_status_come_back_apart() -> None:
    """Standard output, standard error and the exit status are told apart."""
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = cmd.run([PYTHON, "-c", code])

    assert ("out\n", "err\n", 3, False) == (done.stdout, done.stderr, done.returncode, done.ok)


def test_arguments_are_never_a_shell_string() -> None:
    """What would mean something to a shell arrives as it is."""
    done = cmd.run([PYTHON, "-c", "import sys; print(sys.argv[1])", "$(id); `id` > x"])

    assert "$(id); `id` > x\n" == done.stdout


def test_missing_program_is_named_with_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not there is an error that names it and PATH."""
    monkeypatch.setenv("PATH", "/nowhere:/neither")
    with pytest.raises(EngineError) as caught:
        cmd.run(["no-such-program"])

    assert "no-such-program" in caught.value.what
    assert "/nowhere:/neither" in caught.value.why


def test_missing_working_folder_is_an_error(tmp_path: Path) -> None:
    """A working folder that is not there is our error, not a raw one."""
    with pytest.raises(EngineError, match="absent"):
        cmd.run([PYTHON, "-c", ""], cwd=tmp_path / "absent")


def test_timeout_kills_the_whole_group(tmp_path: Path) -> None:
    """At the limit grandchildren die too, also those that ignore SIGTERM."""
    note = tmp_path / "pid"
    child = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    code = (
        "import subprocess, sys, time, pathlib\n"
        f"p = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(p.pid))\n"
        "time.sleep(600)\n"
    )
    done = cmd.run([PYTHON, "-c", code], timeout_s=3)

    assert done.timed_out
    assert wait_until_gone(int(note.read_text()))


def test_child_that_outlives_its_parent_does_not_hang_the_caller(tmp_path: Path) -> None:
    """A grandchild that holds the output open is ended with its parent."""
    note = tmp_path / "pid"
    code = (
        "import subprocess, sys, pathlib\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(p.pid))\n"
    )
    done = cmd.run([PYTHON, "-c", code], timeout_s=60)

    assert done.ok
    assert wait_until_gone(int(note.read_text()))


def test_interrupt_kills_the_group_and_propagates(tmp_path: Path) -> None:
    """Ctrl-C ends the child and still reaches the caller."""
    note = tmp_path / "pid"
    inner = (
        f"import os, pathlib, time; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); "
        "time.sleep(600)"
    )
    outer = f"from engines import cmd; import sys; cmd.run([sys.executable, '-c', {inner!r}])"
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen([PYTHON, "-c", outer], cwd=root, stderr=subprocess.PIPE)
    while not (note.exists() and note.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert b"KeyboardInterrupt" in errors
    assert wait_until_gone(int(note.read_text()))


def test_output_is_bounded() -> None:
    """A flood is read to its end, kept up to the limit, and marked."""
    code = "import sys; sys.stdout.write('a' * 5_000_000)"
    done = cmd.run([PYTHON, "-c", code], stdout_limit=1000)

    assert ("a" * 1000, True, 0) == (done.stdout, done.truncated, done.returncode)


def test_stderr_keeps_its_last_bytes() -> None:
    """Of a long log the end is kept, where the error stands."""
    code = "import sys; sys.stderr.write('a' * 4_000_000 + 'the end')"
    done = cmd.run([PYTHON, "-c", code])

    assert cmd.TAIL_LIMIT == len(done.stderr)
    assert done.stderr.endswith("the end")


def test_streaming_shows_output_live_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    """With stream, both outputs and the command go to standard error, none to standard output."""
    code = "import sys; print('one'); print('two', file=sys.stderr)"
    done = cmd.run([PYTHON, "-c", code], stream=True)
    shown = capfd.readouterr()

    assert "" == shown.out
    assert all(word in shown.err for word in ("+ ", "one", "two"))
    assert "one\n" == done.stdout


def test_input_is_fed_and_absent_input_is_empty() -> None:
    """A program reads what it is given, and end-of-file where it is given nothing."""
    code = "import sys; print(repr(sys.stdin.read()))"

    assert "'hello'\n" == cmd.run([PYTHON, "-c", code], input="hello").stdout
    assert "''\n" == cmd.run([PYTHON, "-c", code]).stdout


def test_environment_is_complete_not_added() -> None:
    """What is given as the environment is all of it."""
    code = "import os; print(sorted(k for k in os.environ if k.startswith('TORCHRIG_')))"
    env = {"PATH": os.environ["PATH"], "TORCHRIG_X": "1"}

    assert "['TORCHRIG_X']\n" == cmd.run([PYTHON, "-c", code], env=env).stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:secret@host/simple", "https://***@host/simple"),
        ("tcp://token@1.2.3.4:2376", "tcp://***@1.2.3.4:2376"),
        ("https://host/a@b", "https://host/a@b"),
    ],
)
def test_credentials_are_hidden(text: str, expected: str) -> None:
    """Names and passwords in addresses are never shown."""
    assert expected == cmd.hide_credentials(text)


def test_killed_process_has_a_negative_status() -> None:
    """A signal is told from an exit status."""
    done = cmd.run([PYTHON, "-c", "import os; os.kill(os.getpid(), 9)"])

    assert -9 == done.returncode
