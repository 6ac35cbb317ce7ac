"""A link trace in the simulator's form: a `.npy` file to map, and the figures that a run needs beforehand."""

from __future__ import annotations

import math
import os
import secrets
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

import numpy as np

from tmt.core.declaration import ns
from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.measure.link_use import packets_in_rows
from tmt.core.provenance import file_sha256
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.io import create_trace, open_trace
from tmt.io.atomic import is_uri
from tmt.io.metadata import trace_version
from tmt.spec.path import MOST_RATE_BPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.schema import Column, Packing, Table
    from tmt.core.trace import Metadata, Trace
    from tmt.spec.experiment import PlainLink, TraceLink
    from tmt.spec.path import Path as LinkPath

ASSUMED_LLDU_BYTES = 1500
"""LLDU size if neither the user nor the trace gives one."""


@dataclass(frozen=True, slots=True)
class LinkFile:
    """A link trace, or a PHY trace for an online scheme, that has been checked to the last row.

    Attributes
    ----------
    npy, sha256
        The file that the simulator maps, and the hash of its content: equal for equal rows, from any format.
    rows, begin_ns, span_ns
        Number of rows, start and length of the trace; without an extent, the time of the first row, and from
        it to the last row.
    has_extent : whether the trace states its start and length mean_delay_ns
        Mean time from a row's `tx_time_ns` until it and all rows before it are settled: how long packets stay
        on the link, without propagation, if it keeps them in order. Unsettled rows are ignored. For a PHY
        trace, on which a scheme has not worked yet, the same with decoding times.
    lldu_bytes : size of the rows; None if the metadata hold none, or rows have their own sizes size_bytes :
    sum of the rows' sizes; None without sizes packing : how packets lie in rows; None if the metadata hold
    none unsettled : number of rows that are open when the trace ends lost : number of rows that are lost, in
    a PHY trace erased repeated : number of rows that were sent more than once
    """

    npy: Path
    sha256: str
    rows: int
    begin_ns: int
    span_ns: int
    has_extent: bool
    mean_delay_ns: float
    lldu_bytes: int | None
    size_bytes: int | None
    packing: Packing | None
    unsettled: int
    lost: int
    repeated: int
    columns: tuple[Column, ...]

    @property
    def length_ns(self) -> int:
        """The length that the trace states; 0 if only the rows give it."""
        return self.span_ns if self.has_extent else 0


@dataclass(frozen=True, slots=True)
class ReadyLink:
    """A trace link as requested, completed by its trace.

    `lldu_bytes` is the size of the rows; None if they have their own sizes. `rate_bps` is the mean rate of
    the rows, including lost ones, in useful bits per second. Where rows have sizes and packets are padded,
    the padding of full packets does not count. Of users who share a line, `file` is the first one's trace,
    `others` are those of the others, and `rate_bps` is their mean.
    """

    link: TraceLink
    file: LinkFile
    lldu_bytes: int | None
    packing: Packing
    rate_bps: float
    others: tuple[LinkFile, ...] = ()

    @property
    def lldu_bytes_assumed(self) -> bool:
        """Whether neither the user nor the trace gives the size of an LLDU."""
        return self.lldu_bytes is not None and self.link.lldu_bytes is None and self.file.lldu_bytes is None

    def packets_per_s(self, packet_bytes: int) -> float:
        """Return the mean rate of the link in packets of this size."""
        if self.packing == "packed" or self.lldu_bytes is None:
            return self.rate_bps / (8 * packet_bytes)
        row_rate = self.rate_bps / (8 * self.lldu_bytes)
        return row_rate / math.ceil(packet_bytes / self.lldu_bytes)


