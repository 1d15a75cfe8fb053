"""How long to warm up, how large a block is, when to stop: per kind, device and preset."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rules:
    """Bounds of one measurement; times are seconds.

    Warm-up lasts at least ``warmup_s`` and ``warmup_calls``, then until the medians of two
    successive groups of ``warmup_group`` calls agree within ``warmup_agree``, at most
    ``warmup_cap_s``. A block holds enough calls to last ``block_s`` (0: one call), at most
    ``max_calls``. Sampling needs ``min_samples`` and ``min_s``, stops at relative ``noise`` or,
    from ``stable_samples`` on, at stable noise, and ends at ``max_s`` with ``floor_samples``.
    ``filled`` keeps the stream busy ahead of each block; ``cold`` adds samples with the cache
    flushed.
    """

    warmup_s: float
    warmup_cap_s: float
    warmup_calls: int
    warmup_group: int
    warmup_agree: float
    block_s: float
    min_samples: int
    min_s: float
    max_s: float
    noise: float
    max_calls: int = 400
    stable_samples: int = 30
    floor_samples: int = 3
    cold_samples: int = 0
    filled: bool = False


_CUDA = {
    "kernel": Rules(
        0.3, 3.0, 40, 20, 0.02, 2e-3, 30, 0.5, 15.0, 0.005, filled=True, cold_samples=60
    ),
    "step": Rules(2.0, 20.0, 10, 5, 0.02, 0.0, 30, 0.0, 60.0, 0.005),
    "one_off": Rules(0.0, 10.0, 1, 1, 0.02, 0.0, 10, 0.0, 30.0, 0.005),
}
_CPU = {
    "kernel": Rules(0.5, 5.0, 2, 3, 0.05, 0.1, 30, 3.0, 20.0, 0.01),
    "step": Rules(2.0, 30.0, 3, 3, 0.05, 0.0, 30, 0.0, 120.0, 0.01),
    "one_off": Rules(0.0, 10.0, 1, 1, 0.05, 0.0, 10, 0.0, 60.0, 0.01),
}


def rules_for(kind: str, device: str, preset: str) -> Rules:
    """The rules of a measurement. ``full`` and ``published`` are the protocol in whole."""
    whole = (_CUDA if device == "cuda" else _CPU)[kind]
    if preset == "smoke":
        return _smoke(whole)
    if preset == "quick":
        return _quick(whole, device)
    return whole


def _smoke(whole: Rules) -> Rules:
    """Every mechanism once, no precision: three to five samples, spread up to a half."""
    return replace(
        whole,
        warmup_s=min(whole.warmup_s, 0.05),
        warmup_cap_s=0.3,
        warmup_calls=1,
        warmup_group=min(whole.warmup_group, 3),
        block_s=min(whole.block_s, 0.01),
        min_samples=5 if whole.block_s else 4,
        min_s=0.0,
        max_s=1.0,
        noise=0.5,
        cold_samples=min(whole.cold_samples, 5),
    )


def _quick(whole: Rules, device: str) -> Rules:
    """Shorter caps; on a CPU fewer samples and the noise that its margin allows."""
    if device == "cuda":
        return replace(whole, max_s=min(whole.max_s, 10.0), warmup_cap_s=5.0)
    return replace(
        whole,
        warmup_s=min(whole.warmup_s, 0.3),
        warmup_cap_s=2.0,
        warmup_calls=min(whole.warmup_calls, 2),
        warmup_group=min(whole.warmup_group, 2),
        min_samples=10,
        min_s=min(whole.min_s, 1.0),
        max_s=4.0,
        noise=0.03,
        stable_samples=15,
    )
