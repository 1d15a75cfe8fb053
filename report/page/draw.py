"""What both kinds of plot share: a canvas in CSS pixels, a palette, an axis drawn by hand."""

from __future__ import annotations

import io
import logging
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.page.scale import Scale

INK, MUTED, LINE, BAND = "#1b1f24", "#57606a", "#c4ccd4", "#e3e8ee"
FASTER, SLOWER = "#0b5cad", "#b33f00"
PALETTE = {"ink": INK, "muted": MUTED, "line": LINE, "band": BAND, "faster": FASTER,
           "slower": SLOWER}  # fmt: skip
FONTS_WITH_CHINESE = ("Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei",
                      "WenQuanYi Zen Hei", "Microsoft YaHei", "PingFang SC", "SimHei")  # fmt: skip
_POINTS_PER_INCH = 72
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "torchrig", "text.parse_math": False}


def canvas(width: int, height: int) -> tuple[Figure, Axes]:
    """A figure whose coordinates are pixels from the top left corner."""
    figure = Figure(figsize=(width / _POINTS_PER_INCH, height / _POINTS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    return figure, axes


@contextmanager
def settings() -> Iterator[None]:
    """Text stays text, never mathematics; a font without a glyph is no reason to stop."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    wanted: Any = {**_SETTINGS, "font.family": ["DejaVu Sans", *chinese_fonts()]}
    with mpl.rc_context(wanted), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def chinese_fonts() -> list[str]:
    """Fonts of this machine that can draw Chinese into a picture."""
    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in FONTS_WITH_CHINESE if name in known]


def svg(figure: Figure) -> str:
    """The figure as SVG, the same on every run."""
    stream = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with settings():
        figure.savefig(stream, format="svg", transparent=True, metadata=nothing)
    return stream.getvalue()


def png(figure: Figure) -> bytes:
    """The figure as a picture on white, two pixels to the point."""
    stream = io.BytesIO()
    with settings():
        figure.savefig(stream, format="png", dpi=2 * _POINTS_PER_INCH, facecolor="white")
    return stream.getvalue()


def write(axes: Axes, x: float, y: float, text: str, *, align: str = "left", size: float = 11,
          colour: str = INK) -> None:  # fmt: skip
    """Text with its middle at ``y``."""
    axes.text(x, y, text, ha=align, va="center", fontsize=size, color=colour)


def rule(axes: Axes, xs: Sequence[float], ys: Sequence[float], *, colour: str = LINE,
         width: float = 1.0) -> None:  # fmt: skip
    """A line through points."""
    axes.plot(xs, ys, color=colour, linewidth=width, solid_capstyle="butt")


def axis(axes: Axes, scale: Scale, *, left: float, right: float,
         spans: Sequence[tuple[float, float]], labels: Sequence[tuple[float, str]],
         size: float = 10) -> None:  # fmt: skip
    """Grid lines from top to bottom of every span, their labels below the last."""
    for value, label in labels:
        x = left + scale.position(value) * (right - left)
        for span in spans:
            rule(axes, (x, x), span, width=0.7)
        write(axes, x, spans[-1][1] + 10, label, align="center", size=size, colour=MUTED)
