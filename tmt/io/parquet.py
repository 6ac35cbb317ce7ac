"""Parquet through pyarrow, streamed: one row group is written, and part of one is read, at a time."""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.errors import InputError, first_line
from tmt.core.schema import ERASABLE
from tmt.core.trace import make_trace
from tmt.core.words.refusals import refusal, shown
from tmt.io.atomic import staged
from tmt.io.base import (
    CHUNK_ROWS,
    TRACE_TABLES,
    Format,
    TraceReader,
    TraceWriter,
    wanted_table,
    wrong_columns,
)
from tmt.io.files import seekable
from tmt.io.metadata import METADATA_KEY, TOTALS_KEY, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.core.schema import Column, Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.files import BinaryFile

ROW_GROUP_ROWS = 1 << 18
"""Rows of a row group, except the last: small enough to hold several in memory, large enough to compress
well.
"""

_NAMED_COLUMNS = 8
"""Most columns that a message about a file without a trace lists."""

WRITE_SETTINGS: dict[str, Any] = {
    "compression": "zstd",
    "use_dictionary": ["transmissions", "size_bytes", "mode"],
    "column_encoding": dict.fromkeys(
        ("tx_time_ns", "decode_time_ns", "delay_ns", "es_n0_mdb"), "DELTA_BINARY_PACKED"
    ),
    "max_rows_per_page": CHUNK_ROWS,
    "write_page_checksum": True,
}
"""Encoding of the columns.

Differences of times are small numbers: files of regular slots are about 100 times smaller than plain ones,
and faster to write and to read. Compression restarts with each page, which takes a sixth of the time with
pyarrow's default of 20,000 rows per page.
"""

READ_SETTINGS: dict[str, Any] = {
    "pre_buffer": False,
    "buffer_size": 1 << 20,
    "page_checksum_verification": True,
}
"""Columns are read a buffer at a time, so that a file with one huge row group needs no more memory."""


def arrow_schema(columns: tuple[Column, ...], metadata: Metadata) -> pa.Schema:
    """Return the Parquet form of columns; only those with a null value may hold nulls."""
    fields = [
        pa.field(column.name, pa.from_numpy_dtype(np.dtype(column.dtype)), column.null is not None)
        for column in columns
    ]
    keys = {METADATA_KEY: json.dumps(metadata, sort_keys=True)} if metadata else None
    return pa.schema(fields, keys)


def write_records(
    path: Path, table: Table, records: np.ndarray[Any, np.dtype[np.void]], metadata: Metadata
) -> None:
    """Write `records`, which have the columns of `table` (OutputError when that fails)."""
    arrays = [_to_arrow(column, records[column.name]) for column in table.columns]
    with staged(path) as part:
        pq.write_table(pa.Table.from_arrays(arrays, schema=arrow_schema(table.columns, metadata)), part)


class ParquetReader(TraceReader):
    """Row groups of a Parquet file, in pieces."""

    def __init__(
        self, source: pq.ParquetFile, file: BinaryFile, path: str, table: Table, columns: tuple[Column, ...]
    ) -> None:
        super().__init__(file, path, table, columns, source.metadata.num_rows)
        keys = {**(source.metadata.metadata or {}), **(source.schema_arrow.metadata or {})}
        texts = (keys.get(key.encode()) for key in (METADATA_KEY, TOTALS_KEY))
        self.describe(parsed([text for text in texts if text is not None], path))
        self._source, self._row = source, 0

    def unchecked(self) -> Iterator[Trace]:
        """Yield chunks; a row group that cannot be decoded is named, from 1."""
        names = [column.name for column in self.columns]
        for group in range(self._source.num_row_groups):
            try:
                # This thread already reads ahead; the other cores have other work.
                for batch in self._source.iter_batches(CHUNK_ROWS, [group], names, use_threads=False):
                    yield from self._checked_for_nulls(batch)
            except InputError:
                raise
            except (pa.ArrowException, OSError, ValueError) as error:
                raise InputError(
                    self.path, refusal("damaged", detail=first_line(error)), f"row group {group + 1}"
                ) from error

    def _checked_for_nulls(self, batch: pa.RecordBatch) -> Iterator[Trace]:
        """Yield the rows of a batch up to the first missing value in a required column; refuse that value."""
        missing = [
            (batch.column(column.name).is_null().index(True).as_py(), column.name)
            for column in self.columns
            if column.null is None and batch.column(column.name).null_count
        ]
        good, name = min(missing, default=(len(batch), ""))
        rows = batch.slice(0, good)
        yield make_trace(
            self.table, {column.name: _to_numpy(column, rows.column(column.name)) for column in self.columns}
        )
        self._row += good
        if missing:
            key = "null_erased" if name == ERASABLE.name else "null"
            raise InputError(self.path, refusal(key, column=name), self.place(self._row))

    def release(self) -> None:
        """Close the file."""
        self._source.close()
        super().release()