def link_figures(direction: str, link: ReadyLink | PlainLink) -> dict[str, str | int | float | None]:
    """Return a link as columns of a result: trace with hash, rate, sizes, and where the run starts."""
    trace = link if isinstance(link, ReadyLink) else None
    extent = trace.file if trace and trace.file.has_extent else None
    return {
        f"{direction}_trace": Path(trace.link.path).name if trace else None,
        f"{direction}_sha256": trace.file.sha256 if trace else None,
        f"{direction}_rate_bps": link.rate_bps,
        f"{direction}_lldu_bytes": trace.lldu_bytes if trace else None,
        f"{direction}_packing": trace.packing if trace else None,
        f"{direction}_begin_s": ns_to_seconds(extent.begin_ns) if extent else None,
        f"{direction}_length_s": ns_to_seconds(extent.length_ns) if extent else None,
        f"{direction}_offset_s": ns_to_seconds(trace.link.offset_ns) if trace else None,
    }


def link_settings(direction: str, link: ReadyLink | PlainLink) -> dict[str, object]:
    """Return a link as the settings of a backend's program, under the names that most programs use."""
    if not isinstance(link, ReadyLink):
        return {f"{direction}_rate_bps": f"{link.rate_bps:.15g}"}
    sizes = {} if link.lldu_bytes is None else {f"{direction}_lldu_bytes": link.lldu_bytes}
    return {
        direction: link.file.npy,
        **sizes,
        f"{direction}_packing": link.packing,
        f"{direction}_begin_ns": link.file.begin_ns,
        f"{direction}_length_ns": link.file.length_ns,
        f"{direction}_offset_ns": link.link.offset_ns,
    }


def queue_settings(path: LinkPath) -> dict[str, object]:
    """Return the queue of a path as the settings of a backend's program."""
    limits = {
        "queue_packets": path.queue_packets,
        "queue_bytes": path.queue_bytes,
        "queue_time_ns": None if path.queue_time is None else ns(path.queue_time),
    }
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return {"queue": path.queue.words(), **given, "queue_counts": path.queue_counts}


def ready_link(link: TraceLink, packet_bytes: int) -> ReadyLink:
    """Check a link's trace and convert it into the simulator's form; once per process and content of the
    file.

    `packet_bytes` is the size of a full packet.

    InputError when the file is not a valid link trace, or lacks a column that the scheme needs. UsageError
    when it has one row and no length, the offset lies after its end, `lldu_bytes` is given though rows have
    their own sizes, the scheme conflicts with the packing, or the rate of the rows exceeds `MOST_RATE_BPS`.
    """
    name = os.fspath(link.path)
    table = LINK_TRACE if link.scheme is None else PHY_TRACE
    if is_uri(name):
        file = _fresh(name, table)
    else:
        file = _known(name, table, Path(name).resolve(), trace_version(name))
    if file.rows < 2 and not file.has_extent:
        raise UsageError(f"{name}: a {table.kind} trace of one row has no rate; at least two rows are needed")
    if link.scheme is not None:
        link.scheme.check_columns(name, file.columns)
    if link.offset_ns > file.span_ns - file.has_extent:
        raise UsageError(
            f"{name}: the offset of {ns_to_seconds(link.offset_ns)} s lies behind the trace, "
            f"which is {ns_to_seconds(file.span_ns)} s long"
        )
    packing: Packing = link.packing or file.packing or "padded"
    if link.scheme is not None and (fault := link.scheme.packing_fault(packing)):
        raise UsageError(f"{name}: scheme {link.scheme.name} {fault}; allowed: padded")
    lldu_bytes, carried_bytes = None, file.size_bytes
    if carried_bytes is None:
        lldu_bytes = link.lldu_bytes or file.lldu_bytes or ASSUMED_LLDU_BYTES
        carried_bytes = lldu_bytes * file.rows
    elif link.lldu_bytes is not None:
        raise UsageError(f"{name}: lldu_bytes is {link.lldu_bytes}, but every row has a size of its own")
    rate_bps = _rate_bps(file, carried_bytes)
    if rate_bps > MOST_RATE_BPS:
        raise UsageError(
            f"{name}: its {file.rows} rows carry {carried_bytes} bytes in {ns_to_seconds(file.span_ns):g} s, "
            f"{rate_bps:.3g} bit/s; up to {MOST_RATE_BPS:g} are allowed"
        )
    if lldu_bytes is None and packing == "padded":
        rate_bps = _rate_bps(file, packet_bytes * _padded_packets(file, packet_bytes))
    ready = ReadyLink(link, file, lldu_bytes, packing, rate_bps)
    if not link.others:
        return ready
    alone = replace(link, scheduler=None, others=())
    users = [ready, *(ready_link(replace(alone, path=one), packet_bytes) for one in link.others)]
    mean_bps = sum(one.rate_bps for one in users) / len(users)
    return replace(ready, rate_bps=mean_bps, others=tuple(one.file for one in users[1:]))


