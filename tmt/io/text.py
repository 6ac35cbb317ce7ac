"""Text, plain and gzip: the papers' columns of seconds (``.txt``) and CSV with a header (``.csv``).

pyarrow parses a block of lines at once. If pyarrow refuses a block, Python parses it line by line: it finds
the defect and its line, or accepts the block if pyarrow is too strict. A comment before the first row may
state the trace's start and length.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv

from tmt.core.errors import InputError, NotATraceError
from tmt.core.extent import Extent
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import make_trace
from tmt.core.units import MAX_TIME_NS, seconds_text, seconds_to_ns
from tmt.core.words.refusals import refusal, shown
from tmt.io.base import TRACE_TABLES, Format, TraceReader, TraceWriter, wanted_table
from tmt.io.fields import Dialect, Layout, parse_block, parse_lines, spelled_column
from tmt.io.files import LineBlocks, without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.core.schema import Column, Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.files import BinaryFile

_BEGIN = re.compile(r"#\s*(begin|length)(_ns)?\s*=")
_WHOLE = re.compile(r"#\s*begin(_ns)?=(\S+)\s+length(_ns)?=(\S+)")
_NEEDED = "# begin_ns=0 length_ns=200000000, or in seconds # begin=0 length=0.2"

_CSV = Dialect(",", "")
_TXT = Dialect(" ", "-")


def comment_of(extent: Extent, *, seconds: bool) -> str:
    """Return the comment that states an extent, in seconds or in nanoseconds."""
    if seconds:
        return f"# begin={seconds_text(extent.begin_ns)} length={seconds_text(extent.length_ns)}"
    return f"# begin_ns={extent.begin_ns} length_ns={extent.length_ns}"


class Comments:
    """Comments of the file `path` that have been skipped, and the extent that one of them states."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._line = 0
        self._extent: Extent | None = None

    def skipped(self, lines: LineBlocks) -> str:
        """Take the next comments, and return the line after them, which is not consumed.

        InputError when one of them states a damaged extent, or another one than an earlier comment.
        """
        while (first := lines.first_line().removeprefix("\ufeff")).startswith("#"):
            if _BEGIN.match(first):
                extent = self._parsed(first, lines.line)
                if self._extent is not None:
                    self._refuse_second(extent, lines.line, self._extent, f"in line {self._line}")
                self._extent, self._line = extent, lines.line
            lines.skip_line()
        return first

    def extent_beside(self, other: Extent | None) -> Metadata:
        """Return the entries of the metadata that the comments give; InputError unless `other` is equal."""
        if self._extent is None:
            return {}
        if other is not None:
            self._refuse_second(self._extent, self._line, other, "in the metadata beside the file")
        return self._extent.metadata

    def _parsed(self, text: str, line: int) -> Extent:
        found = _WHOLE.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            in_ns, begin, length_in_ns, length = found.groups()
            begin_ns = int(begin) if in_ns else seconds_to_ns(begin)
            length_ns = int(length) if length_in_ns else seconds_to_ns(length)
            if not (begin_ns >= 0 and 1 <= length_ns <= MAX_TIME_NS - begin_ns):
                raise ValueError
        except ValueError:
            reason = refusal("comment_of_length", found=shown(text, 80), needed=_NEEDED)
            raise InputError(self._path, reason, line) from None
        return Extent(begin_ns, length_ns)

    def _refuse_second(self, extent: Extent, line: int, other: Extent, elsewhere: str) -> None:
        if extent != other:
            one, two = (f"{found.begin_ns} ns and {found.length_ns} ns" for found in (extent, other))
            told = refusal("two_lengths", one=one, two=two, elsewhere=elsewhere)
            raise InputError(self._path, told, line)


class TextReader(TraceReader):
    """Lines of a text file, parsed a block at a time."""

    def __init__(self, lines: LineBlocks, dialect: Dialect, layout: Layout, comments: Comments) -> None:
        super().__init__(lines.file, lines.path, layout.table, layout.columns, None)
        self._comments = comments
        self.seconds = layout.seconds
        self._lines, self._dialect, self._layout = lines, dialect, layout
        self._first_row, self._numbers = 0, range(0)

    def unchecked(self) -> Iterator[Trace]:
        """Yield one chunk per run of lines without comments."""
        for line, block in without_comments(self._lines):
            columns = parse_block(block, self._dialect, self._layout)
            error = None
            if columns is None:
                columns, error = parse_lines(block, self.path, line, self._dialect, self._layout)
            chunk = make_trace(self.table, columns)
            self._first_row += len(self._numbers)
            self._numbers = range(line, line + len(chunk))
            yield chunk
            if error is not None:
                raise error

    def describe(self, metadata: Metadata) -> None:
        """Take the metadata beside the file, and the extent in its comments (InputError if they differ)."""
        super().describe(metadata | self._comments.extent_beside(Extent.said(metadata)))

    def place(self, row: int) -> int:
        """Line number of a row of the last chunk."""
        return self._numbers[row - self._first_row]


