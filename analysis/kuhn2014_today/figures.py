"""Goodput of every variant over every scheme, one marker for each stack."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from analysis.figure_style import new_figure, save
from analysis.kuhn2014_today.cells import (
    CLEAR,
    MODERN,
    NOISY,
    OLD,
    SCHEMES,
    SPLIT,
    STACK_LABELS,
    TCPS,
    UP,
    Place,
    StackCells,
    label,
    tcps_of,
)
from tmt.show.charts.style import BLUE, INK, MUTED, ORANGE
from tmt.spec.stacks import LINUX

FIGURES = {
    "today-interleaved": NOISY,
    "today-interleaved-clear": CLEAR,
    "today-not-interleaved": SPLIT,
    "today-distribution": UP,
}
"""Names of the figures and the links that they show."""

STYLES = {OLD: (MUTED, "o", -0.22), MODERN: (BLUE, "s", 0.0), LINUX: (ORANGE, "D", 0.22)}
"""Colour and marker of each stack, and its place within a row."""


def draw(cells: StackCells, images: Path) -> None:
    """Draw every figure."""
    for name, place in FIGURES.items():
        with new_figure(8.2, 3.4) as figure:
            panels = figure.subplots(1, len(SCHEMES), sharex=True, sharey=True)
            figure.suptitle(f"{place.title}: goodput in kbit/s", x=0.01, ha="left", fontsize=11)
            for axes, scheme in zip(panels, SCHEMES, strict=True):
                _panel(axes, cells, place, scheme)
            panels[0].set_yticks(range(len(TCPS)), [label(tcp) for tcp in TCPS])
            panels[0].set_ylim(len(TCPS) - 0.5, -0.5)
            most = max(cells.capacity_kbps(place, scheme) for scheme in SCHEMES)
            panels[0].set_xlim(0, 1.15 * most)
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
            save(figure, images / f"{name}.png")


def _panel(axes: Axes, cells: StackCells, place: Place, scheme: str) -> None:
    axes.set_title(scheme)
    axes.grid(visible=False, axis="y")
    axes.axvline(cells.capacity_kbps(place, scheme), color=INK, linewidth=1, linestyle="--", label="capacity")
    for stack, (colour, marker, offset) in STYLES.items():
        tcps = tcps_of(stack)
        found = [cells.kbps(place, stack, tcp, scheme) for tcp in tcps]
        axes.errorbar(
            [one.mean for one in found],
            [TCPS.index(tcp) + offset for tcp in tcps],
            xerr=[one.half_width for one in found],
            color=colour,
            marker=marker,
            linestyle="none",
            elinewidth=1.2,
            label=STACK_LABELS[stack],
        )
