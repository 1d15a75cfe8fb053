"""The venv engine with real, tiny environments."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from core.errors import EngineError, InputError
from engines import venv_build
from engines.base import Target
from engines.pythons import Interpreter, ask
from engines.uv import find_uv, uv_environment
from engines.venv import VenvEngine, home_folder, session_environment
from engines.venv_build import MARKER, Built

ROOT = Path(__file__).resolve().parents[2]
REAL = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="module")
def lock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lock of one small package, taken with its hashes from the host side's own lock."""
    text = (ROOT / "requirements/host.txt").read_text(encoding="utf-8")
    found = re.search(r"^packaging==(?:.*\\\n)+.*\n", text, re.MULTILINE)
    assert found is not None
    path = tmp_path_factory.mktemp("lock") / "py.txt"
    path.write_text(found.group(0))
    return path


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> VenvEngine:
    """An engine whose environments lie in a folder with a space in its name."""
    return VenvEngine(home=tmp_path_factory.mktemp("rig home"), interpreters=interpreters())


@pytest.fixture(scope="module")
def built(engine: VenvEngine, lock: Path) -> Iterator[Built]:
    """One environment, really installed."""
    return engine.prepare(target(lock))


def interpreters() -> tuple[Interpreter, ...]:
    """The Python that runs this test."""
    own = ask(Path(sys.executable))
    assert own is not None
    return (own,)


def target(lock: Path | None) -> Target:
    """A small environment."""
    return Target("tiny", {"schema": 1, "name": "tiny"}, None, lock, REAL, (REAL,))


def test_environment_holds_the_lock_and_nothing_of_the_host(engine: VenvEngine, lock: Path) -> None:
    """What the lock names is there, and what only the host side has is not."""
    code = (
        "import importlib.util as u, packaging, sys, json\n"
        "print(json.dumps([u.find_spec('invoke') is None, sys.prefix, packaging.__file__]))"
    )
    with engine.open(target(lock), device="cpu", label="t") as session:
        outcome = session.python(["-c", code], timeout_s=60)
    alone, prefix, where = json.loads(outcome.stdout)

    assert (True, 0) == (alone, outcome.returncode)
    assert where.startswith(prefix)
    assert "rig home" in prefix


def test_second_time_nothing_is_installed(tmp_path: Path, lock: Path) -> None:
    """A whole environment is used as it is."""
    engine = VenvEngine(home=tmp_path, interpreters=interpreters())
    first, again = engine.prepare(target(lock)), engine.prepare(target(lock))

    assert (False, True) == (first.reused, again.reused)
    assert first.folder == again.folder


def test_description_travels_with_its_engine(built: Built) -> None:
    """The environment's own description names the engine that made it."""
    described = json.loads((built.folder / "environment.json").read_text())

    assert {"schema": 1, "name": "tiny", "engine": "venv"} == described


def test_missing_extension_is_a_recorded_reason(built: Built) -> None:
    """Without torch there is no extension; the environment stands all the same."""
    assert built.kernels is None
    assert built.record["kernels_reason"].startswith("The extension could not be built: ")


def test_incomplete_environment_is_made_again(engine: VenvEngine, lock: Path) -> None:
    """Without its marker an environment is not trusted."""
    first = engine.prepare(target(lock))
    (first.folder / MARKER).unlink()
    (first.folder / "half").touch()
    second = engine.prepare(target(lock))

    assert (False, False) == (second.reused, (second.folder / "half").exists())


def test_environment_whose_python_is_gone_is_made_again(engine: VenvEngine, lock: Path) -> None:
    """An interpreter that was uninstalled under an environment is noticed."""
    first = engine.prepare(target(lock))
    first.python.unlink()
    first.python.symlink_to("/nowhere/python3")
    second = engine.prepare(target(lock))

    assert not second.reused
    assert ask(second.python) is not None


def test_wrong_hash_installs_nothing_and_is_not_kept(tmp_path: Path, lock: Path) -> None:
    """A package that is not the locked one is refused, and no marker is written."""
    bad = tmp_path / "bad.txt"
    bad.write_text(re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, lock.read_text()))
    engine = VenvEngine(home=tmp_path / "home", interpreters=interpreters())
    with pytest.raises(EngineError, match="could not be installed"):
        engine.prepare(target(bad))

    assert [] == list((tmp_path / "home").glob(f"venvs/*/{MARKER}"))


def test_lock_without_hashes_is_refused(tmp_path: Path) -> None:
    """A lock must carry hashes."""
    bare = tmp_path / "bare.txt"
    bare.write_text("packaging==24.0\n")
    engine = VenvEngine(home=tmp_path / "home", interpreters=interpreters())
    with pytest.raises(EngineError, match="hash"):
        engine.prepare(target(bare))


