"""Patterns written over most of a device's free memory, then read back.

Everything is written before anything is read, so that an address line that is stuck shows as one
place overwriting another.
"""

from __future__ import annotations

from typing import Any, Optional

from envcheck.active import plan
from envcheck.active.accelerator import Accelerator

WORD = 8
PATTERNS = ("zeros", "ones", "0x55", "0xAA", "address", "inverted address")
_CONSTANT = {
    "zeros": 0,
    "ones": -1,
    "0x55": 0x5555555555555555,
    "0xAA": -0x5555555555555556,
}
_CHUNK_SHIFT = 1 << 40
_PART_WORDS = 1 << 26


def test(unit: Accelerator, sizes: plan.Sizes) -> dict[str, Any]:
    """Write and read back every pattern.

    Returns bytes tested, free and in all, wrong words of each pattern and, where there is one,
    the first wrong word with what it should have held.
    """
    free, total = unit.memory()
    wanted = plan.memory_bytes(unit.kind, free, total, sizes.memory_limit_bytes)
    chunks = _take(unit, wanted, sizes.chunk_bytes)
    patterns, first = [], None
    for name in PATTERNS:
        for place, chunk in enumerate(chunks):
            fill(unit.torch, chunk, name, place)
        unit.synchronize()
        wrong = [wrong_words(unit.torch, chunk, name, place) for place, chunk in enumerate(chunks)]
        counts = [int(count.item()) for count in wrong]
        patterns.append({"pattern": name, "wrong_words": sum(counts)})
        if first is None and any(counts):
            place = next(index for index, count in enumerate(counts) if count)
            first = first_wrong(unit.torch, chunks[place], name, place)
    return {
        "tested_bytes": sum(chunk.numel() * WORD for chunk in chunks),
        "free_bytes": free,
        "total_bytes": total,
        "patterns": patterns,
        **({"first_wrong": first} if first else {}),
    }


def fill(torch: Any, chunk: Any, pattern: str, place: int) -> None:
    """Write a pattern into chunk number ``place`` (int64 words)."""
    if pattern in _CONSTANT:
        chunk.fill_(_CONSTANT[pattern])
        return
    start = place * _CHUNK_SHIFT
    torch.arange(start, start + chunk.numel(), out=chunk)
    if pattern == "inverted address":
        chunk.bitwise_not_()


def wrong_words(torch: Any, chunk: Any, pattern: str, place: int) -> Any:
    """How many words of a chunk do not hold the pattern: a count that stays on the device."""
    count = torch.zeros((), dtype=torch.int64, device=chunk.device)
    for begin in range(0, chunk.numel(), _PART_WORDS):
        part = chunk[begin : begin + _PART_WORDS]
        count += (part != _expected(torch, part, pattern, place, begin)).sum()
    return count


def first_wrong(torch: Any, chunk: Any, pattern: str, place: int) -> Optional[dict[str, Any]]:
    """The first word of a chunk that does not hold the pattern, None where it is gone again."""
    for begin in range(0, chunk.numel(), _PART_WORDS):
        part = chunk[begin : begin + _PART_WORDS]
        expected = _expected(torch, part, pattern, place, begin)
        where = (part != expected).nonzero()
        if where.numel():
            index = int(where[0, 0].item())
            wanted = expected if isinstance(expected, int) else int(expected[index].item())
            found = int(part[index].item())
            return {
                "pattern": pattern,
                "offset_bytes": (place * chunk.numel() + begin + index) * WORD,
                "expected": _hex(wanted),
                "found": _hex(found),
            }
    return None


def _expected(torch: Any, part: Any, pattern: str, place: int, begin: int) -> Any:
    if pattern in _CONSTANT:
        return _CONSTANT[pattern]
    start = place * _CHUNK_SHIFT + begin
    address = torch.arange(start, start + part.numel(), device=part.device)
    return address.bitwise_not_() if pattern == "inverted address" else address


def _take(unit: Accelerator, wanted: int, chunk_bytes: int) -> list[Any]:
    """Chunks of int64 words, as many as are wanted and really to be had."""
    chunks: list[Any] = []
    while len(chunks) < wanted // chunk_bytes:
        chunk = _chunk(unit, chunk_bytes // WORD)
        if chunk is None:
            break
        chunks.append(chunk)
    return chunks


def _chunk(unit: Accelerator, words: int) -> Optional[Any]:
    try:
        return unit.torch.empty(words, dtype=unit.torch.int64, device=unit.device)
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        return None


def _hex(word: int) -> str:
    return f"{word & 0xFFFFFFFFFFFFFFFF:#018x}"
