"""Figures 7 to 11 of Kuhn et al. 2014 with the printed numbers on them, and figures beyond the paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from analysis.figure_style import new_figure, save
from analysis.kuhn2014.campaigns import (
    DOWN,
    INTERLEAVED,
    NOT_INTERLEAVED,
    PAPER_TCPS,
    TRANSFERS,
    UP,
    code_rate,
    packet_rate_kbps,
)
from analysis.kuhn2014.measures import Cells
from analysis.kuhn2014.published import read
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, ORANGE, SKY, TCP_STYLES, VERMILLION

SCHEMES = {
    "none": (MUTED, ":", "x"),
    "ARQ": (VERMILLION, "--", "o"),
    "HARQ(10/12)": (BLUE, "-", "s"),
    "HARQ(10/15)": (SKY, "-.", "^"),
    "HARQ(50/52)": (GREEN, (0, (5, 1, 1, 1)), "D"),
}
"""Colour, dash and marker of each scheme of the paper."""

THREE = ("newreno", "hybla", "cubic")
"""Variants of the figures beyond the paper."""


def figure7(cells: Cells, figure: Figure) -> None:
    """Draw the PHY's packet error rate over Es/N0."""
    axes = figure.subplots()
    looks = {
        INTERLEAVED: (BLUE, "-", "o"),
        NOT_INTERLEAVED: (VERMILLION, "--", "s"),
        UP: (GREEN, "-", "^"),
        DOWN: (ORANGE, "-", "v"),
    }
    for scenario, (colour, dash, marker) in looks.items():
        found = cells.find(scenario, "erasure_ratio").sort_values("es_n0_db")
        _line(axes, found["es_n0_db"], found, colour, dash, marker, scenario)
    axes.axhspan(1e-2, 1e-1, color=MUTED, alpha=0.12, linewidth=0)
    grey = "grey: the paper's range, 5 to 8 and 5 to 12 dB"
    axes.text(14.7, 0.095, grey, fontsize=7.5, color=MUTED, va="top", ha="right")
    axes.plot([13.4, 14.6], [1e-2, 1e-2], color=INK, linewidth=1)
    axes.text(14.65, 0.0101, "paper: below this", fontsize=7.5, color=INK, va="bottom", ha="right")
    axes.set(yscale="log", xlabel="Es/N0 (dB)", ylabel="packet error rate of the PHY", xlim=(4.6, 14.8))
    axes.legend(loc="lower left")


def figure8(cells: Cells, figure: Figure, scenario: str = UP) -> None:
    """Draw the goodput of every TCP variant over every scheme, Distribution scenario."""
    axes = figure.subplots()
    width = 0.8 / len(SCHEMES)
    for number, (scheme, (colour, *_)) in enumerate(SCHEMES.items()):
        places = np.arange(len(PAPER_TCPS)) + (number - (len(SCHEMES) - 1) / 2) * width
        own = [cells.one(scenario, "goodput_bps", scheme=scheme, tcp=tcp) for tcp in PAPER_TCPS]
        means, errors = _means_and_errors(pd.DataFrame(own), 1e-3)
        axes.bar(places, means, 0.92 * width, color=colour, linewidth=0, label=scheme)
        axes.errorbar(places, means, yerr=errors, fmt="none", ecolor=INK, elinewidth=0.9, capsize=1.5)
        limit = packet_rate_kbps(scenario) * code_rate(scheme)
        if scheme != "none":
            ends = places - width / 2, places + width / 2
            axes.hlines([limit] * len(PAPER_TCPS), *ends, color=INK, linewidth=1.4)
    axes.set_xticks(range(len(PAPER_TCPS)), [TCP_STYLES[tcp].label for tcp in PAPER_TCPS])
    axes.tick_params(axis="x", length=0, labelsize=9)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("goodput, whole packets (kbit/s)")
    axes.set_title(
        "Black marks: capacity that the scheme's first transmission leaves", fontsize=8, color=MUTED
    )
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=len(SCHEMES))


def figure10(cells: Cells, figure: Figure, scenario: str = INTERLEAVED) -> None:
    """Draw goodput over Es/N0, a panel for each TCP variant, and the paper's numbers."""
    panel = _over_es_n0(cells, figure, scenario, "goodput_bps", tuple(SCHEMES), 1e-3)
    panel.set_ylabel("goodput, whole packets (kbit/s)")
    panel.set_ylim(0, 290)


