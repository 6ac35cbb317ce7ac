"""Capacity of a link trace for full packets: how many its rows carry back to back, and how many arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.core.schema import SIZE_BYTES
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.schema import Packing
    from tmt.core.trace import BoolArray, Int64Array


class PacketRows(NamedTuple):
    """First and last row of each packet: [n_packets], int64."""

    first: Int64Array
    last: Int64Array


def packets_in_rows(
    rows: npt.NDArray[Any], packet_bytes: int, lldu_bytes: int, packing: Packing
) -> PacketRows:
    """Lay packets of one size back to back into all rows of a trace.

    Parameters
    ----------
    rows : [n_rows]
        Structured array of a trace, as its `.npy` file holds it.
    packet_bytes
        Size of every packet.
    lldu_bytes
        Size of a row where rows have no sizes.
    packing
        How packets lie in rows.
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
    """Return whether every row of each packet is delivered: [n_packets], bool.

    Parameters
    ----------
    packets
        The rows of each packet.
    delivered : [n_rows], bool
        Whether each row is delivered.
    """
    lost_before: Int64Array = np.concatenate(([0], np.cumsum(~delivered)))
    whole: BoolArray = lost_before[packets.last + 1] == lost_before[packets.first]
    return whole


def arrivals_per_s(rows: npt.NDArray[Any], packet_bytes: int, lldu_bytes: int, packing: Packing) -> float:
    """Return the packets per second that arrive over a link trace if they are sent back to back.

    The arguments are those of `packets_in_rows`.
    """
    packets = packets_in_rows(rows, packet_bytes, lldu_bytes, packing)
    if not len(packets.first):
        return 0.0
    span_ns = int(rows["tx_time_ns"][packets.last[-1]]) - int(rows["tx_time_ns"][0])
    return float(np.count_nonzero(arrive(packets, rows["delivered"]))) * NS_PER_S / span_ns


def has_sizes(rows: npt.NDArray[Any]) -> bool:
    """Whether every row has a size of its own."""
    return SIZE_BYTES.name in (rows.dtype.names or ())
