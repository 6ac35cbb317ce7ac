"""Opportunities to send packets in a trace, as mahimahi plays them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.extent import Extent
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_MS

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Int64Array, Trace

PACKET_BYTES = 1500
"""Bytes of a packet, and of an opportunity to send one."""


def begin_ns(trace: Trace) -> int:
    """Return the start of a trace: its first row, if it states none."""
    extent = Extent.said(trace.metadata)
    return int(trace.tx_time_ns[0]) if extent is None else extent.begin_ns


def row_fates(trace: Trace) -> tuple[Int64Array, BoolArray]:
    """Return each row's delay, and whether it was delivered; a row that is open at the end was not."""
    if isinstance(trace, LinkTrace):
        return trace.delay_ns, trace.delivered
    return trace.decode_time_ns, trace.decode_time_ns > 0


def opportunities_ms(trace: Trace, lldu_bytes: int | None) -> Int64Array:
    """Return the milliseconds in which a receiver has received enough bytes for one more packet of 1500.

    Delivered LLDUs (decoded slots of a PHY trace) count when they arrive, without propagation. Of LLDUs of
    one size, every ``ceil(1500 / lldu_bytes)``-th is an opportunity; with individual sizes, every 1500 bytes
    are. Milliseconds count from the trace's start. Without an extent they are those of the trace's clock. If
    that clock starts later than the trace is long, as with times of day, they count from the first row,
    because mahimahi would wait for all that time.
    """
    delay_ns, arrived = row_fates(trace)
    extent = Extent.said(trace.metadata)
    first_ns, last_ns = int(trace.tx_time_ns[0]), int(trace.tx_time_ns[-1])
    origin_ns = first_ns - first_ns % NS_PER_MS if 0 < last_ns - first_ns < first_ns else 0
    if extent is not None:
        origin_ns = extent.begin_ns
    arrivals_ns = (trace.tx_time_ns + delay_ns)[arrived] - origin_ns
    if trace.size_bytes is None:
        needed = -(-PACKET_BYTES // (lldu_bytes or PACKET_BYTES))
        return np.sort(arrivals_ns)[needed - 1 :: needed] // NS_PER_MS
    order = np.argsort(arrivals_ns, kind="stable")
    held = np.cumsum(trace.size_bytes[arrived][order].astype(np.int64))
    packets = np.arange(1, (int(held[-1]) if len(held) else 0) // PACKET_BYTES + 1, dtype=np.int64)
    return arrivals_ns[order][np.searchsorted(held, packets * PACKET_BYTES)] // NS_PER_MS


def in_one_turn_ms(times_ms: Int64Array, trace: Trace) -> tuple[Int64Array, list[str]]:
    """Return the milliseconds of opportunities so that mahimahi, which repeats at the last one, keeps the
    length.

    Opportunities after the trace's end belong to the start of its repetition. If there is none at the end,
    the last one is moved there, which keeps their number. Without an extent nothing changes.
    """
    extent = Extent.said(trace.metadata)
    if extent is None or not len(times_ms):
        return times_ms, []
    end_ms = -(-extent.length_ns // NS_PER_MS)
    turned = np.sort((times_ms - 1) % end_ms + 1)
    last_ms = int(turned[-1])
    if last_ms == end_ms:
        return turned, []
    turned[-1] = end_ms
    moved = f"the last opportunity is put from {last_ms:,} ms to {end_ms:,} ms, the end of the trace"
    return turned, [f"{moved}: mahimahi repeats a trace at its last time stamp"]
