"""Hybrid ARQ of type II, slot by slot."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Int64Array, Records, Rows, kernel
from tmt.core.kernels.rows import nth_arrival_ns

BLOCK = np.dtype([(name, np.int64) for name in ("row", "requests", "due_ns", "left", "arrived")])
"""A block: its first row, requests so far, the last request's arrival at the sender, LLDUs of this round
still to be sent, LLDUs that have arrived in all rounds.
"""

STATE = np.dtype([(name, np.int64) for name in ("head", "tail", "requested_slots")])
"""Requests taken from the FIFO and put into it since the start of the trace; slots that
carried requested repair LLDUs."""


@kernel
def send_and_repair(  # noqa: PLR0912, PLR0915  (a call per block would cost as much as its slots)
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    extra: int,
    rounds: int,
    feedback_delay_ns: int,
    detection_delay_ns: int,
    state: Records,
    blocks: Records,
    arrivals_ns: Int64Array,
    rows: int,
    out: Rows,
) -> int:
    """Send blocks and requested repair LLDUs in the given slots; return the number of rows that have begun.

    Parameters
    ----------
    data, repair, extra, rounds
        Data and repair LLDUs of a block, repair LLDUs beyond the missing ones, most requests per block.
    feedback_delay_ns
        From the last slot of a round until its request reaches the sender: detection delay plus RTT.
    detection_delay_ns : from the last slot of the last round until the receiver gives the block up state :
    [1], `STATE`, updated blocks : [1 + power of two], `BLOCK`, updated
        First the new block that is being sent, then a ring: the FIFO of blocks with a request. It needs room
        for ``n // (data + repair) + 2`` more.
    arrivals_ns : [len(blocks), data + max(repair, extra) + 1], updated, when the LLDUs of each block arrived
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    head, tail, requested_slots = state[0]["head"], state[0]["tail"], state[0]["requested_slots"]
    left, arrived = blocks[0]["left"], blocks[0]["arrived"]
    mask = len(blocks) - 2
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        if head < tail and blocks[1 + (head & mask)]["due_ns"] <= now_ns:
            place = 1 + (head & mask)
            block = blocks[place]
            arrivals_ns[place, block["arrived"]] = now_ns + took_ns
            block["arrived"] += took_ns > 0
            block["left"] -= 1
            requested_slots += 1
            if block["left"] > 0:
                continue
            head += 1
        else:
            place = 0
            block = blocks[place]
            if left == 0:
                block["row"], left, arrived = rows, data + repair, 0
            if left > repair:
                new_row = np.uintp(rows)
                out_tx_time_ns[new_row] = now_ns
                out_delay_ns[new_row] = took_ns if took_ns > 0 else -1
                out_delivered[new_row] = took_ns > 0
                out_transmissions[new_row] = 1
                rows += 1
            # Without a branch, which would be mispredicted: the next arrival overwrites the entry of an
            # erased slot.
            arrivals_ns[0, np.uintp(arrived)] = now_ns + took_ns
            arrived += took_ns > 0
            left -= 1
            if left > 0 or arrived == data + repair:
                continue
            block["arrived"], block["requests"] = arrived, 0

        # The round is over.
        first_row, recovered = block["row"], block["arrived"] >= data
        if not recovered and block["requests"] < rounds:
            request = blocks[1 + (tail & mask)]
            request["row"], request["requests"] = first_row, block["requests"] + 1
            request["due_ns"] = now_ns + feedback_delay_ns
            request["left"], request["arrived"] = data - block["arrived"] + extra, block["arrived"]
            for i in range(request["arrived"]):
                arrivals_ns[1 + (tail & mask), i] = arrivals_ns[place, i]
            for row in range(np.uintp(first_row), np.uintp(first_row + data)):
                out_transmissions[row] = min(1 + request["requests"], 255)
            tail += 1
            continue
        settled_ns = now_ns + detection_delay_ns
        if recovered:
            settled_ns = nth_arrival_ns(arrivals_ns[place], block["arrived"], data)
        for row in range(np.uintp(first_row), np.uintp(first_row + data)):
            if not out_delivered[row]:
                out_delay_ns[row], out_delivered[row] = settled_ns - out_tx_time_ns[row], recovered
    blocks[0]["left"], blocks[0]["arrived"] = left, arrived
    state[0]["head"], state[0]["tail"], state[0]["requested_slots"] = head, tail, requested_slots
    return rows
