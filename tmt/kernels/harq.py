"""Hybrid ARQ of type II: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel, part_of_kernel
from tmt.kernels.blocks import (
    arrive_in_order,
    decode_blocks_in_order,
    decode_runs_in_any_order,
    nth_arrival_ns,
)
from tmt.kernels.windows import end_of_window, evenly_spaced, first_interval_ns

Int64Array = npt.NDArray[np.int64]

WINDOW_SLOTS = 2048
"""Most slots that are sent before the blocks in them are judged; few enough to stay in the cache."""

REQUEST = np.dtype(
    [
        ("due_ns", np.int64),
        ("row", np.int64),
        ("made", np.int64),
        ("left", np.int64),
        ("arrived", np.int64),
    ]
)
"""A block that waits for repair: when its request reaches the sender (from then on: the `tx` of the last slot
that served it), its first row, requests made so far, repair LLDUs still to send in this round, LLDUs arrived
over all rounds."""

STATE = np.dtype(
    [
        ("rows", np.int64),
        ("head", np.int64),
        ("tail", np.int64),
        ("requested", np.int64),
        ("on_air", np.int64),
    ]
)
"""Since the start: rows of whole blocks, requests taken from and put into the FIFO, slots that requests took;
and the slots of the block that is on air."""


@part_of_kernel
def judge_round(
    data: int,
    extra: int,
    rounds: int,
    report_delay_ns: int,
    detection_delay_ns: int,
    requests: npt.NDArray[np.void],
    arrivals_ns: Int64Array,
    front: int,
    back: int,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> int:
    """Judge the block in place `front` of the ring, whose requested repair has been sent.

    Its `due_ns` holds the `tx` of its last slot. Returns 1 when it asks again, in place `back`; else 0.
    """
    begin, made = requests[front]["row"] - first_row, requests[front]["made"]
    ended_ns, arrived = requests[front]["due_ns"], requests[front]["arrived"]
    if arrived < data and made < rounds:
        requests[back]["due_ns"] = ended_ns + report_delay_ns
        requests[back]["row"] = begin + first_row
        requests[back]["made"] = made + 1
        requests[back]["left"] = data - arrived + extra
        requests[back]["arrived"] = arrived
        for i in range(arrived):
            arrivals_ns[back, i] = arrivals_ns[front, i]
        for i in range(begin, begin + data):
            out_transmissions[i] = min(made + 2, 255)
        return 1
    recovered = arrived >= data
    settled_ns = ended_ns + detection_delay_ns
    if recovered:
        settled_ns = nth_arrival_ns(arrivals_ns[front, :arrived], data)
    tx_ns, delay_ns = out_tx_time_ns[begin : begin + data], out_delay_ns[begin : begin + data]
    delivered = out_delivered[begin : begin + data]
    for i in range(data):
        delay_ns[i] = delay_ns[i] if delivered[i] else settled_ns - tx_ns[i]
        delivered[i] |= recovered
    return 0


@kernel
def send_and_repair(  # noqa: PLR0912, PLR0915  (a call costs as much as a block)
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    data: int,
    repair: int,
    extra: int,
    rounds: int,
    report_delay_ns: int,
    detection_delay_ns: int,
    state: npt.NDArray[np.void],
    air_tx_ns: Int64Array,
    air_decode_ns: Int64Array,
    requests: npt.NDArray[np.void],
    arrivals_ns: Int64Array,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
    out_transmissions: npt.NDArray[np.uint8],
) -> None:
    """Send blocks and requested repair LLDUs in the slots given (design, section 3, `harq`).

    The slots that no request takes are gathered, so that blocks lie in one piece; whole blocks are judged at
    once and write their rows.

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
    air_tx_ns, air_decode_ns : [data + repair + WINDOW_SLOTS], int64, ns, updated
        Slots of the block that is on air, at the front.
    requests : [power of two], `REQUEST`, updated
        Ring that holds the FIFO; needs room for as many as wait and ``n // (data + repair) + 2`` more.
    arrivals_ns : [len(requests), 2 * (data + repair) + extra + 1], int64, ns, updated
        When the LLDUs of each waiting block arrived.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; erased ones of open blocks have the delay -1.
    """
    row, on_air = state[0]["rows"] - first_row, state[0]["on_air"]
    head, tail, requested = state[0]["head"], state[0]["tail"], state[0]["requested"]
    mask = len(requests) - 1
    length = data + repair
    recovered = np.empty(len(air_tx_ns) // length + 1, np.bool_)
    slot = 0
    while slot < len(tx_time_ns):
        # No request that is made in this window falls due in it.
        interval_ns = first_interval_ns(tx_time_ns, slot)
        end = end_of_window(tx_time_ns, slot, WINDOW_SLOTS, report_delay_ns, interval_ns)
        if interval_ns > 0 and not evenly_spaced(tx_time_ns, slot, end, interval_ns):
            end = end_of_window(tx_time_ns, slot, WINDOW_SLOTS, report_delay_ns, 0)

        served = head
        blocks = (end - slot) // length
        in_one_piece = blocks > 0 and on_air == 0
        in_one_piece &= head == tail or requests[head & mask]["due_ns"] > tx_time_ns[end - 1]
        if in_one_piece:
            end = slot + blocks * length
            tx_ns, decode_ns = tx_time_ns[slot:end], decode_time_ns[slot:end]
            slot = end
        while slot < end:
            free = end
            front = head & mask
            if head < tail and requests[front]["due_ns"] <= tx_time_ns[end - 1]:
                free = slot
                while tx_time_ns[free] < requests[front]["due_ns"]:
                    free += 1
            for i in range(free - slot):
                air_tx_ns[np.uintp(on_air + i)] = tx_time_ns[np.uintp(slot + i)]
                air_decode_ns[np.uintp(on_air + i)] = decode_time_ns[np.uintp(slot + i)]
            on_air += free - slot
            slot = free
            if slot == end:
                break
            arrived = requests[front]["arrived"]
            taken = min(requests[front]["left"], end - slot)
            for i in range(slot, slot + taken):
                arrivals_ns[front, arrived] = tx_time_ns[i] + decode_time_ns[i]
                arrived += decode_time_ns[i] > 0
            slot += taken
            requested += taken
            requests[front]["arrived"] = arrived
            requests[front]["left"] -= taken
            requests[front]["due_ns"] = tx_time_ns[slot - 1]
            head += requests[front]["left"] == 0
        if not in_one_piece:
            blocks = on_air // length
            on_air -= blocks * length
            tx_ns, decode_ns = air_tx_ns[: blocks * length], air_decode_ns[: blocks * length]

        rows_tx_ns = out_tx_time_ns[row : row + blocks * data]
        delay_ns = out_delay_ns[row : row + blocks * data]
        delivered = out_delivered[row : row + blocks * data]
        transmissions = out_transmissions[row : row + blocks * data]
        transmissions[:] = 1
        if arrive_in_order(decode_ns):
            decode_blocks_in_order(
                tx_ns, decode_ns, data, repair, detection_delay_ns, rows_tx_ns, delay_ns, delivered, recovered
            )
        else:
            decode_runs_in_any_order(
                tx_ns,
                decode_ns,
                data,
                repair,
                1,
                detection_delay_ns,
                rows_tx_ns,
                delay_ns,
                delivered,
                recovered,
            )

        for block in range(blocks):
            if recovered[block] or rounds == 0:
                continue
            first, last, first_data = block * length, (block + 1) * length - 1, block * data
            # Rounds of older blocks that ended before this one ask first.
            while served < head and requests[served & mask]["due_ns"] < tx_ns[last]:
                tail += judge_round(
                    data,
                    extra,
                    rounds,
                    report_delay_ns,
                    detection_delay_ns,
                    requests,
                    arrivals_ns,
                    served & mask,
                    tail & mask,
                    first_row,
                    out_tx_time_ns,
                    out_delay_ns,
                    out_delivered,
                    out_transmissions,
                )
                served += 1
            back = tail & mask
            arrived = 0
            for i in range(first, last + 1):
                arrivals_ns[back, arrived] = tx_ns[i] + decode_ns[i]
                arrived += decode_ns[i] > 0
            requests[back]["due_ns"] = tx_ns[last] + report_delay_ns
            requests[back]["row"] = row + first_data + first_row
            requests[back]["made"] = 1
            requests[back]["left"] = data - arrived + extra
            requests[back]["arrived"] = arrived
            tail += 1
            for i in range(first_data, first_data + data):
                delay_ns[i] = delay_ns[i] if delivered[i] else -1
                transmissions[i] = 2
        while served < head:
            tail += judge_round(
                data,
                extra,
                rounds,
                report_delay_ns,
                detection_delay_ns,
                requests,
                arrivals_ns,
                served & mask,
                tail & mask,
                first_row,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
                out_transmissions,
            )
            served += 1

        row += blocks * data
        if not in_one_piece:
            for i in range(on_air):
                air_tx_ns[i] = air_tx_ns[blocks * length + i]
                air_decode_ns[i] = air_decode_ns[blocks * length + i]
    state[0]["rows"], state[0]["on_air"] = row + first_row, on_air
    state[0]["head"], state[0]["tail"], state[0]["requested"] = head, tail, requested


@kernel
def oldest_open_row(state: npt.NDArray[np.void], requests: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose block waits for repair; the number of rows when none does."""
    oldest: int = state[0]["rows"]
    mask = len(requests) - 1
    for request in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, requests[request & mask]["row"])
    return oldest
