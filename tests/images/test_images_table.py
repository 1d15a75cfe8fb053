"""The table is read strictly, and everything wrong with it is said at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from images.config import Table, load_table
from images.lock import requirement_lines
from images.matrix import load_matrix
from images.paths import TABLE
from images.render import BUILDERS, render
from images.schema import is_image_reference

THIRD_ROW = """
[environments.torch26-cuda124]
title = "PyTorch 2.6.0 / CUDA 12.4"
base = "nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04"
toolkit_cuda = "12.4"
wheel_cuda = "12.4"
torch = "2.6.0"
torchvision = "0.21.0"
pythons = ["3.10"]
arch_list = ["8.9"]
"""


def table_with(tmp_path: Path, *changes: tuple[str, str], extra: str = "") -> Path:
    """A copy of the committed table with texts replaced; each must be there."""
    text = TABLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "environments.toml"
    path.write_text(text + extra, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    """The message with which a table is refused."""
    with pytest.raises(InputError) as caught:
        load_table(path)
    return str(caught.value)


def test_the_committed_table_is_good():
    """Two environments, the older one the baseline, both taken by default."""
    table = load_table()

    assert ("torch28-cuda124", "torch113-cuda117") == table.default_names
    assert "torch113-cuda117" == table.baseline
    assert "torchrig/torch28-cuda124:2.8.0-cu124" == table.default.tag


def test_a_third_row_needs_no_code(tmp_path: Path):
    """A row is all it takes, where the matrix knows its versions."""
    table = load_table(table_with(tmp_path, extra=THIRD_ROW))

    third = table.get("torch26-cuda124")
    lines = requirement_lines(third, "3.10", load_matrix())
    assert "torch==2.6.0" == lines[0]
    assert all("nvidia/cuda:12.4.1-cudnn-devel" in render(third, kind) for kind in BUILDERS)


def test_torch_28_has_no_wheel_for_cuda_124(tmp_path: Path):
    """The valid ones are named, and the one that a plain install gives."""
    message = refusal(table_with(tmp_path, ('wheel_cuda = "12.8"', 'wheel_cuda = "12.4"')))

    assert "environments.torch28-cuda124.wheel_cuda: torch 2.8.0 has no wheel for CUDA 12.4" in (
        message
    )
    assert "12.6, 12.8, 12.9, cpu, and a plain install gives 12.8" in message


def test_another_wheel_than_the_plain_one_is_pinned_by_its_tag(tmp_path: Path):
    """A row that says 12.6 must not be locked to the 12.8 that a plain install gives."""
    table = load_table(table_with(tmp_path, ('wheel_cuda = "12.8"', 'wheel_cuda = "12.6"')))

    lines = requirement_lines(table.default, "3.10", load_matrix())
    assert ["torch==2.8.0+cu126", "torchvision==0.23.0+cu126"] == lines[:2]


def test_ten_faults_are_said_in_one_go(tmp_path: Path):
    """Each with its place; none hides another."""
    path = table_with(
        tmp_path,
        ("baseline = ", 'baselin = "x"\nbaseline = '),
        ('"torch113-cuda117"', '"torch113"'),
        ('base = "nvidia/cuda:12.4.1', 'bas = "nvidia/cuda:12.4.1'),
        ('toolkit_cuda = "12.4"', "toolkit_cuda = 12.4"),
        ('torch = "2.8.0"', 'torch = "newest"'),
        ("requirements = []", 'requirements = ["--index-url=x"]'),
        ("default = true", 'default = "yes"'),
        ('torchvision = "0.14.1"', 'torchvision = "0.23.0"'),
        ('"8.6+PTX"]', '"8.9"]'),
        ('pythons = ["3.9", "3.10"]', 'pythons = ["3.9", "3.12"]'),
        ("11.7.1-cudnn8-devel", "11.7.0-cudnn8-runtime"),
    )

    message = refusal(path)
    new, old = "environments.torch28-cuda124", "environments.torch113-cuda117"
    places = [
        "baselin: is not a known field. Perhaps you meant baseline",
        "baseline: 'torch113' is not the name of an environment. Perhaps you meant torch113-",
        f"{new}.bas: is not a known field. Perhaps you meant base",
        f"{new}.base: is missing",
        f"{new}.toolkit_cuda: 12.4 will not do",
        f"{new}.torch: 'newest' will not do",
        f"{new}.requirements.0: '--index-url=x' will not do",
        f"{new}.default: 'yes' will not do",
        f"{old}.torchvision: 0.23.0 does not pair with torch 1.13.1; 0.14.1 does",
        f"{old}.arch_list: torch 1.13.1 rejects 8.9",
        f"{old}.arch_list: nvcc 11.7 cannot compile for 8.9",
        f"{old}.pythons: torch 1.13.1 has no wheels for Python 3.12",
        f"{old}.python: 3.10 is not one of this row's pythons",
        f"{old}.base: the publisher deleted nvidia/cuda:11.7.0; use nvidia/cuda:11.7.1",
        f"{old}.base: has no compiler",
    ]
    assert [] == [place for place in places if place not in message]
    assert f"{len(places)} problems" in message


def test_a_toolkit_that_is_not_the_base_s_is_refused(tmp_path: Path):
    """The field and the tag of NVIDIA's image say the same."""
    message = refusal(table_with(tmp_path, ('toolkit_cuda = "12.4"', 'toolkit_cuda = "12.6"')))

    assert "12.6 is not the toolkit of nvidia/cuda:12.4.1" in message


