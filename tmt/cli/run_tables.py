"""Tables of a campaign's results on the terminal: schemes by TCP variants, and members of competing flows."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from rich.text import Text

from tmt.cli.tables import text_table
from tmt.results.groups import ALONE, BRIEF, shown_measures
from tmt.results.measures import OF_PROGRAM
from tmt.results.values import NO_VALUE, interval_text
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from tmt.results.cells import Cell, Summary
    from tmt.results.measures import Measure

GOODPUT = "goodput_bps"

OF_MEMBERS = (
    (
        *("groups", "group", BRIEF),
        "Of each group beside others: mean and 95 % t interval. Share: of what all delivered while all were\n"
        "active together. Harm: goodput that the others take / goodput alone, if a run has the flows alone.",
    ),
    (
        *("users", "TCP", (GOODPUT, "fairness")),
        "All users of a line together: the sum of their goodputs, and Jain's index of fairness among them.",
    ),
)
"""Parts of the results with separate tables: name, heading of a member, columns, and their meaning."""


def goodput_tables(summary: Summary) -> Iterator[Table]:
    """Yield a table of schemes by TCP variants for each point of the grid."""
    for point in range(len(summary.points)):
        variants, cells = summary.rows_at(point)
        rows: list[tuple[str | Text, ...]] = []
        for scheme, row in cells.items():
            bps = next(cell.capacity_bps for cell in row if cell is not None)
            capacity = "" if math.isnan(bps) else f"{bps / 1000:.0f}"
            rows.append((summary.schemes[scheme], *(_cell(summary, cell) for cell in row), capacity))
        header = ("scheme", *(tcp_label(summary.tcps[tcp]) for tcp in variants), "capacity")
        yield text_table(summary.point_label(point), header, rows, (0,))


def measure_tables(summary: Summary) -> Iterator[Table]:
    """Yield a table of schemes by TCP variants for each number that programs reported, and grid point."""
    measures = [one for one in summary.measures if one.column.startswith(OF_PROGRAM)]
    for measure, point in product(measures, range(len(summary.points))):
        variants, cells = summary.rows_at(point)
        if not any(one and measure.column in one.intervals for row in cells.values() for one in row):
            continue
        rows = [
            (summary.schemes[scheme], *(_interval(cell, measure) for cell in row))
            for scheme, row in cells.items()
        ]
        unit = f" ({measure.unit})" if measure.unit else ""
        title = ", ".join(filter(None, (f"{measure.label}{unit}", summary.point_label(point))))
        yield text_table(title, ("scheme", *(tcp_label(summary.tcps[tcp]) for tcp in variants)), rows, (0,))


def _interval(cell: Cell | None, measure: Measure) -> str:
    if cell is None or measure.column not in cell.intervals:
        return NO_VALUE
    return interval_text(cell.intervals[measure.column])


def member_tables(summary: Summary, members: str, columns: Sequence[str]) -> Iterator[Table]:
    """Yield a table of some columns of each scheme's members for each point, except of flows alone."""
    measures = shown_measures(summary, columns)
    units = (f" ({one.unit})" if one.unit else "" for one in measures)
    header = ("scheme", members, *map("".join, zip((one.label for one in measures), units, strict=True)))
    for point in range(len(summary.points)):
        if summary.levels(point).get("beside") == ALONE:
            continue
        rows = [
            (
                summary.schemes[cell.scheme],
                tcp_label(summary.tcps[cell.tcp]),
                *(_interval(cell, one) for one in measures),
            )
            for cell in summary.cells
            if cell.point == point
        ]
        yield text_table(summary.point_label(point), header, rows, (0, 1))


def kbps(summary: Summary) -> float:
    """Return the factor that makes kbit/s of the summary's unit of rates."""
    return 1e-3 / summary.rate_unit[1]


def _cell(summary: Summary, cell: Cell | None) -> Text:
    if cell is None or GOODPUT not in cell.intervals:
        return Text("")
    goodput = cell.intervals[GOODPUT].scaled(kbps(summary))
    # Further digits are meaningless for this interval.
    digits = 0 if goodput.mean >= 100 or goodput.half_width >= 1 else 1
    text = interval_text(goodput, places=digits)
    best = len(summary.tcps) > 1 and cell.among_best.get(GOODPUT, True)
    return Text(f"{text}*", style="bold") if best else Text(f"{text} ")
