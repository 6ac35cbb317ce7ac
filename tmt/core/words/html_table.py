"""HTML tables and charts of objects in notebooks."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from altair.typing import ChartType


class ShownInNotebooks:
    """A value that notebooks show through the function registered for its class in `notebook_html`."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return notebook_html(self)


@singledispatch
def notebook_html(shown: object) -> str | None:
    """Return a value as HTML; None where no function is registered for its class.

    Modules that present values register functions here, so that the values do not import them.
    """
    del shown
    return None


class Charted:
    """A value with a picture; the function registered for its class in `chart_of` draws it."""

    __slots__ = ()

    def chart(self) -> ChartType:
        """Return the picture as an Altair chart: notebooks show it, and `save(path)` writes it.

        UsageError when there is nothing to draw.
        """
        return chart_of(self)


@singledispatch
def chart_of(drawn: object) -> ChartType:
    """Return the chart of a value; modules that draw register functions here, as in `notebook_html`."""
    raise TypeError(f"{type(drawn).__name__} has no chart")


def html_table(caption: str, rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Return a table; the first cell of each row is its heading, and every text is escaped."""
    head = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in header) + "</tr>" if header else ""
    body = "".join(_row(*cells) for cells in rows)
    return f'<table><caption style="text-align: left">{escape(caption)}</caption>{head}{body}</table>'


def spelled_number(value: object) -> str:
    """Return a small value with four digits, a large one as a whole number."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float() if abs(value) < 1000:
            return f"{value:.4g}"
        case int() | float():
            return f"{value:,.0f}"
        case _:
            return str(value)


def _row(heading: str, *cells: str) -> str:
    values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th style="text-align: left">{escape(heading)}</th>{values}</tr>'
