"""The passes in which `harq` sends a window: who is served, what arrives, and who asks again.

`requests` is its ring of `REQUEST`, and `head` and `tail` are where the FIFO in it begins and ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import fetch_ahead, kernel, part_of_kernel
from tmt.kernels.blocks import NEVER_NS, nth_arrival_ns, receive
from tmt.kernels.vectors import WIDTH, choose, each, first, load, store
from tmt.kernels.windows import LINE_SLOTS, guess_slot_from, slots_per_ns

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

FETCHED_SLOTS = 512
"""How far ahead slots are fetched when others are put on air: farther than a window."""


@kernel
def assign_slots(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    end: int,
    requests: npt.NDArray[np.void],
    head: int,
    tail: int,
    air_tx_ns: Int64Array,
    air_decode_ns: Int64Array,
    on_air: int,
    answer_start: Int64Array,
    answer_end: Int64Array,
) -> tuple[int, int]:
    """Find the slots from `start` up to `end` that answer the first requests, and put the others on air.

    Return how many requests are answered, the last maybe not in full, and how many slots are on air then.
    """
    mask = len(requests) - 1
    per_ns = slots_per_ns(tx_time_ns, start, end)
    slot, answers = start, 0
    while True:
        free, request = end, requests[np.uintp((head + answers) & mask)]
        if head + answers < tail:
            free = guess_slot_from(tx_time_ns, start, slot, end, request["due_ns"], per_ns)
        i = 0
        while i < free - slot and free + WIDTH <= len(tx_time_ns):
            for line in range(slot + i, slot + i + WIDTH, LINE_SLOTS):
                fetch_ahead(tx_time_ns, np.uintp(line + FETCHED_SLOTS))
                fetch_ahead(decode_time_ns, np.uintp(line + FETCHED_SLOTS))
            store(load(tx_time_ns, np.uintp(slot + i)), air_tx_ns, np.uintp(on_air + i))
            store(load(decode_time_ns, np.uintp(slot + i)), air_decode_ns, np.uintp(on_air + i))
            i += WIDTH
        while i < free - slot:
            air_tx_ns[np.uintp(on_air + i)] = tx_time_ns[np.uintp(slot + i)]
            air_decode_ns[np.uintp(on_air + i)] = decode_time_ns[np.uintp(slot + i)]
            i += 1
        on_air += free - slot
        if free == end:
            return answers, on_air
        slot = min(free + request["left"], end)
        answer_start[np.uintp(answers)], answer_end[np.uintp(answers)] = free, slot
        answers += 1


@kernel
def judge_answers(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    answer_start: Int64Array,
    answer_end: Int64Array,
    answers: int,
    in_order: bool,
    early: bool,
    data: int,
    rounds: int,
    detection_delay_ns: int,
    requests: npt.NDArray[np.void],
    head: int,
    arrivals_ns: Int64Array,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    out_transmissions: npt.NDArray[np.uint8],
    again: Int64Array,
) -> int:
    """Send what answers the first requests, and write the rows of their blocks as if all was settled then.

    Return how many of the blocks ask again; `again` gets their places among the requests. The rows of these
    are written once more later, and so are those of the last block if its answer is not sent in full.
    """
    mask = len(requests) - 1
    n_again = 0
    for answer in range(answers):
        place = np.uintp((head + answer) & mask)
        start, end = answer_start[np.uintp(answer)], answer_end[np.uintp(answer)]
        request = requests[place]
        arrived, listed = request["arrived"], request["listed"]
        left = request["left"] - (end - start)
        if in_order and early and listed == 0 and left == 0 and end + WIDTH <= len(tx_time_ns):
            more, settled_ns = receive(tx_time_ns, decode_time_ns, start, end, data - arrived)
        else:
            more, settled_ns = receive_by_list(
                tx_time_ns, decode_time_ns, start, end, data - arrived, arrivals_ns, place, listed
            )
            request["listed"] = 0 if early and listed == 0 and left == 0 else listed + more
        arrived += more
        last_tx_ns = tx_time_ns[np.uintp(end - 1)]
        request["due_ns"], request["left"], request["arrived"] = last_tx_ns, left, arrived

        recovered = (arrived >= data) & (left == 0)
        settled_ns = settled_ns if recovered else last_tx_ns + detection_delay_ns
        transmissions = each(min(request["made"] + 1, 255))
        i = 0
        while i < data:
            rows = np.uintp(request["row"] - first_row + i)
            of_block, delivered = first(data - i), load(out_delivered, rows)
            erased = of_block & ~delivered
            late_ns = each(settled_ns) - load(out_tx_time_ns, rows)
            store(choose(erased, late_ns, load(out_delay_ns, rows)), out_delay_ns, rows)
            store(delivered | (erased & each(recovered)), out_delivered, rows)
            store(choose(of_block, transmissions, load(out_transmissions, rows)), out_transmissions, rows)
            i += WIDTH
        again[np.uintp(n_again)] = place
        n_again += int((arrived < data) & (left == 0) & (request["made"] < rounds))
    return n_again


@part_of_kernel
def list_arrivals(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    end: int,
    arrivals_ns: Int64Array,
    place: np.uintp,
    listed: int,
) -> int:
    """Append to the first `listed` moments in line `place` those of the decoded slots; return how many."""
    for slot in range(start, end):
        took_ns = decode_time_ns[np.uintp(slot)]
        arrivals_ns[place, np.uintp(listed)] = tx_time_ns[np.uintp(slot)] + took_ns
        listed += int(took_ns > 0)
    return listed


@kernel
def receive_by_list(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    end: int,
    n: int,
    arrivals_ns: Int64Array,
    place: np.uintp,
    listed: int,
) -> tuple[int, int]:
    """Do what `receive` does where LLDUs may overtake each other, and the first `listed` in line `place`."""
    all_listed = list_arrivals(tx_time_ns, decode_time_ns, start, end, arrivals_ns, place, listed)
    moment_ns = 0
    if all_listed >= listed + n:
        moment_ns = nth_arrival_ns(arrivals_ns, place, all_listed, listed + n)
    return all_listed - listed, moment_ns


@kernel
def make_requests(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    blocks: int,
    arrived: Int64Array,
    early: bool,
    data: int,
    repair: int,
    extra: int,
    report_delay_ns: int,
    row: int,
    requests: npt.NDArray[np.void],
    tail: int,
    arrivals_ns: Int64Array,
    again: Int64Array,
    n_again: int,
    failing: Int64Array,
) -> int:
    """Put requests for blocks from `start` on, and for those in `again`, into the FIFO; return its new tail.

    Rounds ask in the order in which they ended. `failing` is room for the numbers of blocks.
    """
    mask, length = len(requests) - 1, data + repair
    n_failing = asked = 0
    for block in range(blocks):
        failing[np.uintp(n_failing)] = block
        n_failing += int(arrived[np.uintp(block)] < data)
    for i in range(n_failing + 1):
        block = failing[np.uintp(i)] if i < n_failing else blocks
        end = start + (block + 1) * length
        ended_ns = tx_time_ns[np.uintp(end - 1)] if i < n_failing else NEVER_NS
        while asked < n_again and requests[np.uintp(again[np.uintp(asked)])]["due_ns"] < ended_ns:
            front, back = np.uintp(again[np.uintp(asked)]), np.uintp(tail & mask)
            old, new = requests[front], requests[back]
            for k in range(old["listed"]):
                arrivals_ns[back, np.uintp(k)] = arrivals_ns[front, np.uintp(k)]
            new["due_ns"], new["row"] = old["due_ns"] + report_delay_ns, old["row"]
            new["made"], new["left"] = old["made"] + 1, data - old["arrived"] + extra
            new["arrived"], new["listed"] = old["arrived"], old["listed"]
            asked += 1
            tail += 1
        if i < n_failing:
            back = np.uintp(tail & mask)
            new, n_arrived, listed = requests[back], arrived[np.uintp(block)], 0
            if not early:
                listed = list_arrivals(tx_time_ns, decode_time_ns, end - length, end, arrivals_ns, back, 0)
            new["due_ns"], new["row"] = ended_ns + report_delay_ns, row + block * data
            new["made"], new["left"] = 1, data - n_arrived + extra
            new["arrived"], new["listed"] = n_arrived, listed
            tail += 1
    return tail
