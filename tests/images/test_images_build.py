"""Only what is proven gets a name, and nothing else is left in the engine."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.errors import BuildError, CheckFailed, InputError
from images import build as building
from images import buildx, verify
from images.baseimage import _split, local_id
from images.build import BuildOptions, build
from images.built import _unpacked
from images.classic import follow
from images.config import load_table
from images.tree import import_tree

ENVIRONMENT = load_table().get("torch113-cuda117")
EMPTY_BASE = "torchrig/test-empty:base"


@pytest.fixture
def client() -> Iterator[Any]:
    """The engine's client."""
    from engines.client import connect

    with closing(connect()) as connected:
        yield connected


@pytest.fixture
def empty_base(client: Any, tmp_path: Path) -> Iterator[str]:
    """An image with one file and no shell: the cheapest base that a step fails on."""
    (tmp_path / "file").touch()
    import_tree(client, tmp_path, EMPTY_BASE, [])
    family = [local_id(client, EMPTY_BASE)]
    yield EMPTY_BASE
    for parent in family:  # grows while it is walked: children come after their parents
        family += [
            image.id for image in client.images.list(all=True) if image.attrs["Parent"] == parent
        ]
    for image_id in reversed(family):
        client.api.remove_image(image_id, force=True, noprune=True)


def left_over(client: Any) -> list[str]:
    """Temporary tags of builds and containers of this tool's."""
    tags = [tag for image in client.images.list() for tag in image.tags if ":building-" in tag]
    label = {"label": "io.torchrig.run=verify"}
    names = [container.name for container in client.containers.list(all=True, filters=label)]
    return [*tags, *names]


@pytest.mark.docker
def test_a_registry_that_cannot_be_reached_is_said_and_leaves_nothing(client: Any):
    """A name that resolves nowhere; the three ways out are in the message."""
    before = local_id(client, ENVIRONMENT.tag)
    with pytest.raises(BuildError) as caught:
        build(ENVIRONMENT, BuildOptions(registry="registry.invalid"), say=lambda _: None)

    message = str(caught.value)
    assert "The image registry cannot be reached" in message
    assert [] == [way for way in ("--registry", "invoke base", "--base") if way not in message]
    assert [] == left_over(client)
    assert before == local_id(client, ENVIRONMENT.tag)


@pytest.mark.docker
@pytest.mark.parametrize("builder", ["buildkit", "classic"])
def test_a_step_that_fails_leaves_nothing(
    client: Any, empty_base: str, builder: str, absent: Callable[[str], None]
):
    """The first step has no shell to run in."""
    if builder == "buildkit" and not buildx.answers():
        absent("the buildx plug-in is not installed")
    before = local_id(client, ENVIRONMENT.tag)
    with pytest.raises(BuildError) as caught:
        build(ENVIRONMENT, BuildOptions(base=empty_base, builder=builder), say=lambda _: None)

    assert "/bin/sh" in str(caught.value)
    assert [] == left_over(client)
    assert before == local_id(client, ENVIRONMENT.tag)


@pytest.mark.docker
def test_an_image_without_envcheck_is_not_proven_and_leaves_no_container(
    client: Any, empty_base: str
):
    """A container that cannot even start is a failed check, not a traceback."""
    with pytest.raises(CheckFailed) as caught:
        verify.verify(client, empty_base, ENVIRONMENT.name)

    assert "python" in caught.value.why
    assert [] == left_over(client)


def test_buildkit_that_is_not_there_is_not_replaced_in_silence(monkeypatch: pytest.MonkeyPatch):
    """Asked for by name, it is an error; left open, the classic builder serves."""
    monkeypatch.setattr(buildx, "answers", lambda: False)
    with pytest.raises(InputError):
        building._builder(BuildOptions(builder="buildkit"))

    assert "classic" == building._builder(BuildOptions())


def test_a_proxy_s_value_is_not_on_the_command_line():
    """It may hold a password; BuildKit takes it from the environment by name."""
    command = buildx.buildx_command(
        Path("folder"),
        "name:tag",
        {"UID": "1000", "APT_MIRROR": ""},
        ca=Path("ca.pem"),
        proxies=["https_proxy"],
        network="host",
    )

    expected = (
        "docker buildx build --builder default --load --progress plain --tag name:tag "
        "--network host --build-arg UID=1000 --build-arg https_proxy "
        "--secret id=ca,src=ca.pem folder"
    )
    assert expected == " ".join(command)


def test_the_classic_log_keeps_its_error_and_not_its_progress_bars():
    """What the engine streams, read to the end."""
    said: list[str] = []
    events = [
        {"stream": "\x1b[91mStep 1/2 : FROM x\n\x1b[0m"},
        {"status": "Downloading", "id": "abc", "progressDetail": {"current": 1}},
        {"status": "Pull complete", "id": "abc", "progressDetail": {}},
        {"error": "manifest unknown"},
    ]

    log, failure = follow(events, said.append)
    assert ["Step 1/2 : FROM x", "abc Pull complete"] == said == log.splitlines()
    assert "manifest unknown" == failure


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nvidia/cuda:12.4.1-devel", ("nvidia/cuda", "12.4.1-devel")),
        ("debian", ("debian", "latest")),
        ("host:5000/a/b", ("host:5000/a/b", "latest")),
        ("a@sha256:00", ("a@sha256:00", None)),
    ],
)
def test_a_reference_is_split_at_its_tag(image: str, expected: tuple[str, str | None]):
    """A port is not a tag."""
    assert expected == _split(image)


@pytest.mark.parametrize("machine", ["arm64", "ppc64le"])
def test_another_architecture_is_refused(machine: str):
    """The locks are for x86-64."""

    class Engine:
        def version(self) -> dict[str, str]:
            return {"Arch": machine}

    with pytest.raises(BuildError) as caught:
        building._refuse_other_machines(Engine())
    assert machine in str(caught.value)


def test_a_failed_check_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch):
    """What was measured, what was expected, what to do."""
    finding = {
        "id": "torch", "title": "torch", "status": "fail", "measured": "2.8.0",
        "expected": "1.13.1", "reason": "another version is installed", "remedy": "Build again.",
    }  # fmt: skip
    output = json.dumps({"schema": 1, "findings": [finding]})
    monkeypatch.setattr(verify, "run", lambda *_: (1, output, ""))
    with pytest.raises(CheckFailed) as caught:
        verify.verify(None, "image", "torch113-cuda117")

    assert "torch: measured 2.8.0, expected 1.13.1" in caught.value.why
    assert "Build again." == caught.value.remedy


def test_a_verdict_without_json_is_not_a_pass(monkeypatch: pytest.MonkeyPatch):
    """An envcheck that breaks says so."""
    monkeypatch.setattr(verify, "run", lambda *_: (1, "", "ModuleNotFoundError: torch"))
    with pytest.raises(CheckFailed) as caught:
        verify.verify(None, "image", "torch113-cuda117")

    assert "ModuleNotFoundError" in caught.value.why


def test_a_description_is_read_out_of_the_engine_s_archive():
    """The image's own words, not the table's."""
    content = json.dumps({"python": "3.9"}).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("environment.json")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))

    assert {"python": "3.9"} == _unpacked(buffer.getvalue())
