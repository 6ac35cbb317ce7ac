"""Conversion from file to file, for traces of any length, one or many at once."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from tmt import provenance
from tmt.convert.share import Share
from tmt.io import create_trace, open_trace
from tmt.schema import LINK_TRACE, PHY_TRACE
from tmt.trace import PhyTrace, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from tmt.schemes import Counts, Scheme

CHUNKS_WAITING = 2
"""Chunks that may have been read ahead, and that may wait to be written: a row group is written with every
second one, which takes as long as all else."""


def convert_file(
    phy_path: str | PathLike[str],
    link_path: str | PathLike[str],
    scheme: Scheme,
    every: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Convert the PHY trace in one file to the link trace in another.

    Memory does not grow with the trace, only with the rows that wait behind an open one. The next chunks are
    read and the last ones written, each in a thread, while the kernel works on one between; the result is
    that of `convert`, however the file is cut into row groups. The link trace appears when it is complete.

    Parameters
    ----------
    phy_path, link_path
        Local files or pyarrow file-system URIs; their endings choose the formats.
    scheme
        One of `tmt.schemes.SCHEMES` with its parameters.
    every
        Keep every so-many-th slot, from the first on: the share of one of `every` users.
    progress
        Called with the number of slots of the file that have been converted since the last call.

    Raises
    ------
    InputError
        When `phy_path` cannot be read or holds no PHY trace.
    UsageError
        When `every` is below 1, or the trace is too short for a single row.
    OutputError
        When `link_path` cannot be written.
    """
    share, converter = Share(every), scheme.converter()
    with open_trace(phy_path, PHY_TRACE) as reader:
        metadata = provenance.record(
            LINK_TRACE.kind,
            lldu_bytes=reader.metadata.get("lldu_bytes"),
            source=provenance.source(phy_path),
            scheme=scheme.describe(),
            every=every,
            slots=None if reader.rows is None else -(-reader.rows // every),
        )
        with create_trace(link_path, LINK_TRACE, metadata) as writer, ThreadPoolExecutor(1) as behind:
            writing: deque[Future[None]] = deque()
            for chunk in _read_ahead(iter(reader)):
                assert isinstance(chunk, PhyTrace)
                rows = converter.feed(share.of(chunk))
                writer.check(rows)
                if len(writing) == CHUNKS_WAITING:
                    writing.popleft().result()
                if len(rows):
                    writing.append(behind.submit(writer.append, rows))
                if progress is not None:
                    progress(len(chunk))
            for written in writing:
                written.result()
            writer.write(converter.finish())
    return converter.counts


def _read_ahead(chunks: Iterator[Trace]) -> Iterator[Trace]:
    """Yield the same chunks, while the next ones are being read in a thread."""
    with ThreadPoolExecutor(1) as ahead:
        coming = deque(ahead.submit(next, chunks, None) for _ in range(CHUNKS_WAITING))
        while (chunk := coming.popleft().result()) is not None:
            coming.append(ahead.submit(next, chunks, None))
            yield chunk


@dataclass(frozen=True, slots=True)
class Conversion:
    """One of many conversions: what `convert_file` takes."""

    phy_path: str
    link_path: str
    scheme: Scheme
    every: int = 1


def convert_files(
    conversions: Sequence[Conversion], progress: Callable[[int], None] | None = None
) -> list[Counts]:
    """Run many conversions, one per core at a time, and return their counts in the order given.

    The first error stops those that run or wait; what is complete by then stays. `progress` is called
    from several threads. Errors are those of `convert_file`.
    """
    stopped = Event()

    def advance(slots: int) -> None:
        if stopped.is_set():
            raise InterruptedError("another conversion failed")
        if progress is not None:
            progress(slots)

    def run(conversion: Conversion) -> Counts:
        return convert_file(
            conversion.phy_path, conversion.link_path, conversion.scheme, conversion.every, advance
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = [pool.submit(run, conversion) for conversion in conversions]
        try:
            for done in as_completed(running):
                done.result()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [done.result() for done in running]
