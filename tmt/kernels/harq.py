"""Hybrid ARQ of type II: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel

Int64Array = npt.NDArray[np.int64]

REQUEST = np.dtype(
    [
        ("due_ns", np.int64),
        ("row", np.int64),
        ("requests", np.int64),
        ("repair_left", np.int64),
        ("arrived", np.int64),
    ]
)
"""A block that waits for repair: when its request reaches the sender, its first row, requests made so far, repair
LLDUs still to send in this round, LLDUs arrived over all rounds."""

STATE = np.dtype(
    [
        ("rows", np.int64),
        ("head", np.int64),
        ("tail", np.int64),
        ("repair_slots", np.int64),
        ("position", np.int64),
        ("arrived", np.int64),
    ]
)
"""Rows started; requests taken from and put into the FIFO; slots that carried repair: all since the start; then
the LLDUs sent and arrived of the block that is on air."""


@kernel
def send_and_repair(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    extra: int,
    rounds: int,
    report_delay_ns: int,
    detection_delay_ns: int,
    state: npt.NDArray[np.void],
    block_arrivals_ns: Int64Array,
    requests: npt.NDArray[np.void],
    arrivals_ns: Int64Array,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Send blocks and requested repair LLDUs in the slots given (design, section 3, `harq`).

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    data, repair, extra, rounds
        Data and repair LLDUs of a block, repair LLDUs sent on top of those missing, most requests per block.
    report_delay_ns
        From the last slot of a round to the moment at which the sender knows: detection delay plus RTT.
    detection_delay_ns
        From the last slot of the last round to the moment at which erased LLDUs are given up.
    state : [1], `STATE`, updated
    block_arrivals_ns : [data + repair], int64, ns, updated
        When the LLDUs of the block that is on air arrived, in any order.
    requests : [power of two], `REQUEST`, updated
        Ring that holds the FIFO; needs room for ``n // (data + repair) + 2`` more.
    arrivals_ns : [len(requests), 2 * data + extra], int64, ns, updated
        When the LLDUs of each waiting block arrived.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; erased ones of open blocks have the delay -1.
    """
    rows, head, tail = state[0]["rows"], state[0]["head"], state[0]["tail"]
    repair_slots = state[0]["repair_slots"]
    position, arrived = state[0]["position"], state[0]["arrived"]
    mask = len(requests) - 1
    for slot in range(len(tx_time_ns)):
        now_ns, decode_ns = tx_time_ns[slot], decode_time_ns[slot]
        if head < tail and requests[head & mask]["due_ns"] <= now_ns:
            front = head & mask
            repair_slots += 1
            if decode_ns > 0:
                arrivals_ns[front, requests[front]["arrived"]] = now_ns + decode_ns
                requests[front]["arrived"] += 1
            requests[front]["repair_left"] -= 1
            if requests[front]["repair_left"] > 0:
                continue
            head += 1
            block, block_arrived = requests[front]["row"] - first_row, requests[front]["arrived"]
            made, came_ns = requests[front]["requests"], arrivals_ns[front]
        else:
            if position < data:
                out = rows - first_row
                out_tx_time_ns[out] = now_ns
                out_delay_ns[out] = decode_ns if decode_ns > 0 else -1
                out_delivered[out] = decode_ns > 0
                out_transmissions[out] = 1
                rows += 1
            else:
                repair_slots += 1
            if decode_ns > 0:
                block_arrivals_ns[arrived] = now_ns + decode_ns
                arrived += 1
            position += 1
            if position < data + repair:
                continue
            block, block_arrived = rows - data - first_row, arrived
            made, came_ns = 0, block_arrivals_ns
            position, arrived = 0, 0
        if block_arrived >= data:
            settled_ns = np.sort(came_ns[:block_arrived])[data - 1]
        elif made < rounds:
            back = tail & mask
            requests[back]["due_ns"] = now_ns + report_delay_ns
            requests[back]["row"] = block + first_row
            requests[back]["requests"] = made + 1
            requests[back]["repair_left"] = data - block_arrived + extra
            requests[back]["arrived"] = block_arrived
            for i in range(block_arrived):
                arrivals_ns[back, i] = came_ns[i]
            tail += 1
            for row in range(block, block + data):
                out_transmissions[row] = min(made + 2, 255)
            continue
        else:
            settled_ns = now_ns + detection_delay_ns
        for row in range(block, block + data):
            if not out_delivered[row]:
                out_delay_ns[row] = settled_ns - out_tx_time_ns[row]
                out_delivered[row] = block_arrived >= data
    state[0]["rows"], state[0]["head"], state[0]["tail"] = rows, head, tail
    state[0]["repair_slots"] = repair_slots
    state[0]["position"], state[0]["arrived"] = position, arrived


@kernel
def oldest_open_row(state: npt.NDArray[np.void], requests: npt.NDArray[np.void], data: int) -> int:
    """Return the number of the first row whose block is open; the number of rows when none is."""
    oldest: int = state[0]["rows"] - min(state[0]["position"], data)
    mask = len(requests) - 1
    for request in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, requests[request & mask]["row"])
    return oldest
