"""Hybrid ARQ of type II: a kernel that can stop after any slot and go on with the next.

No request that is made in a window of slots shorter than its way falls due in the same window, so that all
requests that are served in a window are known when it begins. It is sent in passes: which slots answer which
requests, and the others gathered, so that blocks lie in one piece; the blocks; the outcome of the answers;
requests for what is missing. Erasures cannot be predicted: as little as possible depends on them by a branch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel, kernel_with_arrays
from tmt.kernels.blocks import (
    decode_blocks_in_order,
    decode_runs_in_any_order,
    fetch_and_decode_blocks_in_order,
    shortest_and_longest_ns,
)
from tmt.kernels.repair import assign_slots, judge_answers, make_requests
from tmt.kernels.vectors import WIDTH
from tmt.kernels.windows import guess_slot_from, slots_per_ns

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

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


@kernel_with_arrays
def send_and_repair(  # noqa: PLR0912, PLR0915  (names what its passes share)
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
    out_delivered: BoolArray,
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
    air_tx_ns, air_decode_ns : [data + repair + WINDOW_SLOTS + WIDTH], int64, ns, updated
        Slots of the block that is on air, at the front.
    requests : [power of two], `REQUEST`, updated
        Ring that holds the FIFO; needs room for as many as wait and ``n // (data + repair) + 2`` more.
    arrivals_ns : [len(requests), 2 * (data + repair) + extra + 1], int64, ns, updated
        When the listed LLDUs of each waiting block arrived.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n + WIDTH], updated
        The rows from `first_row` on; erased ones of open blocks have the delay -1.
    """
    row, on_air = state[0]["rows"] - first_row, state[0]["on_air"]
    head, tail, requested = state[0]["head"], state[0]["tail"], state[0]["requested"]
    mask = len(requests) - 1
    length = data + repair
    most_blocks = len(air_tx_ns) // length + 1
    arrived, failing = np.empty(most_blocks, np.int64), np.empty(most_blocks, np.int64)
    answer_start, answer_end = np.empty(WINDOW_SLOTS, np.int64), np.empty(WINDOW_SLOTS, np.int64)
    again = np.empty(WINDOW_SLOTS + 1, np.int64)
    # A plain 0 is a type of its own, for which all passes would be compiled once more.
    start = no_slots = int(np.int64(0))
    while start < len(tx_time_ns):
        # No request that is made in this window falls due in it.
        end = min(start + WINDOW_SLOTS, len(tx_time_ns))
        per_ns = slots_per_ns(tx_time_ns, start, end)
        end = guess_slot_from(tx_time_ns, start, start + 1, end, tx_time_ns[start] + report_delay_ns, per_ns)
        undisturbed = head == tail or requests[head & mask]["due_ns"] > tx_time_ns[end - 1]
        blocks = (min(end, len(tx_time_ns) - WIDTH) - start) // length
        in_place = undisturbed and on_air == 0 and blocks > 0
        if in_place:
            end = start + blocks * length
        elif undisturbed:
            end = min(end, start + length - on_air)

        shortest_ns, longest_ns = shortest_and_longest_ns(decode_time_ns, start, end)
        answers, first_slot, tx_ns, decode_ns = 0, start, tx_time_ns, decode_time_ns
        if not in_place:
            shortest_on_air_ns, longest_on_air_ns = shortest_and_longest_ns(air_decode_ns, no_slots, on_air)
            shortest_ns, longest_ns = min(shortest_ns, shortest_on_air_ns), max(longest_ns, longest_on_air_ns)
            answers, on_air = assign_slots(
                tx_time_ns,
                decode_time_ns,
                start,
                end,
                requests,
                head,
                tail,
                air_tx_ns,
                air_decode_ns,
                on_air,
                answer_start,
                answer_end,
            )
            blocks, first_slot, tx_ns, decode_ns = on_air // length, no_slots, air_tx_ns, air_decode_ns
        in_order = shortest_ns >= longest_ns
        # What arrives before the request does, arrives before its answer; only how much of it counts.
        early = longest_ns <= report_delay_ns

        out_transmissions[row : row + blocks * data] = 1
        if in_order and in_place:
            fetch_and_decode_blocks_in_order(
                tx_ns,
                decode_ns,
                first_slot,
                blocks,
                data,
                repair,
                detection_delay_ns,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
                row,
                arrived,
            )
        elif in_order:
            decode_blocks_in_order(
                tx_ns,
                decode_ns,
                first_slot,
                blocks,
                data,
                repair,
                detection_delay_ns,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
                row,
                arrived,
            )
        else:
            decode_runs_in_any_order(
                tx_ns[first_slot : first_slot + blocks * length],
                decode_ns[first_slot : first_slot + blocks * length],
                data,
                repair,
                1,
                detection_delay_ns,
                out_tx_time_ns[row : row + blocks * data],
                out_delay_ns[row : row + blocks * data],
                out_delivered[row : row + blocks * data],
                arrived,
            )
        n_again = 0
        if answers > 0:
            n_again = judge_answers(
                tx_time_ns,
                decode_time_ns,
                answer_start,
                answer_end,
                answers,
                in_order,
                early,
                data,
                rounds,
                detection_delay_ns,
                requests,
                head,
                arrivals_ns,
                first_row,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
                out_transmissions,
                again,
            )
            for answer in range(answers):
                requested += answer_end[answer] - answer_start[answer]
            head += answers - int(requests[(head + answers - 1) & mask]["left"] > 0)
        if rounds > 0:
            tail = make_requests(
                tx_ns,
                decode_ns,
                first_slot,
                blocks,
                arrived,
                early,
                data,
                repair,
                extra,
                report_delay_ns,
                first_row + row,
                requests,
                tail,
                arrivals_ns,
                again,
                n_again,
                failing,
            )
        row += blocks * data
        if not in_place:
            on_air -= blocks * length
            for i in range(on_air):
                air_tx_ns[i] = air_tx_ns[blocks * length + i]
                air_decode_ns[i] = air_decode_ns[blocks * length + i]
        start = end
    for waiting in range(head, tail):
        request = requests[waiting & mask]
        open_row = request["row"] - first_row
        for i in range(open_row, open_row + data):
            took_ns = out_delay_ns[np.uintp(i)]
            out_delay_ns[np.uintp(i)] = took_ns if out_delivered[np.uintp(i)] else -1
            out_transmissions[np.uintp(i)] = min(request["made"] + 1, 255)
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
