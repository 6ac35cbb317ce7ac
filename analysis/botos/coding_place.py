"""Does coding belong in the transport or in the link? FECTCP and TCP over the schemes of Kuhn 2014.

The scenario is `scenarios/coding-place.toml`: the same seeds, and so the same channel, for all of them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from analysis.figure_style import draw_intervals, new_figure, save
from analysis.pages import start, write_tables
from analysis.runs import run_named
from analysis.selections import chosen, difference, interval
from tmt.show.charts.style import INK, TCP_STYLES
from tools.page_tables import markdown_table, plus_minus

NAME = "fectcp-coding-place"
PAGE, TABLE = "fectcp.md", "coding-place"
SCHEMES = ("none", "ARQ", "HARQ(10/12)")
TCPS = ("fectcp", "cubic", "hybla")
GOODPUT_KBPS = ("goodput_bps", 1e-3)


def main(folder: Path) -> str:
    """Execute the missing runs, draw the figure into `folder`, and return the comparison as a table."""
    rows = run_named("coding-place", folder)
    draw(rows, folder / "images" / f"{NAME}.png")
    return write_tables(folder, PAGE, {TABLE: table(rows)})


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Draw goodput over Es/N0, a panel for each scheme, a line for each variant."""
    with new_figure(7.2, 3.4) as figure:
        panels = figure.subplots(1, len(SCHEMES), sharey=True)
        for axes, scheme in zip(panels, SCHEMES, strict=True):
            _draw_scheme(axes, rows[rows["scheme"] == scheme])
            axes.set(title=scheme, xlabel="Es/N0 (dB)", xticks=sorted(set(rows["es_n0_db"])))
        panels[0].set_ylabel("goodput, TCP payload (kbit/s)")
        panels[0].set_ylim(bottom=0)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        save(figure, path)


def _draw_scheme(axes: Axes, rows: pd.DataFrame) -> None:
    levels = sorted(set(rows["es_n0_db"]))
    capacity = [interval(chosen(rows, es_n0_db=level), "capacity_bps", 1e-3).mean for level in levels]
    axes.plot(levels, capacity, color=INK, linestyle=":", linewidth=1, label="capacity")
    for number, tcp in enumerate(TCPS):
        style = TCP_STYLES[tcp]
        found = [interval(chosen(rows, es_n0_db=level, tcp=tcp), *GOODPUT_KBPS) for level in levels]
        x = [level + 0.06 * (number - 1) for level in levels]
        marks = {"color": style.colour, "marker": style.marker, "label": style.label}
        draw_intervals(axes, x, found, elinewidth=0.9, **marks)


def table(rows: pd.DataFrame) -> str:
    """Return goodputs in kbit/s with 95 % t intervals over the seeds, as a table in Markdown.

    Its last lines compare FECTCP without protection with the better TCP over each scheme, seed by seed.
    """
    levels = sorted(set(rows["es_n0_db"]))
    lines = []
    for scheme, tcp in product(SCHEMES, TCPS):
        own = chosen(rows, scheme=scheme, tcp=tcp)
        cells = [plus_minus(interval(chosen(own, es_n0_db=level), *GOODPUT_KBPS)) for level in levels]
        lines.append([scheme, TCP_STYLES[tcp].label, *cells])
    for scheme in SCHEMES:
        cells = [_advantage(rows, scheme, level) for level in levels]
        lines.append([f"none, {scheme}", "FECTCP minus best TCP", *cells])
    return markdown_table(["scheme", "variant", *(f"{level:g} dB" for level in levels)], lines)


def _advantage(rows: pd.DataFrame, scheme: str, level: float) -> str:
    """Compare FECTCP over none with the TCP that has the higher mean over a scheme, on the same seeds."""
    of_level = chosen(rows, es_n0_db=level)
    others = {tcp: chosen(of_level, scheme=scheme, tcp=tcp) for tcp in TCPS[1:]}
    best = max(others, key=lambda tcp: interval(others[tcp], *GOODPUT_KBPS).mean)
    plain = chosen(of_level, scheme="none", tcp="fectcp")
    return f"{plus_minus(difference(plain, others[best], *GOODPUT_KBPS))} ({TCP_STYLES[best].label})"


if __name__ == "__main__":
    start(main, PAGE, f"images/{NAME}.png")
