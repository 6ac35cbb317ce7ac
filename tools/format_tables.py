"""Fills the tables of `docs/formats.md` from schema and refusals: ``python tools/format_tables.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from page_tables import fill_tables, markdown_table

from tmt.core.schema import LINK_TRACE, PHY_TRACE, Column, Table
from tmt.io import formats

PAGE = Path(__file__).parents[1] / "docs" / "formats.md"


def _values(column: Column) -> str:
    """The allowed values of a column, in words."""
    if column.dtype == "|b1":
        return "true, false"
    most = "2^62" if column.maximum == 2**62 else column.maximum
    if column.minimum is None and most is None:
        return "any"
    text = f"{column.minimum} or more" if most is None else f"{column.minimum} to {most}"
    text += "" if column.null is None else ", or null"
    return text if column.order == "any" else f"{text}, {column.order}"


def _columns(table: Table) -> str:
    return markdown_table(
        ["column", "type", "values", "meaning"],
        (
            [f"`{column.name}`", f"`{np.dtype(column.dtype)}`", _values(column), column.meaning]
            for column in table.columns + table.optional + table.named
        ),
    )


def _formats() -> str:
    rows = ([known.name, ", ".join(f"`{ending}`" for ending in known.endings)] for known in formats())
    return markdown_table(["format", "endings"], rows)


def tables() -> dict[str, str]:
    """Return every table of the page, by its name."""
    return {
        "formats": _formats(),
        **{table.kind: _columns(table) for table in (PHY_TRACE, LINK_TRACE)},
    }


if __name__ == "__main__":
    fill_tables(PAGE, tables())
