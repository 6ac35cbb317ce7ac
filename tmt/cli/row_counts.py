"""Number of rows of a trace file, the total of a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.core.schema import Table


def rows_of(path: str, table: Table | None = None) -> int | None:
    """Return the number of rows of a trace; None where the file does not tell."""
    from tmt.io import open_trace  # noqa: PLC0415  (pyarrow takes long to import)

    with open_trace(path, table) as reader:
        return reader.rows
