"""A link as other tools describe it: rate, loss and delay per interval, and the fates of packets in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int64Array, Trace

PACKET_BYTES = 1500
"""Bytes of a packet, and of an opportunity to send one."""

MAX_INTERVALS = 10_000_000


@dataclass(frozen=True, slots=True)
class LinkIntervals:
    """A link in intervals of equal length.

    Attributes
    ----------
    interval_ns
        Length of an interval.
    rate_bps : [n], float64
        Bits that the rows of the interval carry, lost ones included, over its length.
    loss : [n], float64
        Share of the rows that are lost; 0 in an interval without rows.
    delay_ns : [n], float64
        Mean delay of the delivered rows; in an interval without any, that of the interval before.
    """

    interval_ns: int
    rate_bps: FloatArray
    loss: FloatArray
    delay_ns: FloatArray

    @classmethod
    def of(cls, trace: Trace, lldu_bytes: int | None, interval_ns: int) -> LinkIntervals:
        """Cut a trace into intervals from its first row to its last.

        Raises
        ------
        UsageError
            When there are more than `MAX_INTERVALS`.
        """
        since = trace.tx_time_ns - trace.tx_time_ns[0]
        at = since // interval_ns
        count = int(at[-1]) + 1
        if count > MAX_INTERVALS:
            raise UsageError(f"--interval gives {count} intervals; the most are {MAX_INTERVALS}")
        delay, delivered = fates(trace)
        rows = np.bincount(at, minlength=count)
        bits = np.bincount(at, weights=8.0 * row_bytes(trace, lldu_bytes), minlength=count)
        lost = np.bincount(at[~delivered], minlength=count)
        arrived = rows - lost
        total = np.bincount(at[delivered], weights=delay[delivered].astype(np.float64), minlength=count)
        mean = np.divide(total, arrived, out=np.full(count, np.nan), where=arrived > 0)
        known = np.maximum.accumulate(np.where(arrived > 0, np.arange(count), -1))
        first = float(mean[arrived > 0][0]) if arrived.any() else 0.0
        rate = (bits * (NS_PER_S / interval_ns)).astype(np.float64)
        loss: FloatArray = np.where(rows > 0, lost / np.maximum(rows, 1), 0.0)
        return cls(interval_ns, rate, loss, np.where(known >= 0, mean[known], first))


def fates(trace: Trace) -> tuple[Int64Array, BoolArray]:
    """Return each row's delay, and whether it was delivered; a row that is open at the end was not."""
    if isinstance(trace, LinkTrace):
        return trace.delay_ns, trace.delivered
    return trace.decode_time_ns, trace.decode_time_ns > 0


def row_bytes(trace: Trace, lldu_bytes: int | None) -> FloatArray:
    """Return the bytes that each row carries."""
    if trace.size_bytes is not None:
        return trace.size_bytes.astype(np.float64)
    return np.full(len(trace), float(lldu_bytes or 0))


def rows_per_packet(lldu_bytes: int | None) -> int:
    """Return the rows that a packet takes where all rows carry `lldu_bytes`."""
    return -(-PACKET_BYTES // (lldu_bytes or PACKET_BYTES))


def packet_fates(trace: Trace, lldu_bytes: int | None) -> BoolArray:
    """Return whether each packet of 1500 bytes is delivered if packets are sent without a pause.

    Rows with sizes carry bytes one after another. Rows of equal size carry ``ceil(1500 / lldu_bytes)`` rows a
    packet. A packet is lost if one of its rows is.
    """
    _, delivered = fates(trace)
    if trace.size_bytes is None:
        rows = rows_per_packet(lldu_bytes)
        whole = len(trace) // rows
        alike: BoolArray = np.all(delivered[: whole * rows].reshape(whole, rows), axis=1)
        return alike
    ends = np.cumsum(trace.size_bytes.astype(np.int64))
    packets = int(ends[-1]) // PACKET_BYTES
    begin = np.arange(packets, dtype=np.int64) * PACKET_BYTES
    first = np.searchsorted(ends, begin, side="right")
    last = np.searchsorted(ends, begin + PACKET_BYTES - 1, side="right")
    lost = np.concatenate([[0], np.cumsum(~delivered)])
    none: BoolArray = lost[last + 1] == lost[first]
    return none
