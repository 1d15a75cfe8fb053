"""An article is a file: adding one is enough, and a wrong one says where it is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InputError
from report.claims import floor
from report.claims.arithmetic import Arithmetic
from report.claims.cards import load_cards
from report.claims.judge import judge
from report.claims.load import ARTICLES, load_articles
from verbs import claims as verb

ROOT = Path(__file__).resolve().parents[2]
GOOD = """
schema = 1

[article]
title = "A third article"
language = "en"
card = "h200"

[environments.new]
title = "PyTorch 2.11"
torch = "2.11"

[rows.C1]
section = "sigmoid of 256M floats"
workload = "sigmoid"
variant = "builtin"
metric = "ms"
settings = { count = 256_000_000, dtype = "float32" }
work = { bytes = [2, 4, 256_000_000] }

[[claims]]
id = "C1.builtin"
row = "C1"
says = "torch.sigmoid: 0.485 ms"
value = 0.485
cell = { environment = "new", device = "cuda" }

[[claims]]
id = "C1.compiled"
row = "C1"
says = "compiled: 0.3 ms"
value = 0.3
cell = { environment = "new", device = "cuda", variant = "compiled" }

[[claims]]
id = "C1.ratio"
row = "C1"
says = "compiled is 2× faster"
metric = "ratio"
value = 2
bases = [{ label = "its row", pairs = [{ of = "C1.compiled", against = "C1.builtin" }] }]
"""


def written(folder: Path, *replaced: tuple[str, str], name: str = "article-c") -> Path:
    text = GOOD
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, *replaced: tuple[str, str]) -> str:
    with pytest.raises(InputError) as caught:
        load_articles(extra=[written(folder, *replaced)])
    return str(caught.value)


def test_a_file_more_is_an_article_more(tmp_path: Path) -> None:
    """Nothing else has to be touched: the new claims are judged beside the others."""
    for path in ARTICLES.glob("*.toml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    written(tmp_path)

    claims = judge(load_articles(tmp_path)).of("article-c")
    found = {claim.figure.id: claim for claim in claims}

    assert ["C1.builtin", "C1.compiled", "C1.ratio"] == list(found)
    assert Arithmetic.DOES_NOT_FOLLOW is found["C1.ratio"].arithmetic.status
    assert floor.Limit.POSSIBLE is found["C1.builtin"].floor.status
    assert floor.Limit.BEATS is found["C1.compiled"].floor.status


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "value = 0.485",
            "valeu = 0.485",
            "(C1.builtin).valeu: is not a known key. Perhaps you meant value",
        ),
        (
            'metric = "ms"',
            'metirc = "ms"',
            "rows.C1.metirc: is not a known key. Perhaps you meant metric",
        ),
        ("bytes = [", "byts = [", "rows.C1.work.byts: is not a known key. Perhaps you meant bytes"),
        ('title = "A third article"', "", "article.title: is missing"),
        ('metric = "ms"', 'metric = "msec"', "rows.C1.metric: 'msec' will not do"),
        ("value = 0.485", 'value = "0.485"', "claims[0] (C1.builtin).value[0]: '0.485' will not"),
        ("value = 0.485", "value = -1.0", "claims[0] (C1.builtin).value[0]: -1.0 will not do"),
        ("value = 0.485", "value = nan", "claims[0] (C1.builtin).value[0]"),
        ("value = 2", 'kind = "range"\nvalue = 2', "(C1.ratio): kind 'range' takes two numbers"),
        ("value = 2", 'kind = "range"\nvalue = [3, 2]', "from its lower to its higher number"),
        ('row = "C1"', 'row = "C2"', "there is no row 'C2'. Perhaps you meant C1"),
        ('card = "h200"', 'card = "h20"', "there is no card 'h20'. Perhaps you meant h200"),
        ('of = "C1.compiled"', 'of = "C1.compield"', "Perhaps you meant C1.compiled"),
        (
            '{ environment = "new", device = "cuda" }',
            '{ environment = "neu", device = "cuda" }',
            "cell.environment: there is no environment 'neu'. Perhaps you meant new",
        ),
        ('against = "C1.builtin"', 'against = "C1.ratio"', "C1.ratio is a comparison"),
        ('against = "C1.builtin"', 'against = "A4.fp32"', "have different metrics"),
        ('cell = { environment = "new", device = "cuda" }', "", "(C1.builtin).cell: is missing"),
        ('metric = "ratio"\n', "", "ms compares nothing; perhaps you meant ratio"),
        ('id = "C1.builtin"', 'id = "A1.new"', "Two claims have the id A1.new"),
        ("schema = 1", "schema = 2", "has schema 2"),
        ("schema = 1", "schema = ", "is not valid TOML"),
        ('torch = "2.11"', 'torch = "two"', "environments.new.torch: 'two' will not do"),
    ],
)
def test_a_wrong_file_says_where_and_what_was_meant(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    """Place, what is wrong, and the nearest known key."""
    assert expected in refused(tmp_path, (old, new))


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    """Nobody corrects a file one message at a time."""
    message = refused(tmp_path, ("value = 0.485", "valeu = 0.485"), ('card = "h200"', "crad = 1"))

    assert "article.crad" in message
    assert "claims[0] (C1.builtin).valeu" in message


def test_two_articles_of_one_name_are_refused(tmp_path: Path) -> None:
    """A name chooses one."""
    with pytest.raises(InputError, match="two articles named article-a"):
        load_articles(extra=[written(tmp_path, name="article-a")])


def test_the_committed_files_are_read_without_a_fault() -> None:
    """Articles and cards as they stand."""
    assert ["article-a", "article-b"] == list(load_articles())
    assert {"rtx4090d", "rtx4090", "h200"} == set(load_cards())


def test_the_verb_takes_a_file_of_the_users_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`invoke claims --article FILE.toml` judges that file alone."""
    status = verb.claims(run=None, article=str(written(tmp_path)), json="-")
    data = json.loads(capsys.readouterr().out)

    assert 0 == status
    assert ["article-c"] == [article["name"] for article in data["articles"]]


def test_the_verb_names_the_nearest_article() -> None:
    """A typing error costs one line."""
    with pytest.raises(InputError, match="Perhaps you meant article-a"):
        verb.claims(run=None, article="artcle-a", json=None)


def test_the_task_writes_json_and_a_page(tmp_path: Path) -> None:
    """`invoke claims --json FILE` as a user types it."""
    out = tmp_path / "claims.json"
    done = subprocess.run(
        [sys.executable, "-m", "invoke", "claims", "--json", str(out)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert (0, "") == (done.returncode, done.stderr.replace(f"Claims: {out}\n", ""))
    assert "is not supported by its own tables" in " ".join(done.stdout.split())
    assert 1 == json.loads(out.read_text(encoding="utf-8"))["schema"]


def test_the_example_of_the_page_is_a_valid_article(tmp_path: Path) -> None:
    """docs/claims.md shows a whole file; whoever copies it gets a judgement."""
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    path = tmp_path / "example.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")

    claims = judge(load_articles(extra=[path])).of("example")

    assert ["T1.gpu", "T1.cpu", "T1.ratio"] == [claim.figure.id for claim in claims]
    assert Arithmetic.FOLLOWS is claims[2].arithmetic.status
