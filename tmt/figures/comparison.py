"""The picture of a campaign: goodput of the TCP variants over each scheme, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from tmt.figures.style import INK, MUTED, PALE, TCP_STYLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTE = (
    "Bars and whiskers: mean and 95 % interval of in-order TCP payload over the seeds (dots).  "
    "\N{BLACK STAR} best of its panel, or not to be told from the best; no star: none can be told apart.\n"
    "Dashed: capacity, what full packets sent back to back would carry on average over the trace."
)
"""How to read the figure."""

ROOM_FOR_NUMBERS = 1.36
"""Width of a panel relative to its largest value; the means stand in what is left."""

BAR = 0.66
"""Thickness of a bar, in parts of the distance between two."""

JITTER = (-0.12, 0.12, -0.06, 0.06, 0.0)
"""Where single values stand beside their mean, so that equal ones do not hide each other."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One TCP variant in a panel; `low` and `high` may be NaN.

    `marked` says that it is the best of its panel or cannot be told from it.
    """

    tcp: str
    mean_kbps: float
    low_kbps: float
    high_kbps: float
    values_kbps: tuple[float, ...]
    marked: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """The TCP variants over one scheme.

    `capacity_kbps` is what full packets sent back to back would carry; NaN where nobody knows.
    """

    scheme: str
    scheme_name: str
    capacity_kbps: float
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Panels that share an axis: the schemes at one point of a grid."""

    label: str
    panels: tuple[Panel, ...]


LABEL_WIDTH = 7
"""Characters of a row's label that a TCP variant's bar is high."""


NOTE_CHARACTER_IN = 0.0532
"""Width of a character of the note, on average."""


def draw(figure: Figure, rows: Sequence[Row], *, title: str, note: str) -> None:
    """Draw one panel per scheme and one row of panels per point of the grid, all on one scale.

    Parameters
    ----------
    figure
        An empty figure of `size`, in the house style.
    rows
        All with the same number of panels or fewer than the first.
    title, note
        What is compared, and how to read it.
    """
    columns = max(len(row.panels) for row in rows)
    grid = figure.subplots(len(rows), columns, sharex=True, sharey="row", squeeze=False)
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.06, wspace=0.04)
    figure.suptitle(title, x=0.012, ha="left", fontsize=12, fontweight="bold", color=INK, parse_math=False)
    room = int((figure.get_figwidth() - 0.2) / NOTE_CHARACTER_IN)
    lines = [line for paragraph in note.splitlines() for line in wrap(paragraph, room)]
    figure.supxlabel("\n".join(lines), x=0.012, ha="left", fontsize=7.5, color=MUTED)
    limit = ROOM_FOR_NUMBERS * max(_extent(panel) for row in rows for panel in row.panels)
    for row, line_of_axes in zip(rows, grid, strict=True):
        for number, axes in enumerate(line_of_axes):
            if number < len(row.panels):
                _draw_panel(axes, row.panels[number], limit)
            else:
                axes.set_visible(False)
        label = "\n".join(
            wrap(row.label, LABEL_WIDTH * max(2, *(len(panel.variants) for panel in row.panels)))
        )
        line_of_axes[0].set_ylabel(label, fontsize=9, fontweight="bold", parse_math=False)
    for axes in grid[-1]:
        axes.set_xlabel("goodput (kbit/s)")


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return width and height in inches that suit `rows`."""
    columns = max(len(row.panels) for row in rows)
    variants = max(len(panel.variants) for row in rows for panel in row.panels)
    return 1.2 + 2.1 * columns, 1.05 + len(rows) * (0.75 + 0.36 * variants)


def _draw_panel(axes: Axes, panel: Panel, limit: float) -> None:
    axes.set_title(f"{_name(panel)}\n", fontsize=11, fontweight="bold", color=INK, parse_math=False)
    axes.grid(visible=False, axis="y")
    if _has_capacity(panel):
        _draw_capacity(axes, panel)
    all_marked = all(variant.marked for variant in panel.variants)
    for place, variant in enumerate(panel.variants):
        _draw_variant(axes, place, variant)
        starred = variant.marked and not all_marked
        digits = 0 if variant.mean_kbps >= 10 else 1
        axes.text(
            limit,
            place,
            ("\N{BLACK STAR} " if starred else "") + f"{variant.mean_kbps:.{digits}f}",
            ha="right",
            va="center",
            fontsize=9,
            color=INK,
            fontweight="bold" if starred else "normal",
            # The whisker of a mean that is hardly known would strike the number out.
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            zorder=5,
        )
    axes.set_xlim(0, limit)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= limit / ROOM_FOR_NUMBERS])
    axes.set_ylim(len(panel.variants) - 0.45, -0.55)
    labels = [TCP_STYLES[variant.tcp].label for variant in panel.variants]
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.spines["left"].set_visible(False)


def _draw_capacity(axes: Axes, panel: Panel) -> None:
    capacity_kbps = panel.capacity_kbps
    axes.text(0, 1.03, f"capacity {capacity_kbps:.0f}", transform=axes.transAxes, fontsize=8, color=MUTED)
    axes.axvline(capacity_kbps, color=INK, linewidth=1.1, linestyle=(0, (4, 2)), zorder=1)
    places = range(len(panel.variants))
    axes.barh(places, capacity_kbps, height=BAR, color=PALE, alpha=0.35, linewidth=0, zorder=0.5)


def _draw_variant(axes: Axes, place: int, variant: Variant) -> None:
    style = TCP_STYLES[variant.tcp]
    axes.barh(place, variant.mean_kbps, height=BAR, color=style.colour, linewidth=0, zorder=2)
    axes.errorbar(
        variant.mean_kbps,
        place,
        xerr=[
            [max(variant.mean_kbps - variant.low_kbps, 0.0)],
            [max(variant.high_kbps - variant.mean_kbps, 0.0)],
        ],
        color=INK,
        capsize=2.5,
        linewidth=1.1,
        zorder=4,
    )
    offsets = [place + JITTER[k % len(JITTER)] for k in range(len(variant.values_kbps))]
    axes.scatter(variant.values_kbps, offsets, s=5, color="white", edgecolor=INK, linewidth=0.4, zorder=3)


def _extent(panel: Panel) -> float:
    """Return the largest value that the panel shows."""
    values = [value for variant in panel.variants for value in variant.values_kbps]
    return max([1.0, *values, *([panel.capacity_kbps] if _has_capacity(panel) else [])])


def _has_capacity(panel: Panel) -> bool:
    return not math.isnan(panel.capacity_kbps)


def _name(panel: Panel) -> str:
    return "no scheme" if panel.scheme_name == "none" else panel.scheme
