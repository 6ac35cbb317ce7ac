"""The picture: waiting and goodput of each variant behind each discipline, a pair of panels for each link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from analysis.bufferbloat.runs import DRAWN, NAMES, TCPS, Bufferbloat
from analysis.figure_style import new_figure, save
from analysis.selections import interval
from tmt.show.charts.style import TCP_STYLES, tcp_label

LEAST_MS, MOST_MS = 0.5, 6000
TICKS_MS = {1: "1 ms", 10: "10 ms", 100: "0.1 s", 1000: "1 s"}
"""Borders and marks of the logarithmic axis of waiting."""

SPREAD = 0.14
"""Distance between two variants behind one discipline, in rows."""


def draw(found: Bufferbloat, path: Path) -> None:
    """Draw the 95th percentile of waiting, and the goodput as a share of the best on the link."""
    with new_figure(4.8, 10.0) as figure:
        panels = figure.subplots(len(DRAWN), 2, sharey=True, sharex="col", squeeze=False)
        for link, (waiting, goodput) in zip(DRAWN, panels, strict=True):
            _panel(waiting, _means(found, link, "waiting_p95_s", 1e3))
            bps = _means(found, link, "goodput_bps", 1)
            most = max(max(means) for means in bps.values())
            _panel(goodput, {tcp: [100 * one / most for one in means] for tcp, means in bps.items()})
            waiting.set_title(link)
        waiting, goodput = panels[-1]
        waiting.set_xscale("log")
        waiting.set_xlim(LEAST_MS, MOST_MS)
        waiting.set_xticks([*TICKS_MS], [*TICKS_MS.values()])
        waiting.set_xticks([], minor=True)
        waiting.set_xlabel("waiting, 95th percentile")
        goodput.set_xlim(0, 104)
        goodput.set_xlabel("goodput (% of the best)")
        handles, labels = waiting.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        save(figure, path)


def _means(found: Bufferbloat, link: str, column: str, scale: float) -> dict[str, list[float]]:
    """Return the mean of a column behind each discipline, by variant."""
    return {
        tcp: [interval(found.of(link, queue, tcp_label(tcp)), column, scale).mean for queue in NAMES]
        for tcp in TCPS
    }


def _panel(axes: Axes, values: dict[str, list[float]]) -> None:
    rows = range(len(NAMES))
    axes.set_yticks(rows, list(NAMES.values()))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place, (tcp, means) in enumerate(values.items()):
        style, lower = TCP_STYLES[tcp], SPREAD * (place - (len(values) - 1) / 2)
        shown = [max(mean, LEAST_MS) for mean in means]
        look: dict[str, Any] = {
            "color": style.colour,
            "marker": style.marker,
            "markersize": 5,
            "clip_on": False,
        }
        axes.plot(shown, [row + lower for row in rows], linestyle="none", label=style.label, **look)