def table3(cells: Cells, figure: Figure) -> None:
    """Draw the time for 0.1 megabyte, with the numbers of the paper's table."""
    panel = _over_es_n0(cells, figure, TRANSFERS, "completion_s", ("ARQ", "HARQ(10/12)", "HARQ(10/15)"), 1.0)
    panel.set_ylabel("time for 0.1 MB (s)")
    panel.set_ylim(bottom=0)


def _over_es_n0(
    cells: Cells, figure: Figure, scenario: str, measure: str, schemes: tuple[str, ...], scale: float
) -> Axes:
    """Draw a measure over Es/N0, a panel for each TCP variant; return the first panel."""
    panels = figure.subplots(1, len(PAPER_TCPS), sharey=True)
    for panel, tcp in zip(panels, PAPER_TCPS, strict=True):
        for scheme in schemes:
            found = cells.find(scenario, measure, scheme=scheme, tcp=tcp).sort_values("es_n0_db")
            _line(panel, found["es_n0_db"], found, *SCHEMES[scheme], scheme, scale)
        _paper(panel, scenario, measure, tcp, scale)
        panel.set_title(TCP_STYLES[tcp].label)
        panel.set_xlabel("Es/N0 (dB)")
    _shared_legend(figure, panels[-1], 6, with_paper=True)
    return panels[0]


def order(cells: Cells, figure: Figure) -> None:
    """Draw goodput over the time for which the link holds packets back to restore their order."""
    holds = {0.0: "as they\narrive", 0.1: "0.1", 0.3: "0.3", 0.6: "0.6", 1.2: "1.2", np.inf: "no\nlimit"}

    def draw_panel(panel: Axes, scheme: str, es: float) -> None:
        for tcp in THREE:
            found = cells.find("order", "goodput_bps", scheme=scheme, tcp=tcp, es_n0_db=es)
            of = found["hold_s"].where(found["in_order"], 0.0).fillna(np.inf)
            _variant(panel, [[*holds].index(value) for value in of], found, tcp)
        panel.set_title(f"{scheme}, Es/N0 {es:g} dB")

    _goodputs(figure, ("ARQ", "HARQ(10/12)"), draw_panel, "in order, held for at most (s)", [*holds.values()])


def persistency(cells: Cells, figure: Figure) -> None:
    """Draw goodput over the number of transmissions that ARQ allows itself, in and out of order."""
    names = {**{f"ARQ(max {count})": f"{count}" for count in (1, 2, 3, 4)}, "ARQ": "no\nlimit"}

    def draw_panel(panel: Axes, in_order: bool, es: float) -> None:
        for tcp in THREE:
            found = cells.find("persistency", "goodput_bps", in_order=in_order, tcp=tcp, es_n0_db=es)
            found = found[found["scheme"].isin([*names])]
            _variant(panel, [[*names].index(name) for name in found["scheme"]], found, tcp)
        panel.set_title(_order_title(in_order, es))

    _goodputs(figure, (False, True), draw_panel, "transmissions of an LLDU, at most", [*names.values()])


def lossy_return(cells: Cells, figure: Figure) -> None:
    """Draw goodput with a return link that loses nothing, and with one like the forward link."""
    kinds = {
        "plain": "loses nothing",
        "unprotected": "same channel,\nno scheme",
        "protected": "same channel,\nsame scheme",
    }

    def draw_panel(panel: Axes, in_order: bool, es: float) -> None:
        for place, (scheme, tcp) in enumerate(product(("ARQ", "HARQ(10/12)"), THREE)):
            chosen = {"scheme": scheme, "tcp": tcp, "es_n0_db": es, "in_order": in_order}
            found = cells.find("return", "goodput_bps", **chosen)
            x = [[*kinds].index(kind) + (place - 2.5) * 0.03 for kind in found["return_link"]]
            _variant(panel, x, found, tcp, "--" if scheme == "ARQ" else "-", f", {scheme}")
        panel.set_title(_order_title(in_order, es))

    _goodputs(figure, (False, True), draw_panel, "return link", [*kinds.values()], 2)


def _order_title(in_order: bool, es: float) -> str:
    return f"{'in order' if in_order else 'as they arrive'}, Es/N0 {es:g} dB"


