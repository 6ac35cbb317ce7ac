"""Trace files: one module per format, one registry that chooses among them by the file's ending.

Readers check rows while they read; writers leave whole files or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.trace import LinkTrace, PhyTrace, make_trace

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from os import PathLike

    import numpy.typing as npt

    from tmt.core.schema import Table
    from tmt.core.trace import Metadata, Trace
    from tmt.io.base import TraceReader, TraceWriter


def open_trace(path: str | PathLike[str], table: Table | None = None) -> TraceReader:
    """Open a trace for reading, in the format of its ending.

    Parameters
    ----------
    path
        Local file, or a pyarrow file-system URI.
    table
        `PHY_TRACE` or `LINK_TRACE` where one of them is needed; None takes either.

    Returns
    -------
    TraceReader
        A context manager; iterating over it, once, gives checked chunks.

    Raises
    ------
    InputError
        When the file is missing, its ending stands for no format, it is no such trace, or, while iterating,
        at its first defect.
    """
    from tmt.io.registry import open_reader  # noqa: PLC0415  (pyarrow takes long to import)

    return open_reader(path, table)


def create_trace(
    path: str | PathLike[str], table: Table, metadata: Metadata
) -> AbstractContextManager[TraceWriter]:
    """Give a writer whose file appears at `path` when the block ends well, and not at all when it does not.

    Parameters
    ----------
    path
        Local file, or a pyarrow file-system URI; its ending chooses the format.
    table
        Kind of trace.
    metadata
        How the trace was made (`tmt.core.provenance.record`); a file beside it, ``NAME.json``, holds
        this where the format has no room.

    Raises
    ------
    OutputError
        When the file cannot be written.
    UsageError
        When the ending stands for no format, or nothing was written.
    """
    from tmt.io.registry import create_writer  # noqa: PLC0415

    return create_writer(path, table, metadata)


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


def read_link(path: str | PathLike[str]) -> LinkTrace:
    """Read a whole link trace into memory; errors as for `open_trace`."""
    trace = read_trace(path, LINK_TRACE)
    assert isinstance(trace, LinkTrace)
    return trace


def write_trace(path: str | PathLike[str], trace: Trace) -> None:
    """Write a trace with its metadata; errors as for `create_trace`."""
    with create_trace(path, trace.table, trace.metadata) as writer:
        writer.write(trace)