def _open(file: BinaryFile, path: str, table: Table | None, dialect: Dialect) -> TextReader:
    """Find out which columns the file has, and open a reader at its first row."""
    lines = LineBlocks(file, path)
    comments = Comments(path)
    first = comments.skipped(lines)
    if dialect is _CSV and "," not in first:
        for separator, name in ((";", "semicolons"), ("\t", "tabs")):
            if separator in first:
                raise InputError(path, refusal("separator", found=name), lines.line)
    names = [name.strip('"') for name in dialect.split(first)]
    layout = layout_of(names)
    if layout is not None:
        lines.skip_line()
        comments.skipped(lines)
    elif dialect is _TXT:
        layout = _positional(len(names))
    if layout is None:
        raise _wrong_columns(path, table, dialect, names, lines.line)
    wanted_table(path, layout.table, table)
    return TextReader(lines, dialect, layout, comments)


def layout_of(names: list[str]) -> Layout | None:
    """Return the layout that a header declares; its columns may be in any order, among others."""
    if len(set(names)) != len(names):
        return None
    for table in reversed(TRACE_TABLES):
        for seconds in (False, True):
            for columns in table.forms:
                needed = text_names(columns, seconds=seconds)
                if set(needed) <= set(names):
                    return Layout(table, columns, tuple(map(names.index, needed)), len(names), seconds)
    return None


def _positional(width: int) -> Layout | None:
    """Return the layout of a headerless file by its number of columns."""
    for table in TRACE_TABLES:
        for columns in table.variants:
            if len(columns) == width:
                return Layout(table, columns, tuple(range(width)), width, seconds=True)
    return None


def text_names(columns: tuple[Column, ...], *, seconds: bool) -> list[str]:
    """Return the names of columns in a header: those of the schema, or without ``_ns`` for seconds."""
    return [column.name.removesuffix("_ns") if seconds else column.name for column in columns]


def _wrong_columns(
    path: str, table: Table | None, dialect: Dialect, names: list[str], line: int
) -> InputError:
    """Return a refusal that names the columns of the first line and those that are needed."""
    kinds = [table] if table else TRACE_TABLES

    def choices(*, seconds: bool) -> str:
        return " or ".join(
            dialect.delimiter.join(text_names(kind.columns, seconds=seconds))
            + (" (decode_time 0: erased)" if dialect is _CSV and seconds and kind is PHY_TRACE else "")
            for kind in kinds
        )

    found = shown(dialect.delimiter.join(names), 120)
    if dialect is _TXT:
        return NotATraceError(path, refusal("text_columns", found=found, columns=choices(seconds=True)), line)
    columns = f"{choices(seconds=False)}; or in seconds {choices(seconds=True)}"
    return NotATraceError(path, refusal("csv_header", found=found, columns=columns), line)


class TextWriter(TraceWriter):
    """Writes lines of fields, chunk by chunk."""

    def __init__(self, part: Path, path: str, table: Table, metadata: Metadata, dialect: Dialect) -> None:
        super().__init__(part, path, table, metadata)
        self._dialect = dialect

    def begin(self) -> None:
        """Write the extent, and the header if the number of columns alone does not tell the form."""
        extent = Extent.said(self.metadata)
        if extent is not None:
            self._file.write(comment_of(extent, seconds=self._dialect is _TXT).encode() + b"\n")
        if self._dialect is _CSV or self.columns not in self.table.variants:
            names = text_names(self.columns, seconds=self._dialect is _TXT)
            self._file.write(self._dialect.delimiter.join(names).encode() + b"\n")

    def encoded(self, chunk: Trace) -> pa.RecordBatch:
        """Spell the rows' fields."""
        null, seconds = self._dialect.null, self._dialect is _TXT
        spelled = {
            column.name: spelled_column(column, getattr(chunk, column.name), null, seconds=seconds)
            for column in self.columns
        }
        return pa.RecordBatch.from_pydict(spelled)

    def append(self, rows: pa.RecordBatch) -> None:
        """Write one line per row."""
        options = csv.WriteOptions(
            include_header=False, delimiter=self._dialect.delimiter, quoting_style="none", batch_size=1 << 16
        )
        csv.write_csv(rows, self._file, options)


def _looks_like_text(head: bytes) -> bool:
    return bool(head) and b"\0" not in head and not head.startswith((b"PAR1", b"\x93NUMPY", b"\x1f\x8b"))


def _first_line(head: bytes) -> bytes:
    return next((line for line in head.split(b"\n") if not line.lstrip().startswith(b"#")), b"")


def _sniff_csv(head: bytes) -> bool:
    return _looks_like_text(head) and any(mark in _first_line(head) for mark in (b",", b";", b"\t"))


def _sniff_txt(head: bytes) -> bool:
    return _looks_like_text(head) and b"," not in _first_line(head)


CSV = Format(
    "CSV", (".csv", ".csv.gz"), _sniff_csv, partial(_open, dialect=_CSV), partial(TextWriter, dialect=_CSV)
)
TXT = Format(
    "text", (".txt", ".txt.gz"), _sniff_txt, partial(_open, dialect=_TXT), partial(TextWriter, dialect=_TXT)
)
