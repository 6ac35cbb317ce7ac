"""NumPy's `.npy` format: one structured array, which C++ maps into memory and the simulator reads.

Layout: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. The rows are packed and
little-endian; the format has no room for metadata.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.errors import InputError
from tmt.io.base import CHUNK_ROWS, Format, TraceReader, TraceWriter, trace_of, wanted_table
from tmt.io.files import input_errors
from tmt.io.refusals import refusal
from tmt.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from tmt.io.files import BinaryFile
    from tmt.schema import Table
    from tmt.trace import Metadata, Trace

_MAGIC = b"\x93NUMPY"
_MAX_HEADER_BYTES = 1 << 16


class NpyReader(TraceReader):
    """Rows of a `.npy` file, read a block at a time."""

    def __init__(self, file: BinaryFile, path: str, table: Table, rows: int) -> None:
        super().__init__(path, table, {}, rows)
        self._file = file

    def unchecked(self) -> Iterator[Trace]:
        """Yield chunks with their columns taken apart."""
        dtype = self.table.dtype
        for row in range(0, self.rows or 0, CHUNK_ROWS):
            rows = min(CHUNK_ROWS, (self.rows or 0) - row)
            with input_errors(self.path):
                block = np.frombuffer(self._file.read(rows * dtype.itemsize), dtype)
            yield trace_of(self.table, {name: np.ascontiguousarray(block[name]) for name in self.table.names})

    def release(self) -> None:
        """Close the file."""
        self._file.close()


def open_npy(file: BinaryFile, path: str, table: Table | None) -> NpyReader:
    """Read the header, compare it with the file's size, and open a reader at the first row."""
    shape, dtype = _header(file, path)
    found = next((known for known in TABLES if known.dtype == dtype), None)
    known = wanted_table(path, found, table)
    if len(shape) != 1:
        raise InputError(path, refusal("npy_shape"))
    start = file.tell()
    held_bytes = file.seek(0, 2) - start
    file.seek(start)
    promised, extra = shape[0], held_bytes - shape[0] * known.dtype.itemsize
    if extra < 0:
        raise InputError(
            path, refusal("truncated", promised=promised, held=held_bytes // known.dtype.itemsize)
        )
    if extra > 0:
        raise InputError(path, refusal("trailing_bytes", extra=extra))
    return NpyReader(file, path, known, promised)


def _header(file: BinaryFile, path: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the shape and the dtype that the header declares, in any version of the format."""
    start = file.read(len(_MAGIC) + 2)
    if not start.startswith(_MAGIC):
        raise InputError(path, refusal("not_npy"))
    if len(start) < len(_MAGIC) + 2:
        raise InputError(path, refusal("npy_header"))
    major, minor = start[-2:]
    if major not in (1, 2, 3) or minor != 0:
        raise InputError(path, refusal("npy_version", major=major, minor=minor))
    length = int.from_bytes(file.read(2 if major == 1 else 4), "little")
    text = file.read(min(length, _MAX_HEADER_BYTES + 1))
    try:
        if not len(text) == length <= _MAX_HEADER_BYTES:
            raise ValueError
        header = ast.literal_eval(text.decode("utf-8" if major == 3 else "latin-1").strip())
        if set(header) != {"descr", "fortran_order", "shape"}:
            raise ValueError
        shape = tuple(operator.index(size) for size in header["shape"])
        if min(shape, default=0) < 0:
            raise ValueError
        return shape, np.lib.format.descr_to_dtype(header["descr"])
    except (ValueError, SyntaxError, TypeError, OverflowError, RecursionError, MemoryError, KeyError):
        raise InputError(path, refusal("npy_header")) from None


class NpyWriter(TraceWriter):
    """Writes rows behind a header that is filled in once their number is known."""

    def __init__(self, part: Path, path: str, table: Table) -> None:
        super().__init__(path, table)
        self._file = part.open("wb")
        self._rows = 0
        self._write_header()

    def _write_header(self) -> None:
        np.lib.format.write_array_header_1_0(
            self._file,
            {
                "descr": np.lib.format.dtype_to_descr(self.table.dtype),
                "fortran_order": False,
                "shape": (self._rows,),
            },
        )

    def encoded(self, chunk: Trace) -> npt.NDArray[np.void]:
        """Interleave the columns into rows."""
        rows = np.empty(len(chunk), self.table.dtype)
        for name in self.table.names:
            rows[name] = getattr(chunk, name)
        return rows

    def append(self, rows: npt.NDArray[np.void]) -> None:
        """Write rows as they are."""
        self._file.write(rows.data)
        self._rows += len(rows)

    def complete(self) -> None:
        """Write the header again with the number of rows: NumPy pads it so that its length stays the same."""
        self._file.seek(0)
        self._write_header()
        self._file.flush()

    def release(self) -> None:
        """Close the file."""
        self._file.close()


def create_npy(part: Path, path: str, table: Table, metadata: Metadata) -> NpyWriter:
    """Start a `.npy` file; it cannot hold `metadata`."""
    del metadata
    return NpyWriter(part, path, table)


def sniff_npy(head: bytes) -> bool:
    """Whether a file that starts with `head` is a `.npy` file."""
    return head.startswith(_MAGIC)


FORMAT = Format("NumPy", (".npy",), sniff_npy, open_npy, create_npy, mismatch="not_npy")
