"""Interface of a trace format: recognise a file, open a reader, create a writer.

One thread reads ahead and another writes in the background while rows are computed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tmt.core.checks import Checker, DecodeTimes
from tmt.core.errors import InputError, NotATraceError, OtherKindError, UsageError
from tmt.core.extent import Extent
from tmt.core.schema import LINK_TRACE, PHY_TRACE, SIZE_BYTES
from tmt.core.words.refusals import refusal
from tmt.io.files import open_output

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from tmt.core.schema import Column, Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.files import BinaryFile

TRACE_TABLES = (PHY_TRACE, LINK_TRACE)

CHUNK_ROWS = 1 << 17
"""Largest number of rows that a reader of a binary format returns at a time: 4 MiB of a PHY trace."""

Item = TypeVar("Item")

WAITING = 4
"""Largest number of chunks read ahead, and waiting to be written: two make a row group, and two more come
meanwhile.
"""


def ahead(items: Iterator[Item]) -> Generator[Item]:
    """Yield the same items, none of them None, while a thread fetches the next ones."""
    with ThreadPoolExecutor(1) as thread:
        coming = deque(thread.submit(next, items, None) for _ in range(WAITING))
        try:
            while (item := coming.popleft().result()) is not None:
                coming.append(thread.submit(next, items, None))
                yield item
        finally:
            for call in coming:
                call.cancel()


class Behind:
    """Calls that a thread makes one after the other while the caller continues."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._calls: deque[Future[None]] = deque()

    def call(self, function: Callable[[Item], None], argument: Item) -> None:
        """Queue a call; raise the exception of an earlier call."""
        if len(self._calls) == WAITING:
            self._calls.popleft().result()
        self._calls.append(self._thread.submit(function, argument))

    def join(self) -> None:
        """Wait until all calls have ended, and raise an exception of any of them."""
        while self._calls:
            self._calls.popleft().result()

    def stop(self) -> None:
        """Wait for the current call, and make no other."""
        self._thread.shutdown(cancel_futures=True)