@pytest.mark.parametrize(
    ("field", "old"),
    [
        ("title", '"PyTorch 2.8.0 / CUDA 12.4 toolkit"'),
        ("base", '"nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04"'),
        ("torch", '"2.8.0"\ntorchvision'),
        ("arch_list", '"9.0+PTX"'),
        ("requirements", '"numpy<2"'),
        ("wheel_cuda", '"12.8"'),
        ("python", '"3.10"\npythons'),
    ],
)
@pytest.mark.parametrize(
    "payload",
    [
        r"x\nRUN touch /owned",
        r"2.8.0\n",
        r"8.6\" RUN x",
        "$(id)",
        "${HOME}",
        "a`id`",
        r"a\\",
        "-r /etc/passwd",
        "numpy @ https://example.com/x.whl",
        "",
    ],
)
def test_no_value_carries_instructions(tmp_path: Path, field: str, old: str, payload: str):
    """Quotes, newlines, dollars, backticks, options and addresses are refused by name of place."""
    _, _, rest = old.partition("\n")
    new = f'"{payload}"' + (f"\n{rest}" if rest else "")

    message = refusal(table_with(tmp_path, (old, new)))
    assert f".{field}" in message


def test_no_name_carries_instructions(tmp_path: Path):
    """An environment's name becomes a tag, a path and a label."""
    path = table_with(tmp_path, ("[environments.torch28-cuda124]", '[environments."../x"]'))

    assert "environments.../x.name: '../x' will not do" in refusal(path)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04", True),
        ("registry.example.com:5000/a/b_c:v1", True),
        ("debian@sha256:" + "0" * 64, True),
        ("local/dev-bullseye", True),
        ("scratch AS x", False),
        ("a:b:c", False),
        ("A/b", False),
        ("a\n", False),
        ("--platform=x", False),
        ("a" * 256, False),
        ("", False),
    ],
)
def test_image_references_are_told_from_other_text(text: str, good: bool):  # noqa: FBT001
    """What stands after FROM is an image reference and nothing else."""
    assert good == is_image_reference(text)


@pytest.mark.parametrize(
    ("schema", "hint"), [("2", "Update the tool"), ("true", "schema = 1"), ('"1"', "schema = 1")]
)
def test_another_schema_is_refused(tmp_path: Path, schema: str, hint: str):
    """A newer table is not half understood."""
    assert hint in refusal(table_with(tmp_path, ("schema = 1", f"schema = {schema}")))


@pytest.mark.parametrize(
    "text", ["", "schema = 1", "schema = 1\nenvironments = 3", "schema = 1\n[environments]"]
)
def test_an_empty_table_is_refused(tmp_path: Path, text: str):
    """With a message, not a traceback."""
    path = tmp_path / "environments.toml"
    path.write_text(text, encoding="utf-8")

    assert str(path) in refusal(path)


def test_a_row_that_is_no_table_is_refused(tmp_path: Path):
    """With its place."""
    path = tmp_path / "environments.toml"
    path.write_text('schema = 1\nbaseline = "a"\n[environments]\na = 3\n', encoding="utf-8")

    assert "environments.a: must be a table of fields" in refusal(path)


def test_broken_toml_is_said_with_its_line(tmp_path: Path):
    """The place comes from the parser."""
    assert "line 4" in refusal(table_with(tmp_path, ("schema = 1", "schema =")))


def test_an_absent_table_is_refused(tmp_path: Path):
    """The file is named."""
    assert "is not a file" in refusal(tmp_path / "none.toml")


def test_an_unknown_environment_gives_the_nearest():
    """A typing error is answered with what was meant."""
    table: Table = load_table()
    with pytest.raises(InputError) as caught:
        table.get("torch28-cuda128")

    assert "Perhaps you meant torch28-cuda124" in str(caught.value)


def test_every_row_of_the_matrix_has_a_source_and_a_date():
    """Nothing in it is from memory."""
    matrix = load_matrix()
    rows = [*matrix.torch.values(), *matrix.toolkit.values(), *matrix.removed_tags.values()]

    assert [] == [row for row in rows if not row.get("source") or not row.get("date")]
    assert [] == [
        row for row in matrix.torch.values() if row["plain_cuda"] not in row["wheel_cuda"]
    ]
