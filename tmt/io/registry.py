"""The formats that traces come in, in the order in which they are tried, and the choice among them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tmt.core.errors import NotATraceError, UsageError
from tmt.core.words.refusals import refusal
from tmt.io import npy, parquet, text
from tmt.io.atomic import is_uri, staged
from tmt.io.files import check_no_folder, head_of, open_input, size_of
from tmt.io.metadata import read_beside, write_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.schema import Table
    from tmt.core.trace import Metadata
    from tmt.io.base import Format, TraceReader, TraceWriter

FORMATS: tuple[Format, ...] = (parquet.FORMAT, npy.FORMAT, text.CSV, text.TXT)
"""Every format; formats that any text may look like come last."""

ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)
"""Every ending of a trace's name."""


_NO_FORMAT = f"its ending tells no trace format; allowed are {', '.join(ENDINGS)}"


def format_of(path: str) -> Format:
    """Return the format that the ending of `path` stands for (UsageError when it stands for none)."""
    found = _format_of(path)
    if found is None:
        raise UsageError(f"{path}: {_NO_FORMAT}")
    return found


def _format_of(path: str) -> Format | None:
    return next((known for known in FORMATS if path.lower().endswith(known.endings)), None)


def open_reader(path: str | os.PathLike[str], table: Table | None) -> TraceReader:
    """Open a reader on `path`; see `tmt.io.open_trace`."""
    name = os.fspath(path)
    check_no_folder(name)
    chosen = _format_of(name)
    if chosen is None:
        if not is_uri(name) and size_of(name) is None:
            open_input(name).close()  # refuses a missing file as one, whatever its name
        raise NotATraceError(name, _NO_FORMAT)
    head = head_of(name)
    if not chosen.sniff(head):
        others = [known.name for known in FORMATS if known.sniff(head)]
        found = others[0] if others else "something else"
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
def create_writer(path: str | os.PathLike[str], table: Table, metadata: Metadata) -> Iterator[TraceWriter]:
    """Give a writer for `path`; see `tmt.io.create_trace`."""
    name = os.fspath(path)
    chosen = format_of(name)
    with staged(name) as part:
        writer = chosen.create(part, name, table, metadata)
        try:
            yield writer
            writer.finish()
        finally:
            writer.close()
        if not chosen.keeps_metadata:  # before the trace has its name: it never stands there without metadata
            write_beside(name, part.stat().st_size, {**metadata, **writer.totals})
