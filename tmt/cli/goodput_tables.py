"""Goodputs of a campaign on the terminal: for each point of the grid a table of schemes by TCP variants."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from tmt.cli.tables import titled_table
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from tmt.results.cells import Cell, Summary

GOODPUT = "goodput_bps"


def goodput_tables(summary: Summary) -> Iterator[Table]:
    """Give a table for each point of the grid."""
    for point in range(len(summary.points)):
        yield _table(summary, point)


def kbps(summary: Summary) -> float:
    """Return the factor from the unit of goodput to kbit/s."""
    return 1e-3 / summary.rate_unit[1]


def _table(summary: Summary, point: int) -> Table:
    table = titled_table(summary.point_label(point))
    variants, rows = summary.rows_at(point)
    table.add_column("scheme", no_wrap=True)
    for name in [*(tcp_label(summary.tcps[tcp]) for tcp in variants), "capacity"]:
        table.add_column(name, justify="right", no_wrap=True)
    for scheme, row in rows.items():
        capacity_bps = next(cell.capacity_bps for cell in row if cell is not None)
        table.add_row(
            Text(summary.schemes[scheme]),
            *(_cell(summary, cell) for cell in row),
            "" if math.isnan(capacity_bps) else f"{capacity_bps / 1000:.0f}",
        )
    return table


def _cell(summary: Summary, cell: Cell | None) -> Text:
    if cell is None or GOODPUT not in cell.intervals:
        return Text("")
    goodput = cell.intervals[GOODPUT].scaled(kbps(summary))
    # Further digits are meaningless for this interval.
    digits = 0 if goodput.mean >= 100 or goodput.half_width >= 1 else 1
    text = f"{goodput.mean:.{digits}f}"
    if not math.isnan(goodput.low):
        text += f" ±{goodput.half_width:.{digits}f}"
    best = cell.among_best.get(GOODPUT, True)
    return Text(f"{text}*", style="bold") if best else Text(f"{text} ")
