"""Packets in the rows of a link trace, sent back to back or in a run, with rate and queue over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.measure.transport import AQM_DROPPED, FORWARD, QUEUE_DROPPED, SENT
from tmt.core.schema import SIZE_BYTES, Packing
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from tmt.core.trace import BoolArray, FloatArray, Int64Array

    Steps = tuple[FloatArray, FloatArray]

MOST_ROWS = 50_000_000
"""Greatest number of rows in a run; the course of the link is omitted for longer ones."""


class PacketRows(NamedTuple):
    """First and last row of each packet: [n_packets], int64."""

    first: Int64Array
    last: Int64Array


def packets_in_rows(
    rows: npt.NDArray[Any], packet_bytes: int, lldu_bytes: int, packing: Packing
) -> PacketRows:
    """Lay packets of `packet_bytes` each back to back into all rows of a trace.

    `rows`, [n_rows], is the structured array of its `.npy` file; rows without sizes carry `lldu_bytes`.
    """
    if packing == "padded" and not has_sizes(rows):
        needed = -(-packet_bytes // lldu_bytes)
        first: Int64Array = needed * np.arange(len(rows) // needed)
        return PacketRows(first, first + needed - 1)
    if has_sizes(rows):
        ends: Int64Array = np.cumsum(rows[SIZE_BYTES.name], dtype=np.int64)
    else:
        ends = lldu_bytes * np.arange(1, len(rows) + 1)
    if packing == "packed":
        begins = packet_bytes * np.arange(int(ends[-1]) // packet_bytes)
        return PacketRows(
            np.searchsorted(ends, begins, side="right"), np.searchsorted(ends, begins + packet_bytes)
        )
    begins = np.concatenate(([0], ends[:-1]))
    last_of = np.searchsorted(ends, begins + packet_bytes)
    first_rows, row = [], 0
    while row < len(rows) and last_of[row] < len(rows):
        first_rows.append(row)
        row = int(last_of[row]) + 1
    first = np.array(first_rows, np.int64)
    return PacketRows(first, last_of[first])


def arrive(packets: PacketRows, delivered: BoolArray) -> BoolArray:
    """Return whether every row of each packet is delivered: [n_packets], bool, from `delivered`, [n_rows]."""
    lost_before: Int64Array = np.concatenate(([0], np.cumsum(~delivered)))
    whole: BoolArray = lost_before[packets.last + 1] == lost_before[packets.first]
    return whole


def arrivals_per_s(
    rows: npt.NDArray[Any],
    packet_bytes: int,
    lldu_bytes: int,
    packing: Packing,
    length_ns: int | None = None,
) -> float:
    """Return how many packets per second arrive when sent back to back; arguments as for `packets_in_rows`.

    `length_ns` is the trace's; None where only the rows give it.
    """
    packets = packets_in_rows(rows, packet_bytes, lldu_bytes, packing)
    if not len(packets.first):
        return 0.0
    span_ns = length_ns or int(rows["tx_time_ns"][packets.last[-1]]) - int(rows["tx_time_ns"][0])
    return float(np.count_nonzero(arrive(packets, rows["delivered"]))) * NS_PER_S / span_ns


def has_sizes(rows: npt.NDArray[Any]) -> bool:
    """Whether every row has a size of its own."""
    return SIZE_BYTES.name in (rows.dtype.names or ())


@dataclass(frozen=True, slots=True)
class RowsInTime:
    """The rows of the forward link in simulated time.

    `time_ns`, [n_rows], int64, is when each is sent; the rows are repeated as in the run. `delivered`,
    [n_rows], says of a PHY trace under an online scheme whether the slot is decoded. `row_bytes`, [n_rows] or
    one number for all, are the bytes that rows carry. `has_queue` says whether the length of the queue can be
    computed: every data packet joins it when it is sent, and every row carries new data.
    """

    time_ns: Int64Array
    delivered: BoolArray
    row_bytes: Int64Array | int
    packing: str
    has_queue: bool

    def capacity_bps(self, edges_s: FloatArray) -> FloatArray:
        """Return the bits per second of the delivered rows in each bin."""
        row_bytes = np.broadcast_to(self.row_bytes, len(self.time_ns))[self.delivered]
        in_bin, _ = np.histogram(self.time_ns[self.delivered] / NS_PER_S, edges_s, weights=8.0 * row_bytes)
        capacity_bps: FloatArray = in_bin / np.diff(edges_s)
        return capacity_bps

    def lost_share(self, edges_s: FloatArray) -> FloatArray:
        """Return the share of rows that are not delivered in each bin; NaN where no row is sent."""
        rows, _ = np.histogram(self.time_ns / NS_PER_S, edges_s)
        lost, _ = np.histogram(self.time_ns[~self.delivered] / NS_PER_S, edges_s)
        share: FloatArray = np.divide(lost, rows, out=np.full(len(rows), np.nan), where=rows > 0)
        return share

    def queue_length(self, packets: npt.NDArray[np.void]) -> Steps | None:
        """Return times in seconds, and the number of packets in the queue from then on, including the packet
        in service.

        A packet takes the next bytes or rows after its arrival and after the packets before it, and leaves
        with the last of them (`docs/queue.md`). None where the rows do not determine it.
        """
        if not self.has_queue:
            return None
        arrival_ns, size_bytes = _joined(packets)
        first = np.searchsorted(self.time_ns, arrival_ns)
        if isinstance(self.row_bytes, int):
            ends = self.row_bytes * np.arange(1, len(self.time_ns) + 1)
        else:
            ends = np.cumsum(self.row_bytes)
        if self.packing == "packed":
            begins: Int64Array = np.concatenate(([0], ends))[first]
            last = np.searchsorted(ends, _in_turn(begins, size_bytes))
        elif isinstance(self.row_bytes, int):
            last = _in_turn(first, -(-size_bytes // self.row_bytes)) - 1
        else:
            last = _last_padded(ends, first, size_bytes)
        left = last < len(self.time_ns)
        return _steps(arrival_ns, self.time_ns[last[left]])


@dataclass(frozen=True, slots=True)
class PlainInTime:
    """A forward link of constant rate."""

    rate_bps: float
    has_queue: bool

    def capacity_bps(self, edges_s: FloatArray) -> FloatArray:
        """Return the rate in each bin."""
        return np.full(len(edges_s) - 1, self.rate_bps)

    def queue_length(self, packets: npt.NDArray[np.void]) -> Steps | None:
        """Return times in seconds, and the number of packets in the queue from then on, as for rows."""
        if not self.has_queue:
            return None
        arrival_ns, size_bytes = _joined(packets)
        service_ns = np.round(8 * size_bytes * NS_PER_S / self.rate_bps).astype(np.int64)
        return _steps(arrival_ns, _in_turn(arrival_ns, service_ns))


def link_use(run: Mapping[str, Any], trace: Path | None) -> RowsInTime | PlainInTime | None:
    """Return the forward link over the time of a run, given by its result columns.

    `trace` is the link trace as the simulator mapped it, or the PHY trace under an online scheme; None for a
    plain link, or if it is missing. The result is None where the trace is missing, or the run spans too many
    rows. InputError when the trace cannot be read.
    """
    queue_is_first = _is_missing(run["wired_rate_bps"]) and run["proxy"] in {False, "off", None}
    if not isinstance(run["forward_trace"], str):
        rate_bps = run["forward_rate_bps"]
        return None if _is_missing(rate_bps) else PlainInTime(float(rate_bps), queue_is_first)
    rows = None if trace is None else _open(trace)
    if rows is None:
        return None
    extent = _extent(run, rows["tx_time_ns"])
    if extent is None:
        return None
    tx_ns, period_ns = rows["tx_time_ns"] - extent.begin_ns, extent.length_ns
    offset_ns, end_ns = round(run["forward_offset_s"] * NS_PER_S), round(run["simulated_s"] * NS_PER_S)
    repeats = 1 + (0 if _is_missing(run["forward_trace_repeats"]) else int(run["forward_trace_repeats"]))
    if repeats * len(rows) > MOST_ROWS:
        return None
    time_ns = (tx_ns + period_ns * np.arange(repeats)[:, np.newaxis]).ravel() - offset_ns
    inside = slice(*np.searchsorted(time_ns, [0, end_ns + 1]))
    is_online = isinstance(run["forward_online"], str)
    delivered = rows["decode_time_ns"] > 0 if is_online else rows["delivered"]
    row_bytes: Int64Array | int
    if has_sizes(rows):
        row_bytes = np.tile(rows[SIZE_BYTES.name].astype(np.int64), repeats)[inside]
    else:
        row_bytes = int(run["forward_lldu_bytes"])
    return RowsInTime(
        time_ns[inside],
        np.tile(delivered, repeats)[inside],
        row_bytes,
        run["forward_packing"],
        queue_is_first and not is_online,
    )


def _extent(run: Mapping[str, Any], tx_time_ns: Int64Array) -> Extent | None:
    """Return the extent of a run's forward trace, from its columns, or else from its rows."""
    begin_s, length_s = run.get("forward_begin_s"), run.get("forward_length_s")
    if begin_s is None or _is_missing(begin_s) or length_s is None or _is_missing(length_s):
        return Extent.of_rows(int(tx_time_ns[0]), int(tx_time_ns[-1]), len(tx_time_ns))
    return Extent(round(begin_s * NS_PER_S), round(length_s * NS_PER_S))


