"""The sliding-window code with feedback, as in RFC 9407, slot by slot: the sender."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel
from tmt.core.kernels.rows import begin_row
from tmt.core.kernels.window_decoder import (
    ERASED_REPAIR,
    ERASED_SOURCE,
    REPAIR,
    SOURCE,
    decode,
    put_event,
    take_without_decoding,
)


@kernel
def send_on_feedback(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    window: int,
    interval: int,
    rtt_ns: int,
    detection_delay_ns: int,
    senders: Records,
    receivers: Records,
    events: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send as the receiver's reports ask, and decode, until the queue is full; return the number of rows
    begun.

    The receiver processes only events whose reports have reached the sender, so its state is what the sender
    knows. W, `window`, is the greatest number of source units from the first unknown one on; k, `interval`,
    is the number between regular repair units. The sender knows of an event at the receiver after `rtt_ns`;
    the receiver knows of an erased slot `detection_delay_ns` after its `tx`. `senders`, `receivers` and
    `events` are those of `send_and_decode`.
    """
    sender, receiver, mask = senders[0], receivers[0], len(events) - 1
    for slot in range(len(tx_time_ns)):
        if receiver["tail"] - receiver["head"] > mask:
            break
        sender["slots"] += 1
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        while receiver["head"] < receiver["tail"]:
            event = events[np.uintp(receiver["head"] & mask)]
            if event["at_ns"] > now_ns - rtt_ns:
                break
            receiver["head"] += 1
            if not take_without_decoding(event, window, receiver):
                decode(event, window, receiver, out)

        units, first_unknown = sender["units"], receiver["oldest"]
        missing = receiver["erased"] - receiver["system"]["n_equations"]
        repairs_under_way = sender["repairs"] - receiver["repairs"]
        sends_repair = missing > repairs_under_way
        if not sends_repair and sender["since_repair"] >= interval:
            sender["since_repair"] = 0
            sends_repair = first_unknown < units
        if sends_repair:
            kind = REPAIR if took_ns > 0 else ERASED_REPAIR
            first, last = first_unknown, units - 1
            sender["repairs"] += 1
        elif units - first_unknown < window:
            kind = SOURCE if took_ns > 0 else ERASED_SOURCE
            first, last = units, units
            begin_row(rows, now_ns, took_ns, out)
            rows += 1
            sender["units"] += 1
            sender["since_repair"] += 1
        else:
            continue  # The window is full: the slot stays idle.
        at_ns = now_ns + (took_ns if took_ns > 0 else detection_delay_ns)
        put_event(at_ns, kind, sender["repairs"] - 1, first, last, receiver, events)
    return rows
