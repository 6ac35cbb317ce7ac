"""Conversion from file to file, for traces of any length, one or several in parallel."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from tmt.core import provenance
from tmt.core.convert import Share
from tmt.core.errors import InputError
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.trace import PhyTrace
from tmt.io import create_trace, open_trace
from tmt.io.atomic import check_not_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from tmt.core.converter import Counts
    from tmt.core.schemes.scheme import Scheme


def convert_file(
    phy_path: str | PathLike[str],
    link_path: str | PathLike[str],
    scheme: Scheme,
    rtt: float = 0.0,
    every: int = 1,
    progress: Callable[[int], None] = lambda _: None,
    watch: Callable[[PhyTrace], None] = lambda _: None,
) -> Counts:
    """Convert the PHY trace in one file to the link trace in another.

    Memory does not grow with the trace, only with the rows that wait for an open one. The result is that of
    `convert`, whatever the row groups of the file. The link trace appears when it is complete.

    Paths are those of local files or pyarrow file-system URIs. `rtt` is in seconds, for schemes with
    feedback. Every `every`-th slot is kept, from the first on. `progress` is called with the number of slots
    converted since its last call, `watch` with each chunk of the file before its conversion.

    InputError when `phy_path` is no PHY trace, or lacks a column that the scheme needs; UsageError when
    `every` is below 1, the trace is too short for a row, or both paths are the same file; OutputError when
    the link trace cannot be written.
    """
    check_not_source(link_path, phy_path)
    share, converter = Share(every), scheme.converter(rtt)
    name = os.fspath(phy_path)
    with open_trace(phy_path, PHY_TRACE) as reader:
        scheme.check_columns(name, reader.columns)
        with _refused_as(name):
            converter.knowing(reader.metadata)
        metadata = provenance.record(
            LINK_TRACE.kind,
            **provenance.inherited(reader.metadata),
            source=provenance.source(phy_path),
            scheme=scheme.describe(rtt),
            every=every,
            slots=None if reader.rows is None else -(-reader.rows // every),
        )
        with create_trace(link_path, LINK_TRACE, metadata) as writer:
            for chunk in reader:
                assert isinstance(chunk, PhyTrace)
                watch(chunk)
                with _refused_as(name):
                    rows = converter.feed(share.of(chunk))
                writer.write(rows)
                progress(len(chunk))
            writer.write(converter.finish())
            counts = converter.counts
            if counts.sent_bytes is not None:
                writer.add_totals(sent_bytes=counts.sent_bytes)
    return counts


@contextmanager
def _refused_as(path: str) -> Iterator[None]:
    """Add the file's name to a refusal by a converter, which knows rows but no files."""
    try:
        yield
    except InputError as error:
        raise InputError(path, error.reason, error.line) from None


class Conversion(NamedTuple):
    """One of many conversions: the arguments of `convert_file`."""

    phy_path: str
    link_path: str
    scheme: Scheme
    rtt: float = 0.0
    every: int = 1


def convert_files(
    conversions: Sequence[Conversion], progress: Callable[[int], None] = lambda _: None
) -> list[Counts]:
    """Run several conversions, one per core at a time, and return their counts in the given order.

    The first error of a `convert_file` stops the others; complete files are kept. Threads call `progress`.
    """
    stopped = Event()

    def advance(slots: int) -> None:
        if stopped.is_set():
            raise InterruptedError("another conversion failed")
        progress(slots)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = [pool.submit(convert_file, *one, advance) for one in conversions]
        try:
            for done in as_completed(running):
                done.result()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [done.result() for done in running]
