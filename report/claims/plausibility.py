"""Our own rows held against the card: nothing is faster than it.

A rate above the card's is a measurement gone wrong (work that was not waited for, a wrong count of
calls), however small its spread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping

from core.records import TrialResult
from core.status import Flag, TrialStatus
from core.validity import is_number
from report import format as shown
from report.claims.cards import Card, card_named
from report.claims.schema import Precision

SLACK = 1.01
"""A rate counts as above a limit from 1 % on: clocks and bandwidths are rounded figures."""

CLOCK_METRIC = "sm_clock_max_mhz"
"""Where a trial tells the highest SM clock that was sampled while it was measured."""


def implausible(
    metrics: Mapping[str, Any],
    card: Card | None,
    *,
    median_s: float,
    precision: Precision | None = None,
    cold: bool = False,
) -> str | None:
    """Why a row cannot be, or None.

    Args:
        metrics: of a trial: ``flop_per_s``, ``bytes_per_s``, and the sampled clock where present.
        card: None where it is not known; then nothing is implausible.
        median_s: seconds of one call, which tell its bytes.
        precision: what multiplies; None takes the card's fastest.
        cold: whether the cache was flushed before each call; otherwise the memory's bandwidth
            binds only from twice the L2 on.
    """
    if card is None:
        return None
    flop, moved = _number(metrics, "flop_per_s"), _number(metrics, "bytes_per_s")
    peak = card.peak(precision, _number(metrics, CLOCK_METRIC) or None)
    if flop is not None and flop > peak * SLACK:
        what = f"{precision.upper()} " if precision else ""
        limit = _of(card, peak, "FLOP/s")
        return f"{shown.rate(flop, 'FLOP/s')} is above the {what}peak of {limit}"
    binds = moved is not None and (cold or moved * median_s > card.cached_bytes)
    if moved is not None and binds and moved > card.bandwidth * SLACK:
        limit = _of(card, card.bandwidth, "B/s")
        return f"{shown.rate(moved, 'B/s')} is above the memory bandwidth of {limit}"
    return None


def reason(trial: TrialResult) -> str | None:
    """Why a trial cannot be, or None; only good trials on a known card are judged."""
    if trial.status is not TrialStatus.OK or trial.device != "cuda" or trial.median_s is None:
        return None
    return implausible(
        trial.metrics,
        card_named(str(trial.identity.get("gpu", ""))),
        median_s=trial.median_s,
        precision=precision_of(trial.settings),
    )


def flag_implausible(trial: TrialResult) -> TrialResult:
    """The trial, flagged where it cannot be."""
    if reason(trial) is None or Flag.IMPLAUSIBLE.value in trial.flags:
        return trial
    return replace(trial, flags=(*trial.flags, Flag.IMPLAUSIBLE.value))


def precision_of(settings: Mapping[str, Any]) -> Precision | None:
    """What a trial multiplied in, or None where its settings do not tell."""
    named = {str(settings.get(key, "")) for key in ("dtype", "autocast")}
    if named & {"float16", "bfloat16"}:
        return "fp16"
    if "float32" not in named:
        return None
    tf32 = settings.get("matmul_tf32") is not False or settings.get("cudnn_tf32") is not False
    return "tf32" if tf32 else "fp32"


def _number(metrics: Mapping[str, Any], name: str) -> float | None:
    value = metrics.get(name)
    return float(value) if is_number(value) and value is not None else None


def _of(card: Card, limit: float, unit: str) -> str:
    return f"{shown.rate(limit, unit)} of the {card.title}"
