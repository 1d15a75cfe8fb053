"""Whether something keeps the kernel's clock right, by the kernel's own word."""

from __future__ import annotations

import ctypes
import os

NEVER_SET_US = 16_000_000


class _Timex(ctypes.Structure):
    """The beginning of ``struct timex``, with room for the rest of it."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def synchronised() -> bool:
    """Whether the largest error that the kernel admits is below its mark for "nobody sets me".

    Asks with ``adjtimex`` and ``modes`` 0, which changes nothing and needs no privilege.

    Raises:
        OSError: the kernel refuses the question.
    """
    answer = _Timex()
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(answer)) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"adjtimex: {os.strerror(code)}")
    return within(answer.maxerror)


def within(maxerror_us: int) -> bool:
    """Whether a largest error, in microseconds, is that of a clock which somebody sets."""
    return maxerror_us < NEVER_SET_US
