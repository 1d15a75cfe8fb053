"""Which library belongs to which environment (CASE 39)."""

from __future__ import annotations

import dataclasses

import pytest

from core import jsonio
from core.errors import ResultError
from kernels import store
from kernels.store import Identity, Record, key_of

IDENTITY = Identity("2.8.0+cu128", "12.8", True, "x86_64", "a" * 64)  # noqa: FBT003


def record(identity: Identity = IDENTITY, **changes) -> Record:
    base = Record(
        key=key_of(identity, "12.4", ("9.0",)),
        identity=identity,
        cuda=True,
        nvcc="12.4",
        nvcc_path="/usr/bin/nvcc",
        nvcc_gcc="/usr/bin/g++-13",
        cxx="/usr/bin/g++ 13.2.0",
        standard="-std=c++17",
        arch_list=("9.0",),
        reason="",
        remedy="",
        notes=(),
        seconds=1.0,
        library_sha256="",
    )
    return dataclasses.replace(base, **changes)


def plant(root, planted: Record, content: bytes = b"library", folder: str = ""):
    place = root / (folder or planted.key)
    place.mkdir(parents=True)
    (place / store.LIBRARY).write_bytes(content)
    digest = store.file_hash(place / store.LIBRARY)
    planted = dataclasses.replace(planted, library_sha256=digest)
    jsonio.write(place / store.RECORD, planted.to_dict())
    return place, planted


@pytest.mark.parametrize(
    "change",
    [
        {"torch": "1.13.1+cu117"},
        {"torch_cuda": "12.6"},
        {"cxx11_abi": False},
        {"machine": "aarch64"},
        {"source_hash": "b" * 64},
    ],
)
def test_anything_that_matters_changes_the_folder(change):
    """torch, CUDA, ABI, machine and source each give a folder of their own."""
    other = dataclasses.replace(IDENTITY, **change)

    assert key_of(IDENTITY, "12.4", ("9.0",)) != key_of(other, "12.4", ("9.0",))


def test_toolkit_and_architectures_change_the_folder():
    """The toolkit's release and the architecture list are part of the name; Python is not."""
    keys = {
        key_of(IDENTITY, "12.4", ("9.0",)),
        key_of(IDENTITY, "12.6", ("9.0",)),
        key_of(IDENTITY, "12.4", ("9.0+PTX",)),
        key_of(IDENTITY, "12.4", ()),
    }

    assert 4 == len(keys)
    assert not any("py" in key for key in keys)


def test_a_record_survives_the_file(tmp_path):
    """What is written is read back as it was, from the folder that bears its name."""
    place, planted = plant(tmp_path, record())

    assert [(place, planted)] == list(store.records(tmp_path))
    assert store.is_whole(place, planted)


def test_a_folder_under_another_name_does_not_count(tmp_path):
    """A build copied into the folder of another environment is passed over."""
    other = key_of(dataclasses.replace(IDENTITY, torch="1.13.1"), None, ())
    plant(tmp_path, record(), folder=other)

    assert [] == list(store.records(tmp_path))


def test_another_library_in_the_folder_is_noticed(tmp_path):
    """A library that is not the recorded one is not whole."""
    place, planted = plant(tmp_path, record())
    (place / store.LIBRARY).write_bytes(b"another")

    assert not store.is_whole(place, planted)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 99}', '{"schema": 1}'])
def test_a_damaged_record_hides_only_itself(tmp_path, text):
    """A cut-off, foreign or newer record is passed over; the others stay."""
    place, planted = plant(tmp_path, record())
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / store.RECORD).write_text(text)

    assert [(place, planted)] == list(store.records(tmp_path))


def test_a_newer_schema_is_refused():
    """A record of another schema is an error when read by itself."""
    with pytest.raises(ResultError, match="99"):
        Record.from_dict({**record().to_dict(), "schema": 99})


def test_where_builds_lie(tmp_path):
    """$TORCHRIG_KERNELS alone where set; otherwise the package's folder, then the cache."""
    cache = {"XDG_CACHE_HOME": str(tmp_path)}

    assert (tmp_path,) == store.roots({**cache, "TORCHRIG_KERNELS": str(tmp_path)})
    assert tmp_path / "torchrig" / "kernels" == store.roots(cache)[-1]
    assert "_build" == store.roots(cache)[0].name
    assert tmp_path == store.default_root({"TORCHRIG_KERNELS": str(tmp_path)})
