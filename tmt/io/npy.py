"""NumPy's `.npy` format: one structured array, which C++ maps into memory for the simulator.

Layout: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Rows are packed and
little-endian. Metadata are in a file beside it.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import InputError
from tmt.core.schema import TABLES, row_dtype
from tmt.core.trace import make_trace
from tmt.core.words.refusals import refusal
from tmt.io.base import CHUNK_ROWS, Format, TraceReader, TraceWriter, wanted_table
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from tmt.core.schema import Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.files import BinaryFile

_MAX_HEADER_BYTES = 1 << 16


class NpyReader(TraceReader):
    """Rows of a `.npy` file, read a block at a time."""

    def unchecked(self) -> Iterator[Trace]:
        """Yield chunks with separate columns."""
        dtype = row_dtype(self.columns)
        for row in range(0, self.rows or 0, CHUNK_ROWS):
            rows = min(CHUNK_ROWS, (self.rows or 0) - row)
            with input_errors(self.path):
                held = self._file.read(rows * dtype.itemsize)
            if len(held) < rows * dtype.itemsize:  # truncated after its size was checked
                whole = row + len(held) // dtype.itemsize
                raise InputError(self.path, refusal("truncated", promised=self.rows, held=whole))
            block = np.frombuffer(held, dtype)
            names = dtype.names or ()
            yield make_trace(self.table, {name: np.ascontiguousarray(block[name]) for name in names})


def open_npy(file: BinaryFile, path: str, table: Table | None) -> NpyReader:
    """Read the header, compare it with the file's size, and open a reader at the first row."""
    rows, dtype = _header(file, path)
    forms = [(known, columns) for known in TABLES for columns in known.forms]
    found, columns = next((form for form in forms if row_dtype(form[1]) == dtype), (None, ()))
    known = wanted_table(path, found, table)
    _check_size(file, path, rows, dtype)
    return NpyReader(file, path, known, columns, rows)


def read_array(path: str) -> npt.NDArray[Any]:
    """Return the one-dimensional array of a local file; InputError when there is no such array in it."""
    with open_input(path) as file, input_errors(path):
        rows, dtype = _header(file, path)
        _check_size(file, path, rows, dtype)
        array = np.empty(rows, dtype)
        # Not np.fromfile: after a failed read it returns fewer rows and raises nothing.
        held_bytes = file.readinto(array.view(np.uint8).data)
        if held_bytes < array.nbytes:  # truncated after its size was checked
            whole = held_bytes // dtype.itemsize
            raise InputError(path, refusal("truncated", promised=rows, held=whole))
        return array


def _check_size(file: BinaryFile, path: str, rows: int, dtype: np.dtype[Any]) -> None:
    """Refuse a file that holds more or fewer rows than its header promises; go back to the first row."""
    start = file.tell()
    held_bytes = file.seek(0, 2) - start
    file.seek(start)
    extra = held_bytes - rows * dtype.itemsize
    if extra < 0:
        raise InputError(path, refusal("truncated", promised=rows, held=held_bytes // dtype.itemsize))
    if extra > 0:
        raise InputError(path, refusal("trailing_bytes", extra=extra))


def _header(file: BinaryFile, path: str) -> tuple[int, np.dtype[Any]]:
    """Read the number of rows and their type, in any version of the format."""
    start = io.BytesIO(file.read(_MAX_HEADER_BYTES))
    if not start.getvalue().startswith(np.lib.format.MAGIC_PREFIX):
        raise InputError(path, refusal("not_npy"))
    try:
        major, minor = np.lib.format.read_magic(start)
    except ValueError:
        raise InputError(path, refusal("npy_header")) from None
    if major not in (1, 2, 3) or minor != 0:
        raise InputError(path, refusal("npy_version", major=major, minor=minor))
    # Version 3 differs from 2 in the names of columns that are not ASCII, which no trace has.
    read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape, _, dtype = read(start, _MAX_HEADER_BYTES)
        if min(shape, default=0) < 0:
            raise ValueError
    except Exception:  # NumPy evaluates the text of the header, whatever it says
        raise InputError(path, refusal("npy_header")) from None
    file.seek(start.tell())
    if dtype.hasobject or not dtype.itemsize:
        raise InputError(path, refusal("npy_header"))
    if len(shape) != 1:
        raise InputError(path, refusal("npy_shape"))
    return int(shape[0]), dtype


class NpyWriter(TraceWriter):
    """Writes rows after a header that is completed once their number is known."""

    def __init__(self, part: Path, path: str, table: Table, metadata: Metadata) -> None:
        super().__init__(part, path, table, metadata)
        self._rows = 0

    def begin(self) -> None:
        """Write a header for the rows so far."""
        descr = np.lib.format.dtype_to_descr(row_dtype(self.columns))
        header = {"descr": descr, "fortran_order": False, "shape": (self._rows,)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def encoded(self, chunk: Trace) -> npt.NDArray[np.void]:
        """Interleave the columns into rows."""
        rows = np.empty(len(chunk), row_dtype(self.columns))
        for column in self.columns:
            rows[column.name] = getattr(chunk, column.name)
        return rows

    def append(self, rows: npt.NDArray[np.void]) -> None:
        """Write rows as they are."""
        self._file.write(rows.data)
        self._rows += len(rows)

    def complete(self) -> None:
        """Write the header again with the number of rows: NumPy pads it so that its length stays the same."""
        self._file.seek(0)
        self.begin()
        super().complete()


_MAGIC = np.lib.format.MAGIC_PREFIX
FORMAT = Format(
    "NumPy", (".npy",), lambda head: head.startswith(_MAGIC), open_npy, NpyWriter, mismatch="not_npy"
)