def _rate_bps(file: LinkFile, carried_bytes: int) -> float:
    """Return the mean rate of a trace; without an extent each row lasts the mean distance between rows."""
    if file.has_extent:
        return 8 * carried_bytes * NS_PER_S / file.span_ns
    return 8 * carried_bytes * (file.rows - 1) * NS_PER_S / (file.rows * file.span_ns)


@lru_cache(maxsize=256)
def _padded_packets(file: LinkFile, packet_bytes: int) -> int:
    """Return the number of full packets in a trace's rows; a changed file is another `LinkFile`."""
    rows = np.load(file.npy, mmap_mode="r", allow_pickle=False)
    return len(packets_in_rows(rows, packet_bytes, 0, "padded").first)


@lru_cache(maxsize=256)
def _known(name: str, table: Table, _place: Path, _version: object) -> LinkFile:
    return _fresh(name, table)


def _fresh(name: str, table: Table) -> LinkFile:
    """Read a trace to its end; if the simulator cannot map it, copy it into a folder of this process."""
    if name.lower().endswith(".npy") and not is_uri(name):
        return _survey(Path(name), table)
    copy = Path(_folder().name, f"{secrets.token_hex(8)}.npy")
    with open_trace(name, table) as reader, create_trace(copy, table, {}) as writer:
        for chunk in reader:
            writer.write(chunk)
    return _survey(copy, table, reader.metadata)


@lru_cache(maxsize=1)
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="tmt-links-")


def _survey(npy: Path, table: Table, metadata: Metadata | None = None) -> LinkFile:
    """Read a trace in the simulator's form; `metadata` are those of the original, if it is a copy."""
    rows = size_bytes = unsettled = lost = repeated = 0
    total_delay_ns = 0.0
    first_ns = last_ns = settled_ns = 0
    delay = "delay_ns" if table is LINK_TRACE else "decode_time_ns"
    with open_trace(npy, table) as reader:
        for chunk in cast("Iterator[Trace]", reader):
            tx_ns = chunk.tx_time_ns
            if rows == 0:
                first_ns = int(tx_ns[0])
            ends_ns = tx_ns + np.maximum(getattr(chunk, delay), 0)
            ends_ns[0] = max(int(ends_ns[0]), settled_ns)
            np.maximum.accumulate(ends_ns, out=ends_ns)
            total_delay_ns += float((ends_ns - tx_ns).sum(dtype=np.float64))
            fates = chunk.fates
            unsettled += fates.get("unsettled", 0)
            lost += fates.get("lost", 0) + fates.get("erased", 0)
            if isinstance(chunk, LinkTrace):
                repeated += int(np.count_nonzero(chunk.transmissions > 1))
            if chunk.size_bytes is not None:
                size_bytes += int(chunk.size_bytes.sum(dtype=np.int64))
            rows, last_ns, settled_ns = rows + len(chunk), int(tx_ns[-1]), int(ends_ns[-1])
    said = reader.metadata if metadata is None else metadata
    extent = Extent.said(said)
    return LinkFile(
        npy.resolve(),
        file_sha256(npy),
        rows,
        first_ns if extent is None else extent.begin_ns,
        last_ns - first_ns if extent is None else extent.length_ns,
        extent is not None,
        total_delay_ns / rows,
        said.get("lldu_bytes"),
        size_bytes or None,
        said.get("packing"),
        unsettled,
        lost,
        repeated,
        reader.columns,
    )
