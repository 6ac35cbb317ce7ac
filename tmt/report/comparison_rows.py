"""Goodput of a campaign's cells, as the figure of `tmt run` draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.figures.comparison import Panel, Row, Variant
from tmt.results.cells import point_label, summarise
from tmt.results.order import family

if TYPE_CHECKING:
    from tmt.results.cells import Cell
    from tmt.results.dataset import Results


def comparison_rows(results: Results) -> list[Row]:
    """Return one row for each point of the grid, with a panel for each scheme."""
    summary = summarise(results)
    kbps = 1e-3 / summary.rate_unit[1]

    def variant(cell: Cell) -> Variant:
        goodput = cell.intervals["goodput_bps"]
        values = tuple(value * kbps for value in cell.single["goodput_bps"])
        best = cell.among_best.get("goodput_bps", True)
        tcp = summary.tcps[cell.tcp]
        return Variant(tcp, goodput.mean * kbps, goodput.low * kbps, goodput.high * kbps, values, best)

    rows = []
    for point in range(len(summary.points)):
        cells = [c for c in summary.cells if c.point == point and "goodput_bps" in c.intervals]
        panels = []
        for scheme in sorted({cell.scheme for cell in cells}):
            members = [cell for cell in cells if cell.scheme == scheme]
            label = summary.schemes[scheme]
            variants = tuple(map(variant, members))
            panels.append(Panel(label, family(label), members[0].capacity_bps / 1000, variants))
        rows.append(Row(point_label(results.axes, summary, point), tuple(panels)))
    return rows
