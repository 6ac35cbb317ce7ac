"""Parquet files whose columns are found by name, read as `tmt.measured.columns.TextTable` reads text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.errors import InputError
from tmt.io.refusals import shown

if TYPE_CHECKING:
    from collections.abc import Iterator


class ParquetTable:
    """A Parquet file; the places of its rows are called ``row N``."""

    cut_line: int | None = None

    def __init__(self, path: str) -> None:
        import pyarrow as pa  # noqa: PLC0415  (takes long to import)
        from pyarrow import parquet  # noqa: PLC0415

        self.path = path
        try:
            self._table = parquet.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(path, f"cannot be read: {str(error).splitlines()[0]}") from error

    def rows(self, *names: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the place of each row, and its values as text in the columns called `names`."""
        import pyarrow as pa  # noqa: PLC0415

        for name in names:
            if self._table.column_names.count(name) != 1:
                known = shown(", ".join(self._table.column_names), 300)
                raise InputError(self.path, f"there is no column called {name}; the columns are {known}")
        columns = []
        for name in names:
            column = self._table.column(name)
            if pa.types.is_timestamp(column.type):
                column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
                columns.append(["" if value is None else value.isoformat() for value in column.to_pylist()])
                continue
            columns.append(["" if value is None else str(value) for value in column.to_pylist()])
        for number, values in enumerate(zip(*columns, strict=True), 1):
            yield f"row {number}", list(values)