class TraceReader(ABC):
    """An open trace file: a context manager that iterates, once, over checked chunks.

    `columns` are those of its `table` that the file has; `metadata` may be empty. `rows` is None if only
    reading to the end gives their number. Iterating raises `InputError` at the first defect. A thread reads
    ahead; each chunk has its own contiguous arrays.
    """

    seconds = False
    """Whether the file holds times in seconds, so that messages show seconds."""

    def __init__(
        self, file: BinaryFile, path: str, table: Table, columns: tuple[Column, ...], rows: int | None
    ) -> None:
        self._file = file
        self.path, self.table, self.columns, self.rows = path, table, columns, rows
        self.metadata: Metadata = {}
        self._chunks = ahead(self._checked())

    def __iter__(self) -> Iterator[Trace]:
        return self._chunks

    def _checked(self) -> Iterator[Trace]:
        checker, decode_times = Checker(self.table, Extent.said(self.metadata)), DecodeTimes()
        for chunk in self.unchecked():
            violation = checker.check(chunk)
            if violation is not None:
                raise InputError(self.path, violation.reason(seconds=self.seconds), self.place(violation.row))
            if len(chunk):
                decode_times.see(chunk)
                yield chunk
        if checker.rows == 0:
            raise InputError(self.path, refusal("no_rows"))
        if reason := decode_times.reason(seconds=self.seconds):
            raise InputError(self.path, reason)

    @abstractmethod
    def unchecked(self) -> Iterator[Trace]:
        """Yield the chunks as stored in the file."""

    def describe(self, metadata: Metadata) -> None:
        """Take the metadata (InputError when it gives a size for rows that have their own sizes)."""
        if self.has_sizes and metadata.get("lldu_bytes") is not None:
            raise InputError(self.path, refusal("sizes_twice"))
        self.metadata = metadata

    @property
    def has_sizes(self) -> bool:
        """Whether every row has a size of its own."""
        return SIZE_BYTES in self.columns

    def close(self) -> None:
        """Stop reading, and close the file."""
        self._chunks.close()
        self.release()

    def release(self) -> None:
        """Close the file."""
        self._file.close()

    def place(self, row: int) -> int | str:
        """Return the place of row `row` (from 0) in the file, for messages."""
        return f"row {row + 1}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class TraceWriter(ABC):
    """A trace file being written: takes chunks in order; their sizes do not affect the file."""

    def __init__(self, part: Path, path: str, table: Table, metadata: Metadata) -> None:
        self._file = open_output(part)
        self.path, self.table, self.metadata = path, table, metadata
        self.totals: Metadata = {}
        self.columns: tuple[Column, ...] = ()
        self._checker = Checker(table, Extent.said(metadata))
        self._behind = Behind()

    def write(self, chunk: Trace) -> None:
        """Append the rows of `chunk`, whose arrays must not change afterwards, because they may be held back.

        ValueError when the rows are not allowed in a trace, which is a bug of the caller; OSError when these
        or earlier rows cannot be written.
        """
        if chunk.table is not self.table:
            raise ValueError(f"a {chunk.table.kind} trace cannot be written into a {self.table.kind} trace")
        violation = self._checker.check(chunk)
        if violation is not None:
            raise ValueError(f"{self.path}: row {violation.row + 1}: {violation.reason()}")
        if len(chunk):
            if not self.columns:
                self.columns = chunk.columns
                if SIZE_BYTES in self.columns and self.metadata.get("lldu_bytes") is not None:
                    raise ValueError(f"{self.path}: {refusal('sizes_twice')}")
                self.begin()
            if chunk.columns != self.columns:
                raise ValueError(f"{self.path}: the rows do not all have the same columns")
            self._behind.call(self.append, self.encoded(chunk))

    def add_totals(self, **totals: int) -> None:
        """Add entries to the metadata that are known only after the last row."""
        self.totals |= totals

    def finish(self) -> None:
        """Write the rows that are held back (UsageError when there was no row at all)."""
        if self._checker.rows == 0:
            raise UsageError(f"{self.path}: not written: {refusal('no_rows')}")
        self._behind.join()
        self.complete()

    def close(self) -> None:
        """Close the file, complete or not, after the row that is being written."""
        self._behind.stop()
        self.release()

    @abstractmethod
    def begin(self) -> None:
        """Write the header before the first row; `columns` are known by now."""

    @abstractmethod
    def encoded(self, chunk: Trace) -> Any:
        """Return a checked chunk of at least one row in the form that `append` takes."""

    @abstractmethod
    def append(self, rows: Any) -> None:
        """Write or hold back rows; no other call on the file happens meanwhile."""

    def complete(self) -> None:
        """Finish the file."""
        self._file.flush()

    def release(self) -> None:
        """Close the file, complete or not."""
        self._file.close()


@dataclass(frozen=True, slots=True)
class Format:
    """One file format."""

    name: str
    """For people."""
    endings: tuple[str, ...]
    """Endings of file names of this format, in lower case, the preferred one first."""
    sniff: Callable[[bytes], bool]
    """Whether a file that starts with these bytes (decompressed) may be of this format."""
    open: Callable[[BinaryFile, str, Table | None], TraceReader]
    """Opens a reader on a binary file, given its name for messages and the wanted table (None: either)."""
    create: Callable[[Path, str, Table, Metadata], TraceWriter]
    """Starts a file at a temporary path, given its final name for messages, its table and its metadata."""
    mismatch: str = "other_format"
    """Key in `REFUSALS` of the reason for refusing a file with this ending and other content."""
    keeps_metadata: bool = False
    """Whether a file has room for metadata on how it was made."""


def wanted_table(path: str, found: Table | None, wanted: Table | None) -> Table:
    """Return the table that a file holds, or refuse it: not a trace at all, or a trace of the other kind."""
    if found is None:
        raise wrong_columns(path, wanted)
    kinds = TRACE_TABLES if wanted is None else (wanted,)
    if found not in kinds:
        kind = " or ".join(table.kind for table in kinds)
        raise OtherKindError(path, refusal("other_kind", found=found.kind, kind=kind), found.kind, kind)
    return found


def wrong_columns(path: str, wanted: Table | None, found: str = "") -> InputError:
    """Return the refusal of a file that has the columns `found` instead of those of a wanted trace."""
    tables = TRACE_TABLES if wanted is None else (wanted,)
    kind = " or ".join(table.kind for table in tables)
    columns = " or ".join(table.described for table in tables)
    if found:
        columns += f"; found: {found}"
    return NotATraceError(path, refusal("columns", kind=kind, columns=columns))