def _to_numpy(column: Column, values: pa.Array) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Return a writable array on the memory that Parquet decoded into, with nulls as in the schema.

    From buffers: Arrow's functions would import pandas, slowly.
    """
    if pa.types.is_boolean(values.type):
        array = _bits(values.buffers()[1], values)
    else:
        dtype = np.dtype(column.dtype)
        array = np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * dtype.itemsize)
    if values.null_count:
        array[~_bits(values.buffers()[0], values)] = column.null
    return array


def _bits(buffer: pa.Buffer, values: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the bits of a buffer of an array, one for each value."""
    begin, end = values.offset, values.offset + len(values)
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=end, bitorder="little")
    return bits[begin:].view(np.bool_)


def _to_arrow(column: Column, values: np.ndarray[tuple[int], np.dtype[Any]]) -> pa.Array:
    """Return the array as a Parquet column, from buffers: `pyarrow.array` would import pandas, slowly."""
    data = np.packbits(values, bitorder="little") if column.dtype == "|b1" else np.ascontiguousarray(values)
    present = None
    if column.null is not None:
        missing = values == column.null
        if missing.any():
            present = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    kind = pa.from_numpy_dtype(np.dtype(column.dtype))
    return pa.Array.from_buffers(kind, len(values), [present, pa.py_buffer(data)])


def open_parquet(file: BinaryFile, path: str, table: Table | None) -> ParquetReader:
    """Read the footer, check the columns, and open a reader."""
    with ExitStack() as closing:
        file = seekable(path, file)
        closing.callback(file.close)
        try:
            source = pq.ParquetFile(file, **READ_SETTINGS)
            schema = source.schema_arrow
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(path, refusal("damaged", detail=first_line(error))) from error
        names = set(schema.names)
        found = next((known for known in reversed(TRACE_TABLES) if set(known.names) <= names), None)
        if found is None:
            raise wrong_columns(path, table, _columns(schema))
        known = wanted_table(path, found, table)
        columns = next(form for form in known.forms if {column.name for column in form} <= names)
        for column in columns:
            expected = pa.from_numpy_dtype(np.dtype(column.dtype))
            if schema.names.count(column.name) > 1 or schema.field(column.name).type != expected:
                raise wrong_columns(path, known, _columns(schema))
        reader = ParquetReader(source, file, path, known, columns)
        closing.pop_all()
        return reader


def _columns(schema: pa.Schema) -> str:
    """Return the names and types of a file's columns, or of the first ones if there are many."""
    named = [f"{field.name} {field.type}" for field in list(schema)[:_NAMED_COLUMNS]]
    return shown(", ".join([*named, "..."] if len(schema) > _NAMED_COLUMNS else named) or "none", 300)


class ParquetWriter(TraceWriter):
    """Collects chunks into row groups of `ROW_GROUP_ROWS`, so that files do not depend on the chunks."""

    def __init__(self, part: Path, path: str, table: Table, metadata: Metadata) -> None:
        super().__init__(part, path, table, metadata)
        self._writer: pq.ParquetWriter | None = None
        self._held: list[pa.RecordBatch] = []
        self._held_rows = 0

    def begin(self) -> None:
        """Fix the columns."""
        self._schema = arrow_schema(self.columns, self.metadata)
        self._writer = pq.ParquetWriter(self._file, self._schema, **WRITE_SETTINGS)

    def encoded(self, chunk: Trace) -> pa.RecordBatch:
        """Return the rows in Arrow's form."""
        arrays = [_to_arrow(column, getattr(chunk, column.name)) for column in self.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def append(self, rows: pa.RecordBatch) -> None:
        """Hold the rows back, and write every full row group."""
        while self._held_rows + len(rows) >= ROW_GROUP_ROWS:
            missing = ROW_GROUP_ROWS - self._held_rows
            self._held.append(rows.slice(0, missing))
            self._flush()
            rows = rows.slice(missing)
        if len(rows):
            self._held.append(rows)
            self._held_rows += len(rows)

    def _flush(self) -> None:
        assert self._writer is not None
        self._writer.write_table(pa.Table.from_batches(self._held, self._schema), ROW_GROUP_ROWS)
        self._held, self._held_rows = [], 0

    def complete(self) -> None:
        """Write the last row group and the footer."""
        if self._held:
            self._flush()
        assert self._writer is not None
        if self.totals:
            self._writer.add_key_value_metadata({TOTALS_KEY: json.dumps(self.totals, sort_keys=True)})
        self._writer.close()

    def release(self) -> None:
        """Close the file; pyarrow writes a footer even for an incomplete one."""
        if self._writer is not None:
            with suppress(OSError, pa.ArrowException):
                self._writer.close()
        super().release()


FORMAT = Format(
    "Parquet",
    (".parquet", ".parquet.gz"),
    lambda head: head.startswith(b"PAR1"),
    open_parquet,
    ParquetWriter,
    keeps_metadata=True,
)
