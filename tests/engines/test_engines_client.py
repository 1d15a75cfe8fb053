"""Reaching Docker, with sockets and addresses that really fail."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.errors import EngineError
from engines import client, endpoint

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def default_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the default socket be a path of this test, and nothing else name an engine."""
    path = tmp_path / "docker.sock"
    monkeypatch.setattr(endpoint, "DEFAULT_SOCKET", path)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    return path


def serve(answer: dict[str, Any]) -> HTTPServer:
    """A server that answers every request with one JSON object."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.mark.usefixtures("default_socket")
def test_no_socket_is_absent() -> None:
    """Without a socket file and without an address there is no engine."""
    assert "absent" == client.probe().status
    with pytest.raises(EngineError, match="no Docker engine"):
        client.connect()


def test_socket_file_without_listener_is_dead(default_socket: Path) -> None:
    """A socket that nobody listens on is a dead daemon, with the way to start it."""
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(default_socket))
    facts = client.probe()

    assert "dead" == facts.status
    with pytest.raises(EngineError, match="systemctl start docker"):
        client.connect()


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_socket_without_permission_is_denied(default_socket: Path) -> None:
    """A socket that refuses this user is told from one that is dead, with three ways out."""
    for folder in (default_socket.parent, *default_socket.parent.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o001)
    code = (
        "import os, sys, pathlib\n"
        "from engines import client, endpoint\n"
        "import docker.context\n"
        f"endpoint.DEFAULT_SOCKET = pathlib.Path({str(default_socket)!r})\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "facts = client.probe()\n"
        "print(facts.status); print(client.explain(facts))\n"
    )
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(default_socket))
        listening.listen()
        default_socket.chmod(0o660)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
        )
    status, _, message = done.stdout.partition("\n")

    assert ("denied", "") == (status, done.stderr)
    assert all(word in message for word in ("usermod", "newgrp", "rootless", "sudo"))


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "unix:///nowhere/docker.sock", "nonsense", "ssh://host"]
)
@pytest.mark.usefixtures("default_socket")
def test_named_engine_that_does_not_answer_is_unreachable(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address that a person named is never taken as 'no engine'."""
    monkeypatch.setenv("DOCKER_HOST", address)

    assert "unreachable" == client.probe().status
    with pytest.raises(EngineError, match="DOCKER_HOST"):
        client.connect()


@pytest.mark.usefixtures("default_socket")
def test_silent_address_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that accepts and says nothing does not hold the caller for ever."""
    monkeypatch.setattr(client, "ANSWER_S", 0.2)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{mute.getsockname()[1]}")
        facts = client.probe()

    assert "unreachable" == facts.status
    assert "No answer within 0.2 s." == facts.detail


@pytest.mark.usefixtures("default_socket")
def test_credentials_in_an_address_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts and errors name the address without its password."""
    monkeypatch.setenv("DOCKER_HOST", "tcp://user:secret@127.0.0.1:1")
    facts = client.probe()

    assert "secret" not in f"{facts} {client.explain(facts)}"
    assert "127.0.0.1:1" in str(client.explain(facts))


@pytest.mark.usefixtures("default_socket")
def test_old_engine_is_refused_with_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that speaks an older API is told to be updated."""
    server = serve({"ApiVersion": "1.39", "Version": "18.09.9"})
    monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
    try:
        facts = client.probe()
    finally:
        server.shutdown()
        server.server_close()

    assert "too-old" == facts.status
    assert all(word in str(client.explain(facts)) for word in ("1.39", "1.41", "20.10"))


def test_context_names_the_engine(default_socket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A context is followed, and one that does not exist is an error."""
    from docker.context import ContextAPI

    config = default_socket.parent / "config"
    config.mkdir()
    (config / "config.json").write_text("{}")
    ContextAPI.create_context("far", host="tcp://127.0.0.1:1")
    monkeypatch.setenv("DOCKER_CONTEXT", "far")
    facts = client.probe()
    monkeypatch.setenv("DOCKER_CONTEXT", "missing")

    assert ("unreachable", "context far") == (facts.status, facts.source)
    with pytest.raises(EngineError, match="context missing does not exist"):
        client.probe()


def test_rootless_socket_is_found(default_socket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rootless engine's socket is used where the default one is absent."""
    folder = default_socket.parent / "run"
    folder.mkdir()
    (folder / "docker.sock").touch()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    place = endpoint.endpoint()
    env = endpoint.command_environment(place, {})

    assert "rootless socket" == place.source
    assert {"DOCKER_HOST": f"unix://{folder}/docker.sock"} == env


def test_facts_are_read_off_the_engine_answers() -> None:
    """Snap, rootless, runtimes and CDI folders come from the engine's own info."""
    info = {
        "Driver": "overlay2",
        "DockerRootDir": "/var/snap/docker/common/var-lib-docker",
        "Runtimes": {"runc": {}, "nvidia": {}},
        "CDISpecDirs": ["/etc/cdi"],
        "SecurityOptions": ["name=rootless"],
    }
    place = endpoint.Endpoint("unix:///x", "default socket")
    facts = client.facts_from(place, info, {"Version": "28.0", "ApiVersion": "1.48"}, None)

    assert (True, True) == (facts.snap, facts.rootless)
    assert (("nvidia", "runc"), ("/etc/cdi",)) == (facts.runtimes, facts.cdi_dirs)


@pytest.mark.docker
def test_real_engine_answers() -> None:
    """The engine of this machine gives its version and where its data lies."""
    facts = client.probe()

    assert facts.usable
    assert all((facts.version, facts.api_version, facts.storage_driver, facts.data_root))
