"""Selective-repeat ARQ, slot by slot."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel

UNLIMITED = 2**63 - 1

NACK = np.dtype([("due_ns", np.int64), ("row", np.int64), ("sent", np.int64)])
"""A NACK: its arrival at the sender, the row of the erased LLDU, and the LLDU's transmissions so far."""

STATE = np.dtype([("head", np.int64), ("tail", np.int64)])
"""NACKs taken from the FIFO and put into it since the start of the trace."""


@kernel
def send_and_repeat(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    feedback_delay_ns: int,
    detection_delay_ns: int,
    max_transmissions: int,
    state: Records,
    nacks: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send data and retransmissions in the given slots; return the number of rows that have begun.

    Parameters
    ----------
    feedback_delay_ns : from an erased slot until its NACK reaches the sender: detection delay plus RTT
    detection_delay_ns : from an LLDU's last erased transmission until the receiver gives it up
    max_transmissions : erasures after which an LLDU is given up, or `UNLIMITED`
    state : [1], `STATE`, updated
    nacks : [power of two], `NACK`, updated
        A ring used as FIFO, with room for one more NACK per erased slot. NACK i is at index ``i %
        len(nacks)``.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    head, tail = state[0]["head"], state[0]["tail"]
    mask = len(nacks) - 1
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        if head < tail and nacks[head & mask]["due_ns"] <= now_ns:
            row, sent = np.uintp(nacks[head & mask]["row"]), nacks[head & mask]["sent"] + 1
            head += 1
        else:
            row, sent = np.uintp(rows), 1
            out_tx_time_ns[row] = now_ns
            rows += 1

        out_delivered[row] = took_ns > 0
        out_transmissions[row] = min(sent, 255)
        if took_ns > 0:
            out_delay_ns[row] = now_ns + took_ns - out_tx_time_ns[row]
        elif sent == max_transmissions:
            out_delay_ns[row] = now_ns + detection_delay_ns - out_tx_time_ns[row]
        else:
            out_delay_ns[row] = -1
            nack = nacks[tail & mask]
            nack["due_ns"], nack["row"], nack["sent"] = now_ns + feedback_delay_ns, row, sent
            tail += 1
    state[0]["head"], state[0]["tail"] = head, tail
    return rows
