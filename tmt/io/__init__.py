"""Trace files: opened, created and copied in the format of the file's ending.

Readers check rows while they read; writers leave whole files or none.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import NotATraceError, UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.trace import PhyTrace, make_trace
from tmt.core.words.refusals import refusal
from tmt.io.atomic import is_uri, staged
from tmt.io.files import head_of, open_input, size_of
from tmt.io.metadata import read_beside, write_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    import numpy.typing as npt

    from tmt.core.schema import Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.base import Format, TraceReader, TraceWriter


@cache
def formats() -> tuple[Format, ...]:
    """Return every format, in the order in which they are tried: the last ones accept almost any text."""
    from tmt.io import npy, parquet, text  # noqa: PLC0415  (pyarrow takes long to import)

    return parquet.FORMAT, npy.FORMAT, text.CSV, text.TXT


def endings() -> tuple[str, ...]:
    """Return every ending of a trace's name."""
    return tuple(ending for known in formats() for ending in known.endings)


def ending_of(path: str) -> str:
    """Return the ending of a trace's name, as `path` writes it; empty without one."""
    found = next((ending for ending in endings() if path.lower().endswith(ending)), "")
    return path[len(path) - len(found) :]


def format_of(path: str) -> Format:
    """Return the format of the ending of `path` (UsageError for an unknown ending)."""
    found = next((known for known in formats() if path.lower().endswith(known.endings)), None)
    if found is None:
        raise UsageError(f"{path}: {_no_format()}")
    return found


def _no_format() -> str:
    return f"its ending tells no trace format; allowed are {', '.join(endings())}"


def open_trace(path: str | PathLike[str], table: Table | None = None) -> TraceReader:
    """Open a trace for reading, in the format of its ending.

    `path` is a local file or a pyarrow file-system URI; `table` is `PHY_TRACE` or `LINK_TRACE` if one of them
    is needed. InputError when the file is missing, of no format or not such a trace; during iteration, at its
    first defect.
    """
    name = os.fspath(path)
    try:
        chosen = format_of(name)
    except UsageError:
        if not is_uri(name) and not Path(name).is_file():
            open_input(name).close()  # refuses a missing file as such, whatever its name
        raise NotATraceError(name, _no_format()) from None
    head = head_of(name)
    if not chosen.sniff(head):
        found = next((known.name for known in formats() if known.sniff(head)), "something else")
        raise NotATraceError(name, refusal(chosen.mismatch, ending=chosen.name, found=found))
    file = open_input(name)
    try:
        reader = chosen.open(file, name, table)
        if not chosen.keeps_metadata:
            reader.describe(read_beside(name, size_of(name)))
    except BaseException:
        file.close()
        raise
    return reader


@contextmanager
def create_trace(path: str | PathLike[str], table: Table, metadata: Metadata) -> Iterator[TraceWriter]:
    """Yield a writer; its file appears at `path` if the block succeeds, and not at all otherwise.

    `path` is a local file or a pyarrow file-system URI. If the format has no room for metadata
    (`tmt.core.provenance.record`), they are in a file ``NAME.json`` beside it. OutputError when the file
    cannot be written; UsageError when the ending is unknown, or nothing was written.
    """
    name = os.fspath(path)
    chosen = format_of(name)
    with staged(name) as part:
        writer = chosen.create(part, name, table, metadata)
        try:
            yield writer
            writer.finish()
        finally:
            writer.close()
        if not chosen.keeps_metadata:  # first, so that no trace is ever without metadata
            write_beside(name, part.stat().st_size, {**metadata, **writer.totals})


def read_trace(path: str | PathLike[str], table: Table | None = None) -> Trace:
    """Read a whole trace into memory; arguments and errors as for `open_trace`."""
    with open_trace(path, table) as reader:
        pieces: dict[str, list[npt.NDArray[Any]]] = {column.name: [] for column in reader.columns}
        for chunk in reader:
            for name, arrays in pieces.items():
                arrays.append(getattr(chunk, name))
        columns: dict[str, Any] = {name: np.concatenate(pieces.pop(name)) for name in list(pieces)}
        return make_trace(reader.table, columns, reader.metadata)


def read_phy(path: str | PathLike[str]) -> PhyTrace:
    """Read a whole PHY trace into memory; errors as for `open_trace`."""
    trace = read_trace(path, PHY_TRACE)
    assert isinstance(trace, PhyTrace)
    return trace


def write_trace(path: str | PathLike[str], trace: Trace) -> None:
    """Write a trace with its metadata; errors as for `create_trace`."""
    with create_trace(path, trace.table, trace.metadata) as writer:
        writer.write(trace)


def copy_trace(source: str, target: str, progress: Callable[[int], None] = lambda rows: None) -> int:
    """Write a trace's rows and metadata into the file `target`, and return the number of rows.

    Any length is copied in little memory; `progress` is called with the number of rows of each piece. Errors
    are those of `open_trace` and `create_trace`.
    """
    rows = 0
    with open_trace(source) as reader, create_trace(target, reader.table, reader.metadata) as writer:
        for chunk in reader:
            writer.write(chunk)
            rows += len(chunk)
            progress(len(chunk))
    return rows
