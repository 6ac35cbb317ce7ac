"""Hybrid ARQ of type II: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import fetch_ahead, kernel, part_of_kernel
from tmt.kernels.blocks import (
    NEVER_NS,
    decode_blocks_in_order,
    decode_runs_in_any_order,
    nth_arrival_ns,
    shortest_and_longest_ns,
)
from tmt.kernels.windows import AHEAD_SLOTS, LINE_SLOTS, guess_slot_from

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
        ("listed", np.int64),
    ]
)
"""A block that waits for repair: when its request reaches the sender (from then on: the `tx` of the last slot
that served it), its first row, requests made so far, repair LLDUs still to send in this round, LLDUs arrived
over all rounds, and how many of these are listed: the others arrived earlier than any that may follow."""

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
def collect_arrivals(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    end: int,
    arrivals_ns: Int64Array,
    place: int | np.uintp,
    arrived: int,
) -> int:
    """Append to the first `arrived` moments in line `place` those of the decoded slots; return how many."""
    for slot in range(start, end):
        took_ns = decode_time_ns[np.uintp(slot)]
        arrivals_ns[np.uintp(place), np.uintp(arrived)] = tx_time_ns[np.uintp(slot)] + took_ns
        arrived += int(took_ns > 0)
    return arrived


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
        When the listed LLDUs of each waiting block arrived.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; erased ones of open blocks have the delay -1.
    """
    row, on_air = state[0]["rows"] - first_row, state[0]["on_air"]
    head, tail, requested = state[0]["head"], state[0]["tail"], state[0]["requested"]
    due_ns, first_row_of, made = requests["due_ns"], requests["row"], requests["made"]
    left, arrived_of, listed_of = requests["left"], requests["arrived"], requests["listed"]
    mask = len(requests) - 1
    length = data + repair
    arrived_of_block = np.empty(len(air_tx_ns) // length + 1, np.int64)
    slot = 0
    while slot < len(tx_time_ns):
        # No request that is made in this window falls due in it.
        end = min(slot + WINDOW_SLOTS, len(tx_time_ns))
        end = max(guess_slot_from(tx_time_ns, slot, end, tx_time_ns[slot] + report_delay_ns), slot + 1)

        served = head
        blocks = (end - slot) // length
        in_one_piece = blocks > 0 and on_air == 0
        in_one_piece &= head == tail or due_ns[head & mask] > tx_time_ns[end - 1]
        if in_one_piece:
            end = slot + blocks * length
            tx_ns, decode_ns = tx_time_ns[slot:end], decode_time_ns[slot:end]
            slot = end
        while slot < end:
            free, front = end, np.uintp(head & mask)
            if head < tail:
                free = guess_slot_from(tx_time_ns, slot, end, due_ns[front])
            for line in range(slot, free, LINE_SLOTS):
                fetch_ahead(tx_time_ns, np.uintp(line + AHEAD_SLOTS))
                fetch_ahead(decode_time_ns, np.uintp(line + AHEAD_SLOTS))
            for i in range(free - slot):
                air_tx_ns[np.uintp(on_air + i)] = tx_time_ns[np.uintp(slot + i)]
                air_decode_ns[np.uintp(on_air + i)] = decode_time_ns[np.uintp(slot + i)]
            on_air += free - slot
            slot = free
            if slot == end:
                break
            taken = min(left[front], end - slot)
            listed = collect_arrivals(
                tx_time_ns, decode_time_ns, slot, slot + taken, arrivals_ns, front, listed_of[front]
            )
            arrived_of[front] += listed - listed_of[front]
            listed_of[front] = listed
            slot += taken
            requested += taken
            left[front] -= taken
            due_ns[front] = tx_time_ns[slot - 1]
            head += int(left[front] == 0)
        if not in_one_piece:
            blocks = on_air // length
            on_air -= blocks * length
            tx_ns, decode_ns = air_tx_ns[: blocks * length], air_decode_ns[: blocks * length]

        rows_tx_ns = out_tx_time_ns[row : row + blocks * data]
        delay_ns = out_delay_ns[row : row + blocks * data]
        delivered = out_delivered[row : row + blocks * data]
        transmissions = out_transmissions[row : row + blocks * data]
        transmissions[:] = 1
        shortest_ns, longest_ns = shortest_and_longest_ns(decode_ns)
        if shortest_ns >= longest_ns:
            decode_blocks_in_order(
                tx_ns,
                decode_ns,
                data,
                repair,
                detection_delay_ns,
                rows_tx_ns,
                delay_ns,
                delivered,
                arrived_of_block,
                AHEAD_SLOTS,
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
                arrived_of_block,
            )

        # What arrives before the request does, arrives before its answer; only how much of it counts.
        early = longest_ns <= report_delay_ns
        for block in range(blocks + 1):
            last_block = block == blocks
            if not last_block and (arrived_of_block[np.uintp(block)] >= data or rounds == 0):
                continue
            # Rounds of older blocks that ended before this one ask first; after the last block, all others.
            ended_ns = NEVER_NS if last_block else tx_ns[(block + 1) * length - 1]
            while served < head and due_ns[np.uintp(served & mask)] < ended_ns:
                front, back = np.uintp(served & mask), np.uintp(tail & mask)
                served += 1
                begin, arrived = first_row_of[front] - first_row, arrived_of[front]
                if arrived < data and made[front] < rounds:
                    for i in range(listed_of[front]):
                        arrivals_ns[back, np.uintp(i)] = arrivals_ns[front, np.uintp(i)]
                    due_ns[back], first_row_of[back] = due_ns[front] + report_delay_ns, first_row_of[front]
                    made[back], left[back] = made[front] + 1, data - arrived + extra
                    arrived_of[back], listed_of[back] = arrived, listed_of[front]
                    tail += 1
                    continue
                settled_ns = due_ns[front] + detection_delay_ns
                if arrived >= data:
                    listed = listed_of[front]
                    settled_ns = nth_arrival_ns(arrivals_ns, front, listed, data - arrived + listed)
                for i in range(begin, begin + data):
                    late_ns, took_ns = settled_ns - out_tx_time_ns[np.uintp(i)], out_delay_ns[np.uintp(i)]
                    out_delay_ns[np.uintp(i)] = took_ns if out_delivered[np.uintp(i)] else late_ns
                for i in range(begin, begin + data):
                    out_delivered[np.uintp(i)] |= arrived >= data
                for i in range(begin, begin + data):
                    out_transmissions[np.uintp(i)] = min(made[front] + 1, 255)
            if last_block:
                break
            back, begin = np.uintp(tail & mask), row + block * data
            arrived, listed = arrived_of_block[np.uintp(block)], 0
            if not early:
                listed = collect_arrivals(
                    tx_ns, decode_ns, block * length, (block + 1) * length, arrivals_ns, back, 0
                )
            due_ns[back], first_row_of[back] = ended_ns + report_delay_ns, begin + first_row
            made[back], left[back], arrived_of[back] = 1, data - arrived + extra, arrived
            listed_of[back] = listed
            tail += 1

        row += blocks * data
        if not in_one_piece:
            for i in range(on_air):
                air_tx_ns[i] = air_tx_ns[blocks * length + i]
                air_decode_ns[i] = air_decode_ns[blocks * length + i]
    for request in range(head, tail):
        place = np.uintp(request & mask)
        begin = first_row_of[place] - first_row
        for i in range(begin, begin + data):
            took_ns = out_delay_ns[np.uintp(i)]
            out_delay_ns[np.uintp(i)] = took_ns if out_delivered[np.uintp(i)] else -1
            out_transmissions[np.uintp(i)] = min(made[place] + 1, 255)
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