def test_no_python_says_exactly_what_to_do(
    tmp_path: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none is found and uv may not install one, the error names both ways."""
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    wanted = Target("tiny", {}, None, lock, "3.77", ("3.77", "3.10"))
    with pytest.raises(EngineError) as caught:
        VenvEngine(home=tmp_path, interpreters=()).prepare(wanted)

    assert "No Python 3.77" in caught.value.what
    assert all(word in caught.value.remedy for word in ("apt-get", "pyenv", "--python", "3.10"))


def test_missing_lock_is_an_error(tmp_path: Path) -> None:
    """Without a lock nothing is installed."""
    with pytest.raises(EngineError, match="invoke lock --env tiny"):
        VenvEngine(home=tmp_path).prepare(target(tmp_path / "none.txt"))


def test_session_is_clean(engine: VenvEngine, lock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caller's libraries, caches and Python settings stay out; CUDA's own variables come in."""
    for name in ("LD_LIBRARY_PATH", "PYTHONSTARTUP", "OMP_NUM_THREADS", "TORCH_HOME"):
        monkeypatch.setenv(name, "/foreign")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    code = "import os, json; print(json.dumps([dict(os.environ), os.getcwd()]))"
    with engine.open(target(lock), device="cpu", label="t") as session:
        seen, folder = json.loads(session.python(["-c", code], timeout_s=60).stdout)

    assert [] == [name for name, value in seen.items() if value == "/foreign"]
    assert "1" == seen["CUDA_VISIBLE_DEVICES"]
    assert str(ROOT) == seen["PYTHONPATH"]
    assert [folder, folder] == [seen["HOME"], seen["TMPDIR"]]
    assert not Path(folder).exists()
    assert seen["PATH"].split(os.pathsep)[0] == f"{session.identity['folder']}/bin"
    assert f"{session.identity['folder']}/environment.json" == seen["TORCHRIG_ENVIRONMENT"]


def test_ends_are_told_apart(engine: VenvEngine, lock: Path) -> None:
    """A limit, a kill and a crash are three different ends."""
    with engine.open(target(lock), device="cpu", label="t") as session:
        late = session.python(["-c", "import time; time.sleep(600)"], timeout_s=1)
        killed = session.python(["-c", "import os; os.kill(os.getpid(), 9)"], timeout_s=60)
        crashed = session.python(["-c", "import os; os.kill(os.getpid(), 11)"], timeout_s=60)

    assert [(True, False), (False, True), (False, False)] == [
        (each.timed_out, each.lost) for each in (late, killed, crashed)
    ]
    assert "signal 11" in crashed.reason


def test_extension_folder_is_handed_to_sessions(tmp_path: Path) -> None:
    """A prebuilt extension is named in the session's environment."""
    built = Built(tmp_path, tmp_path / "bin/python", tmp_path / "k", reused=True)

    assert f"{tmp_path}/k" == session_environment(built, {})["TORCHRIG_KERNELS"]


def test_extension_is_built_once_per_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extension is built again when its sources changed, and only then."""
    calls: list[Path] = []
    state = {"hash": "a"}

    def fake_build(_folder: Path, out: Path) -> venv_build.cmd.Completed:
        calls.append(out)
        out.mkdir()
        return venv_build.cmd.Completed(("python",), 0, "", "")

    monkeypatch.setattr(venv_build, "_run_kernels_build", fake_build)
    monkeypatch.setattr(venv_build, "tree_hash", lambda *_: state["hash"])
    venv_build.build_kernels(tmp_path)
    venv_build.build_kernels(tmp_path)
    state["hash"] = "b"
    venv_build.build_kernels(tmp_path)

    assert 2 == len(calls)


def test_home_can_be_moved() -> None:
    """TORCHRIG_HOME names another place; without it the checkout holds the environments."""
    assert Path("/data/rig") == home_folder({"TORCHRIG_HOME": "/data/rig"})
    assert Path("/rig/.torchrig") == home_folder({}, Path("/rig"))


def test_pip_settings_become_those_of_uv() -> None:
    """Index, links and certificates of pip serve uv, unless uv has its own."""
    env = uv_environment(
        {
            "PIP_INDEX_URL": "https://a/simple",
            "PIP_EXTRA_INDEX_URL": "https://b/simple https://c/simple",
            "PIP_FIND_LINKS": "/x /y",
            "PIP_CERT": "/ca.pem",
            "VIRTUAL_ENV": "/host",
        }
    )
    own = uv_environment({"PIP_INDEX_URL": "https://a", "UV_INDEX_URL": "https://own"})

    assert "https://a/simple" == env["UV_DEFAULT_INDEX"]
    assert "https://b/simple https://c/simple" == env["UV_INDEX"]
    assert ("/x,/y", "/ca.pem") == (env["UV_FIND_LINKS"], env["SSL_CERT_FILE"])
    assert "VIRTUAL_ENV" not in env
    assert "UV_DEFAULT_INDEX" not in own


def test_uv_really_takes_the_mapped_settings(tmp_path: Path, lock: Path) -> None:
    """An index that pip was told to use, and that does not answer, is the one uv asks."""
    env = uv_environment({**os.environ, "PIP_INDEX_URL": "http://127.0.0.1:1/simple"})
    env = {k: v for k, v in env.items() if k not in ("UV_FIND_LINKS", "UV_INDEX")}
    command = [find_uv(), "pip", "install", "--no-cache", "--dry-run", "--target", tmp_path]
    done = subprocess.run(
        [*command, "-r", lock],
        env={**env, "UV_HTTP_RETRIES": "0"},
        capture_output=True,
        check=False,
    )

    assert 0 != done.returncode
    assert b"127.0.0.1:1" in done.stderr


def test_a_checkout_with_a_space_keeps_environments_elsewhere() -> None:
    """torch.compile's linker cannot take white space, so the cache folder serves."""
    root = Path("/home/a b/rig")
    first = home_folder({"HOME": "/home/ab"}, root)
    other = home_folder({"HOME": "/home/ab"}, Path("/home/a c/rig"))

    assert Path("/home/ab/.cache/torchrig") == first.parent
    assert first != other
    assert Path("/x/torchrig") == home_folder({"XDG_CACHE_HOME": "/x"}, root).parent


@pytest.mark.parametrize("environ", [{"TORCHRIG_HOME": "/a b"}, {"HOME": "/home/a b"}])
def test_a_home_with_a_space_is_refused_with_the_way_out(environ: dict[str, str]) -> None:
    """Better no environment than one whose compiled rows cannot link."""
    with pytest.raises(InputError, match="TORCHRIG_HOME=/var/tmp/torchrig"):
        home_folder(environ, Path("/home/a b/rig"))
