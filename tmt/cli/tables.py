"""Tables and text on stdout. No figure is cut: a terminal that is too narrow wraps the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.cli.lazy import imported_when_used
from tmt.core.words.refusals import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rich.table import Table
    from rich.text import Text

with imported_when_used():
    from rich import box, console as consoles, measure, table as tables, text as texts

_ANY_WIDTH = 10_000


def text_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str | Text]], left: Collection[int]
) -> Table:
    """Return a table of texts, each on one line; columns whose index is in `left` are left-aligned."""
    table = tables.Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=_harmless(title) if title else None,
        title_justify="left",
        title_style="bold",
    )
    for number, name in enumerate(header):
        table.add_column(_harmless(name), justify="left" if number in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(_harmless, row))
    return table


def _harmless(text: str | Text) -> Text:
    """Return text without control characters for the terminal; its style stays."""
    made = texts.Text(text) if isinstance(text, str) else text.copy()
    made.plain = printable(made.plain)
    return made


def print_parts(*parts: Table | Text | str, least_width: int = 0) -> None:
    """Print tables and text as wide as the terminal, or as `least_width` or the widest table if wider.

    Columns with `no_wrap` stay on one line; the text of other columns may wrap.
    """
    if not parts:
        return
    shown = [part for part in parts if isinstance(part, tables.Table)]
    console = consoles.Console(highlight=False, markup=False)
    unbounded = console.options.update(max_width=_ANY_WIDTH)
    needed = max(console.width, least_width)
    for table in shown:
        if isinstance(table.title, str):
            table.title = printable(table.title)
        for column in table.columns:
            if column.no_wrap:
                cells = (column.header, *column.cells)
                column.min_width = max(
                    measure.Measurement.get(console, unbounded, cell).maximum for cell in cells
                )
        needed = max(needed, measure.Measurement.get(console, unbounded, table).minimum)
    console.width = needed
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, tables.Table) and part.title:  # Rich wraps a title to the table's own width
                console.print(texts.Text(str(part.title), "bold"))
                part.title = None
            console.print(part if isinstance(part, tables.Table) else _harmless(part))
    # Rich pads each line of a table, and leaves a blank where it wraps text.
    lines = (line.rstrip(" ") for line in captured.get().split("\n"))
    print("\n".join(lines), end="", flush=True)
