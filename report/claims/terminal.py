"""Claims on a terminal, readable at 80 columns."""

from __future__ import annotations

from typing import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from report import format as shown
from report.claims.against import ClaimVerdict, RunResult
from report.claims.answers import Here
from report.claims.arithmetic import Arithmetic
from report.claims.floor import FloorResult, Limit
from report.claims.judge import Judged, Judgement
from report.claims.quantities import amount
from report.claims.schema import Article, Metric
from report.claims.summary import summary
from report.notes import Note, merged
from report.text import printable

_STYLE = {
    Arithmetic.FOLLOWS.value: "green",
    Arithmetic.IN_PART.value: "yellow",
    Arithmetic.DOES_NOT_FOLLOW.value: "red",
    Limit.BEATS.value: "red",
    Limit.FAR.value: "yellow",
    Limit.POSSIBLE.value: "green",
    ClaimVerdict.REPRODUCED.value: "green",
    ClaimVerdict.NOT_REPRODUCED.value: "red",
    ClaimVerdict.DIRECTION_ONLY.value: "yellow",
    ClaimVerdict.INCONCLUSIVE.value: "yellow",
}
_NAME_WIDTH = 20
_SAYS_WIDTH = 22
_VERDICT_WIDTH = 14

Cells = tuple[RenderableType, ...]


def render(judgement: Judgement, console: Console) -> None:
    """Print every claim: without a run its arithmetic and limit, with one its verdict."""
    parts: list[RenderableType] = [_title("In short")]
    parts += [_bullet(line) for line in summary(judgement)]
    for name, article in judgement.articles.items():
        parts += _article(name, article, judgement.of(name))
    console.print(Group(*parts))


def _article(name: str, article: Article, claims: Sequence[Judged]) -> list[RenderableType]:
    about = article.article
    parts: list[RenderableType] = [_title(f"{name}: {about.title}")]
    for label, said in (("claims to have used", [*about.hardware, *about.software]),):
        parts += [_dim(f"{label}: {', '.join(said)}")] if said else []
    parts += [_dim(f"measured by: {about.method}")] if about.method else []
    for row in dict.fromkeys(claim.figure.claim.row for claim in claims):
        own = [claim for claim in claims if claim.figure.claim.row == row]
        parts += [
            Padding(Text(f"{row}  {printable(own[0].figure.row.section)}", "bold"), (1, 0, 0, 0))
        ]
        parts.append(_grid(own))
    reasons = [_run_note(claim.figure.id, claim.run) for claim in claims if claim.run]
    parts += _notes("Why, claim by claim", merged(reasons))
    parts += _notes("What else differs", merged(_differences(claims)))
    return parts + _statements(article)


def _grid(claims: Sequence[Judged]) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=_NAME_WIDTH, overflow="fold")
    grid.add_column(width=_SAYS_WIDTH, overflow="fold")
    grid.add_column(ratio=1, overflow="fold")
    if any(claim.run for claim in claims):
        grid.add_column(width=_VERDICT_WIDTH, overflow="fold")
    for claim in claims:
        head = (Text(claim.figure.id), Text(printable(claim.figure.claim.says)))
        grid.add_row(*head, *(_against(claim, claim.run) if claim.run else (_alone(claim),)))
    grid.expand = True
    return grid


def _alone(claim: Judged) -> RenderableType:
    lines = _arithmetic(claim)
    if not claim.figure.metric.compares:
        lines += _limit(claim.floor)
    return Text("\n").join(lines)


def _arithmetic(claim: Judged) -> list[Text]:
    found = claim.arithmetic
    lines = []
    for basis in found.bases:
        style = "green" if basis.follows else "red"
        label = f"{basis.label}: " if len(found.bases) > 1 else ""
        lines.append(Text(label + basis.reason, style))
    if found.status is Arithmetic.NOTHING:
        lines.append(Text("nothing to check: the article gives no figures for it", "dim"))
    for peer in found.agreements:
        word = "consistent" if peer.consistent else "inconsistent"
        style = "green" if peer.consistent else "red"
        lines.append(Text(f"{word} with {peer.claim}: {peer.reason}", style))
    return lines


def _limit(floor: FloorResult) -> list[Text]:
    if floor.status is Limit.NONE:
        return [Text(f"{floor.status.value}: {floor.reason}", "dim")]
    lines = [Text(f"{floor.status.value}: {floor.reason}", _STYLE[floor.status.value])]
    lines += [Text(f"limit: {formula}") for formula in floor.formulas[:1]]
    lines += [Text(f"reaches {floor.reached}")] if floor.reached else []
    return lines + ([Text(f"({floor.note})", "dim")] if floor.note else [])


def _against(claim: Judged, run: RunResult) -> Cells:
    verdict = Text(run.verdict.value, _STYLE.get(run.verdict.value, ""))
    return _here(claim.figure.metric, run.here), verdict


def _here(metric: Metric, here: Here | None) -> Text:
    if here is None:
        return Text("-", "dim")
    if metric is Metric.PERCENT:
        metric = Metric.RATIO
    text = Text(f"here {amount(metric, here.value)}")
    if here.low is not None and here.high is not None:
        text.append(f" {_interval(metric, here.low, here.high)}")
    doubts = "".join(f"; {doubt}" for doubt in here.doubts)
    return text.append(f"\nn={here.n}: {printable(here.where + doubts)}", "dim")


def _interval(metric: Metric, low: float, high: float) -> str:
    if metric is Metric.RATIO:
        return shown.interval(low, high)
    return f"[{shown.significant(low, 3)}, {shown.significant(high, 3)}]"


def _run_note(name: str, run: RunResult) -> Note:
    return Note(name, f"{run.verdict.value}: {run.reason}.", "")


def _differences(claims: Iterable[Judged]) -> list[Note]:
    """Only beside what was tested: beside the rest it is a binding condition that decides."""
    tested = [c for c in claims if c.run and c.run.verdict is not ClaimVerdict.NOT_TESTED]
    return [
        Note(claim.figure.id, _difference(d.what, d.claimed, d.here), "")
        for claim in tested
        for d in (claim.run.differences if claim.run else ())
    ]


def _difference(what: str, claimed: str, here: str) -> str:
    if claimed == "unsaid":
        return f"the article leaves open: {what}" + (f" (here {here})" if here else "")
    return f"{what}: {claimed} claimed, here {here}"


def _statements(article: Article) -> list[RenderableType]:
    notes = [
        Note(
            statement.id,
            f"“{statement.says}” {'holds' if statement.holds else 'does not hold'}: "
            f"{statement.reason} ({statement.source}, {statement.date})",
            "",
        )
        for statement in article.statements
    ]
    return _notes("Statements", notes)


def _notes(title: str, notes: Sequence[Note]) -> list[RenderableType]:
    if not notes:
        return []
    lines = [
        Text.assemble("- ", (printable(note.who), "bold"), f": {printable(note.what)}")
        for note in notes
    ]
    return [Padding(Text(title, "bold"), (1, 0, 0, 0)), *lines]


def _title(value: str) -> RenderableType:
    return Padding(Text(printable(value), style="bold underline"), (1, 0, 0, 0))


def _bullet(value: str) -> Text:
    return Text(f"- {printable(value)}")


def _dim(value: str) -> Text:
    return Text(printable(value), "dim")
