"""Number of rows of a trace file, the total of a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.io import open_trace

if TYPE_CHECKING:
    from tmt.schema import Table


def rows_of(path: str, table: Table | None = None) -> int | None:
    """Return the number of rows of a trace; None where the file does not tell."""
    with open_trace(path, table) as reader:
        return reader.rows
