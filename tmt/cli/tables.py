"""Tables for the terminal, whose figures are never cut: a terminal that is too narrow folds the lines."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_ANY_WIDTH = 10_000


def titled_table(title: str) -> Table:
    """Return a table without columns and rows; an empty title is none."""
    return Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
    )


def wide_console(*tables: Table) -> Console:
    """Return a console that is as wide as the terminal, or as the widest table if that is wider.

    Columns with `no_wrap` stay on one line; the text of other columns may wrap.
    """
    console = Console(highlight=False, markup=False)
    unbounded = console.options.update(max_width=_ANY_WIDTH)
    needed = console.width
    for table in tables:
        for column in table.columns:
            if column.no_wrap:
                cells = (column.header, *column.cells)
                column.min_width = max(Measurement.get(console, unbounded, cell).maximum for cell in cells)
        needed = max(needed, Measurement.get(console, unbounded, table).minimum)
    console.width = needed
    return console