def _goodputs(
    figure: Figure,
    rows: tuple[Any, Any],
    draw_panel: Callable[[Axes, Any, float], None],
    x_label: str,
    ticks: list[str],
    legend_columns: int = 3,
) -> None:
    """Draw panels of goodput for two values in rows and three Es/N0 in columns, with axes and legend."""
    panels = figure.subplots(2, 3, sharey=True, sharex=True)
    for row, value in zip(panels, rows, strict=True):
        for panel, es in zip(row, (5.0, 6.0, 8.0), strict=True):
            draw_panel(panel, value, es)
            panel.set_xticks(range(len(ticks)), ticks)
        row[0].set_ylabel("goodput (kbit/s)")
    for panel in panels[-1]:
        panel.set_xlabel(x_label)
    panels[0, 0].set_ylim(0, 280)
    _shared_legend(figure, panels[0, 0], legend_columns)


FIGURES: dict[str, tuple[tuple[float, float], Callable[[Cells, Figure], None]]] = {
    "kuhn-figure7": ((7.2, 3.8), figure7),
    "kuhn-figure8": ((7.2, 3.6), figure8),
    "kuhn-figure9": ((7.2, 3.6), partial(figure8, scenario=DOWN)),
    "kuhn-figure10": ((9.6, 3.4), figure10),
    "kuhn-figure11": ((9.6, 3.4), partial(figure10, scenario=NOT_INTERLEAVED)),
    "kuhn-table3": ((9.6, 3.4), table3),
    "kuhn-order": ((8.4, 5.2), order),
    "kuhn-persistency": ((8.4, 5.2), persistency),
    "kuhn-return": ((8.4, 5.2), lossy_return),
}
"""Name, size in inches and recipe of each figure."""


def draw(cells: Cells, folder: Path) -> None:
    """Draw every figure into `folder`, as PNG and SVG."""
    for name, (size, recipe) in FIGURES.items():
        with new_figure(*size) as figure:
            recipe(cells, figure)
            for ending in ("png", "svg"):
                save(figure, folder / f"{name}.{ending}")


def _line(
    axes: Axes,
    x: ArrayLike,
    found: pd.DataFrame,
    colour: str,
    dash: object,
    marker: str,
    label: str,
    scale: float = 1.0,
) -> None:
    """Draw means as a line with intervals."""
    y, errors = _means_and_errors(found, scale)
    axes.errorbar(
        x,
        y,
        yerr=errors,
        color=colour,
        linestyle=dash,
        marker=marker,
        markersize=4,
        markerfacecolor="white",
        capsize=2,
        elinewidth=0.9,
        label=label,
    )


def _means_and_errors(found: pd.DataFrame, scale: float) -> tuple[pd.Series, list[pd.Series]]:
    """Return means, and how far their intervals reach below and above, not below 0 and not where unknown."""
    means = found["mean"]
    low, high = found["low"].fillna(means).clip(lower=0), found["high"].fillna(means)
    return means * scale, [(means - low) * scale, (high - means) * scale]


def _variant(
    axes: Axes, x: list[float], found: pd.DataFrame, tcp: str, dash: str = "-", kind: str = ""
) -> None:
    """Draw the goodputs of a TCP variant, in the order of `x`."""
    style, at = TCP_STYLES[tcp], np.argsort(x, kind="stable")
    label = f"{style.label}{kind}"
    _line(axes, np.array(x)[at], found.iloc[at], style.colour, dash, style.marker, label, 1e-3)


PAPER_MARK: dict[str, Any] = {"marker": "_", "markersize": 13, "markeredgewidth": 2.2, "linestyle": "none"}
"""Drawing style of the paper's numbers."""


def _paper(axes: Axes, scenario: str, measure: str, tcp: str, scale: float) -> None:
    values = [v for v in read() if (v.scenario, v.measure, v.tcp) == (scenario, measure, tcp) and v.is_exact]
    for value in values:
        colour = SCHEMES[value.scheme][0]
        axes.plot(value.es_n0_db, value.value * scale, color=colour, zorder=5, **PAPER_MARK)


def _shared_legend(figure: Figure, axes: Axes, columns: int, *, with_paper: bool = False) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if with_paper:
        handles += axes.plot([], [], color=INK, **PAPER_MARK)
        labels += ["the paper's number"]
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
