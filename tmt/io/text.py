"""Text, plain and gzip: the papers' columns of seconds (``.txt``) and CSV with a header (``.csv``).

A block of lines is parsed by pyarrow at once. Only a block that it refuses is gone through line by line, in
Python, which either finds the defect and its line or accepts what pyarrow is too strict for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv

from tmt.errors import InputError, NotATraceError
from tmt.io.base import TRACE_TABLES, Format, TraceReader, TraceWriter, trace_of, wanted_table
from tmt.io.fields import Dialect, Layout, parse_block, parse_lines
from tmt.io.files import open_output
from tmt.io.lines import LineBlocks
from tmt.io.refusals import refusal, shown
from tmt.io.seconds import spelled_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tmt.io.files import BinaryFile
    from tmt.schema import Table
    from tmt.trace import Metadata, Trace

_CSV = Dialect("CSV", ",", "")
_TXT = Dialect("text", " ", "-")


class TextReader(TraceReader):
    """Lines of a text file, parsed a block at a time."""

    def __init__(self, lines: LineBlocks, dialect: Dialect, layout: Layout, header_lines: int) -> None:
        super().__init__(lines.path, layout.table, {}, None)
        self.seconds = layout.seconds
        self._lines, self._dialect, self._layout, self._header_lines = lines, dialect, layout, header_lines

    def unchecked(self) -> Iterator[Trace]:
        """Yield one chunk per block of lines."""
        for line, block in self._lines.blocks():
            columns = parse_block(block, self._dialect, self._layout)
            error = None
            if columns is None:
                columns, error = parse_lines(block, self.path, line, self._dialect, self._layout)
            yield trace_of(self.table, columns)
            if error is not None:
                raise error

    def place(self, row: int) -> int:
        """Number of the line: no line is skipped."""
        return self._header_lines + row + 1

    def release(self) -> None:
        """Close the file."""
        self._lines.close()


def _open(file: BinaryFile, path: str, table: Table | None, dialect: Dialect) -> TextReader:
    """Find out which columns the file has, and open a reader at its first row."""
    lines = LineBlocks(file, path)
    names = [name.strip('"') for name in dialect.split(lines.first_line().removeprefix("\ufeff"))]
    layout = _layout(names)
    header_lines = 0 if layout is None else 1
    if header_lines:
        lines.skip_line()
    elif dialect is _TXT:
        layout = _positional(len(names))
    if layout is None:
        raise _wrong_columns(path, table, dialect, names)
    wanted_table(path, layout.table, table)
    return TextReader(lines, dialect, layout, header_lines)


def _layout(names: list[str]) -> Layout | None:
    """Return the layout that a header declares; its columns may stand in any order, among others."""
    if len(set(names)) != len(names):
        return None
    for table in reversed(TRACE_TABLES):
        for seconds in (False, True):
            needed = text_names(table, seconds=seconds)
            if set(needed) <= set(names):
                return Layout(table, tuple(map(names.index, needed)), len(names), seconds)
    return None


def _positional(width: int) -> Layout | None:
    """Return the layout of a headerless file by its number of columns."""
    for table in TRACE_TABLES:
        if len(table.columns) == width:
            return Layout(table, tuple(range(width)), width, seconds=True)
    return None


def text_names(table: Table, *, seconds: bool) -> list[str]:
    """Names of the columns of `table` in a header: those of the schema, or without ``_ns`` for seconds."""
    return [name.removesuffix("_ns") if seconds else name for name in table.names]


def _wrong_columns(path: str, table: Table | None, dialect: Dialect, names: list[str]) -> InputError:
    """Say which columns the first line has and which it should have."""
    choices = " or ".join(
        dialect.delimiter.join(text_names(known, seconds=dialect is _TXT))
        for known in ([table] if table else TRACE_TABLES)
    )
    found = shown(dialect.delimiter.join(names), 120)
    key = "text_columns" if dialect is _TXT else "csv_header"
    return NotATraceError(path, refusal(key, found=found, columns=choices), 1)


class TextWriter(TraceWriter):
    """Writes lines of fields, chunk by chunk."""

    def __init__(self, part: Path, path: str, table: Table, dialect: Dialect) -> None:
        super().__init__(path, table)
        self._dialect = dialect
        self._file = open_output(part)
        if dialect is _CSV:
            self._file.write(",".join(table.names).encode() + b"\n")

    def encoded(self, chunk: Trace) -> pa.RecordBatch:
        """Spell the rows' fields."""
        return pa.RecordBatch.from_arrays(
            [
                spelled_column(
                    column, getattr(chunk, column.name), self._dialect.null, seconds=self._dialect is _TXT
                )
                for column in self.table.columns
            ],
            list(self.table.names),
        )

    def append(self, rows: pa.RecordBatch) -> None:
        """Write one line per row."""
        options = csv.WriteOptions(
            include_header=False, delimiter=self._dialect.delimiter, quoting_style="none", batch_size=1 << 16
        )
        csv.write_csv(rows, self._file, options)

    def complete(self) -> None:
        """Flush what the system has not taken yet."""
        self._file.flush()

    def release(self) -> None:
        """Close the file."""
        self._file.close()


def _looks_like_text(head: bytes) -> bool:
    return bool(head) and b"\0" not in head and not head.startswith((b"PAR1", b"\x93NUMPY", b"\x1f\x8b"))


def _sniff_csv(head: bytes) -> bool:
    return _looks_like_text(head) and b"," in head.split(b"\n", 1)[0]


def _sniff_txt(head: bytes) -> bool:
    return _looks_like_text(head) and b"," not in head.split(b"\n", 1)[0]


def _format(dialect: Dialect, ending: str, sniff: Callable[[bytes], bool]) -> Format:
    def open_text(file: BinaryFile, path: str, table: Table | None) -> TextReader:
        return _open(file, path, table, dialect)

    def create_text(part: Path, path: str, table: Table, metadata: Metadata) -> TextWriter:
        del metadata  # text has no room for it
        return TextWriter(part, path, table, dialect)

    return Format(dialect.name, (ending, f"{ending}.gz"), sniff, open_text, create_text)


CSV = _format(_CSV, ".csv", _sniff_csv)
TXT = _format(_TXT, ".txt", _sniff_txt)
