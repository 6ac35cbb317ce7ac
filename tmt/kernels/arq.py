"""Selective-repeat ARQ: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel

Int64Array = npt.NDArray[np.int64]

REPORT = np.dtype([("due_ns", np.int64), ("row", np.int64), ("sent", np.int64)])
"""An erasure on its way to the sender: when it is reported, the LLDU's row, how often that was sent."""

STATE = np.dtype([("rows", np.int64), ("head", np.int64), ("tail", np.int64), ("retransmissions", np.int64)])
"""Since the start: rows begun, reports taken from and put into the FIFO, slots with retransmissions."""


@kernel
def send_and_repeat(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    report_delay_ns: int,
    detection_delay_ns: int,
    max_transmissions: int,
    state: npt.NDArray[np.void],
    reports: npt.NDArray[np.void],
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Send data and retransmissions in the slots given (design, section 3, `arq`).

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    report_delay_ns
        From an erased slot to the moment at which the sender knows: detection delay plus RTT.
    detection_delay_ns
        From the last erased transmission to the moment at which an LLDU is given up.
    max_transmissions
        Erasures after which an LLDU is given up.
    state : [1], `STATE`, updated
    reports : [power of two], `REPORT`, updated
        Ring that holds the FIFO; needs room for n more reports.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; open ones have the delay -1.
    """
    rows, head, tail = state[0]["rows"], state[0]["head"], state[0]["tail"]
    retransmissions = state[0]["retransmissions"]
    mask = len(reports) - 1
    for slot in range(len(tx_time_ns)):
        now_ns, decode_ns = tx_time_ns[slot], decode_time_ns[slot]
        if head < tail and reports[head & mask]["due_ns"] <= now_ns:
            row = reports[head & mask]["row"]
            sent = reports[head & mask]["sent"] + 1
            head += 1
            retransmissions += 1
        else:
            row, sent = rows, 1
            out_tx_time_ns[row - first_row] = now_ns
            rows += 1
        out = row - first_row
        out_transmissions[out] = min(sent, 255)
        out_delivered[out] = decode_ns > 0
        if decode_ns > 0:
            out_delay_ns[out] = now_ns - out_tx_time_ns[out] + decode_ns
        elif sent < max_transmissions:
            out_delay_ns[out] = -1
            reports[tail & mask]["due_ns"] = now_ns + report_delay_ns
            reports[tail & mask]["row"] = row
            reports[tail & mask]["sent"] = sent
            tail += 1
        else:
            out_delay_ns[out] = now_ns - out_tx_time_ns[out] + detection_delay_ns
    state[0]["rows"], state[0]["head"], state[0]["tail"] = rows, head, tail
    state[0]["retransmissions"] = retransmissions


@kernel
def oldest_open_row(state: npt.NDArray[np.void], reports: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose fate is open; the number of rows when none is."""
    oldest: int = state[0]["rows"]
    mask = len(reports) - 1
    for report in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, reports[report & mask]["row"])
    return oldest