def _open(path: Path) -> npt.NDArray[np.void] | None:
    try:
        rows: npt.NDArray[np.void] = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(path, "is damaged: it is not an array in NumPy's format") from error
    if rows.ndim != 1 or "tx_time_ns" not in (rows.dtype.names or ()):
        raise InputError(path, "is damaged: it holds no rows of a trace")
    return rows


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _joined(packets: npt.NDArray[np.void]) -> tuple[Int64Array, Int64Array]:
    """Return arrival time and size of the forward packets that joined the queue: two of [n]."""
    forward = packets[packets["direction"] == FORWARD]
    dropped = forward["uid"][np.isin(forward["event"], (QUEUE_DROPPED, AQM_DROPPED))]
    sent = forward[forward["event"] == SENT]
    joined = sent[~np.isin(sent["uid"], dropped)]
    return joined["time_ns"], joined["size_bytes"].astype(np.int64)


def _in_turn(earliest: Int64Array, needed: Int64Array) -> Int64Array:
    """Return the end of each service; a service starts at its earliest start or after the service before it,
    whichever is later.
    """
    taken = np.cumsum(needed)
    ends: Int64Array = np.maximum.accumulate(earliest - (taken - needed)) + taken
    return ends


def _last_padded(ends: Int64Array, first: Int64Array, size_bytes: Int64Array) -> Int64Array:
    """Return the last row of each packet when a packet begins in a new row; `ends` are sums of the rows'
    bytes.
    """
    last, behind = np.empty(len(first), np.int64), 0
    for packet, (row, size) in enumerate(zip(first.tolist(), size_bytes.tolist(), strict=True)):
        begin = max(row, behind)
        before = int(ends[begin - 1]) if 0 < begin <= len(ends) else 0
        last[packet] = np.searchsorted(ends, before + size) if begin < len(ends) else len(ends)
        behind = int(last[packet]) + 1
    return last


def _steps(arrival_ns: Int64Array, leave_ns: Int64Array) -> Steps:
    """Return the length over time; at equal times packets leave before others arrive."""
    time_ns = np.concatenate([arrival_ns, leave_ns])
    change = np.repeat((1.0, -1.0), (len(arrival_ns), len(leave_ns)))
    # A packet that leaves at its arrival time does so after its arrival.
    turn = np.concatenate([np.ones(len(arrival_ns)), 2 * (leave_ns == arrival_ns[: len(leave_ns)])])
    order = np.lexsort((turn, time_ns))
    return time_ns[order] / NS_PER_S, np.cumsum(change[order])
