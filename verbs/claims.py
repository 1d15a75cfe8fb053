"""`invoke claims`: judge published claims by arithmetic, by the card's limits and by a run."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from core import jsonio
from core.errors import InputError
from report.claims import terminal, toml
from report.claims.evidence import read_run
from report.claims.judge import dump, judge
from report.claims.load import load_articles
from verbs.front import say


def claims(*, run: Path | None, article: str | None, json: str | None) -> int:
    """Judge every claim, or those of one article.

    Args:
        run: a run's folder or report.json; None judges without measurements.
        article: an article's name, or a TOML file that is not among them.
        json: a file for the judgement (``-``: standard output, nothing else there).

    Returns:
        0: what an article got wrong is no fault of this machine.

    Raises:
        InputError: there is no such article or run, or an article's file is wrong.
        ResultError: the run's report cannot be read.
    """
    own = [Path(article)] if article and article.endswith(".toml") else []
    articles = load_articles(extra=own)
    chosen = [own[0].stem] if own else [article] if article else []
    for name in chosen:
        if name not in articles:
            raise InputError(f"There is no article {name!r}.", remedy=toml.nearest(name, articles))
    judgement = judge(articles, chosen=chosen, evidence=read_run(run) if run else None)
    if json == "-":
        sys.stdout.write(jsonio.dumps(dump(judgement)))
        return 0
    terminal.render(judgement, Console())
    if json:
        jsonio.write(Path(json), dump(judgement))
        say(f"Claims: {json}")
    return 0
