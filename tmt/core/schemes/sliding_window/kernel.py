"""The sliding-window code of RFC 8681 without feedback, slot by slot: the sender."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel
from tmt.core.kernels.rows import begin_row
from tmt.core.kernels.window_decoder import REPAIR, SOURCE, decode, put_event, take_without_decoding


@kernel
def send_and_decode(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    senders: Records,
    receivers: Records,
    events: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send source and repair units, and decode, until the queue is full; return the number of rows begun.

    Parameters
    ----------
    window, interval : source units that a repair unit covers, W; source units between repair units, k
    senders, receivers : [1], `SENDER`, and [1], `RECEIVER`, updated
    events : [power of two], `EVENT`, updated
        Queue of events at the receiver in the order of their times, as a ring.
    """
    sender, receiver, mask = senders[0], receivers[0], len(events) - 1
    for slot in range(len(tx_time_ns)):
        if receiver["tail"] - receiver["head"] > mask:
            break
        sender["slots"] += 1
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        while receiver["head"] < receiver["tail"]:
            event = events[np.uintp(receiver["head"] & mask)]
            if event["at_ns"] > now_ns:
                break
            receiver["head"] += 1
            if not take_without_decoding(event, window, receiver):
                decode(event, window, receiver, out)

        units = sender["units"]
        if sender["since_repair"] == interval:
            kind, first, last = REPAIR, max(0, units - window), units - 1
            sender["repairs"] += 1
            sender["since_repair"] = 0
        else:
            kind, first, last = SOURCE, units, units
            begin_row(rows, now_ns, took_ns, out)
            rows += 1
            sender["units"] += 1
            sender["since_repair"] += 1
        if took_ns > 0:
            put_event(now_ns + took_ns, kind, sender["repairs"] - 1, first, last, receiver, events)
    return rows
