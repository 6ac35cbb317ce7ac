"""The style of the papers' figures, drawn with matplotlib in the colours of the charts of `tmt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tmt.io.atomic import staged
from tmt.results.statistics import Interval
from tmt.show.charts.style import INK, LINE_LOOKS, MUTED, PALE

LINE_STYLES = tuple({"color": colour, "marker": marker} for colour, marker, _ in LINE_LOOKS)
"""Colour and marker of lines that are neither TCP variants nor schemes."""

RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "figure.dpi": 120,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "tmt",
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
"""Settings under which every figure is drawn; the hash salt makes an SVG the same in every run."""


@contextmanager
def new_figure(width_in: float = 7.2, height_in: float = 4.2) -> Iterator[Figure]:
    """Give an empty figure in the house style, which holds while the block draws it.

    The size is in inches; 7.2 is the width of a printed page's text.
    """
    with mpl.rc_context():
        mpl.rcdefaults()  # matplotlib has read a file `matplotlibrc` of the current folder
        mpl.rcParams.update(RC)
        yield Figure(figsize=(width_in, height_in), layout="constrained")


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the file's ending names, the same bytes for the same drawing."""
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[path.suffix]
    with mpl.rc_context(RC), staged(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], metadata=undated)


def draw_intervals(
    panel: Axes, x: Iterable[float], values: Sequence[Interval], scale: float = 1.0, **style: Any
) -> None:
    """Draw a point with an error bar for each interval, times `scale`; `style` is that of `Axes.errorbar`."""
    means, halves = [scale * one.mean for one in values], [scale * one.half_width for one in values]
    panel.errorbar(list(x), means, yerr=halves, **{"capsize": 2, **style})
