"""Parquet files whose columns are found by name, read as `tmt.importers.columns.TextTable` reads text."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.errors import InputError, first_line
from tmt.core.words.refusals import shown
from tmt.importers.columns import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS_AT_A_TIME = 1 << 16


class ParquetTable:
    """A Parquet file; the places of its rows are called ``row N``."""

    cut_notes: tuple[str, ...] = ()

    def __init__(self, path: str) -> None:
        from pyarrow import parquet  # noqa: PLC0415  (takes long to import)

        self.path = path
        with self._refused():
            self._names: list[str] = parquet.read_schema(path).names

    def rows(self, *names: str) -> Iterator[Row]:
        """Yield the rows with their values as text in the columns called `names`."""
        for name in names:
            if self._names.count(name) != 1:
                known = shown(", ".join(self._names), 300)
                raise InputError(self.path, f"there is no column called {name}; the columns are {known}")
        number = 0
        for batch in self._batches(names):
            with self._refused():  # text may be no UTF-8
                columns = [_as_text(batch.column(name)) for name in names]
            for values in zip(*columns, strict=True):
                number += 1
                yield Row(self.path, f"row {number}", dict(zip(names, values, strict=True)))

    def _batches(self, names: tuple[str, ...]) -> Iterator[Any]:
        from pyarrow import parquet  # noqa: PLC0415

        with self._refused(), Path(self.path).open("rb") as file, parquet.ParquetFile(file) as source:
            yield from source.iter_batches(_ROWS_AT_A_TIME, columns=list(names))

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """Turn errors of the file and of pyarrow into a refusal of the file."""
        from pyarrow import ArrowException  # noqa: PLC0415

        try:
            yield
        except InputError:
            raise
        except (OSError, ArrowException, ValueError) as error:
            raise InputError(self.path, f"cannot be read: {first_line(error)}") from error


def _as_text(column: Any) -> list[str]:
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_timestamp(column.type):
        # Arrow keeps instants in UTC; the names of zones differ from system to system.
        column = column.cast(pa.timestamp("us", column.type.tz and "UTC"), safe=False)
        return ["" if value is None else value.isoformat() for value in column.to_pylist()]
    return ["" if value is None else str(value) for value in column.to_pylist()]
