"""Selective-repeat ARQ: a kernel that can stop after any slot and go on with the next.

No report that is made in a window of slots shorter than its way falls due in the same window, so that all
answers in a window are known when it begins. It is sent in passes, none of which waits for a slot's fate:
which slots answer which reports; a new row in every other slot; the outcome of the answers; reports of what
is erased. Passes run over lists or without branches, since erasures cannot be predicted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel, part_of_kernel
from tmt.kernels.windows import end_of_window, evenly_spaced, first_interval_ns, first_slot_from

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

WINDOW_SLOTS = 1024
"""Most slots that are sent in one step; few enough for what is noted about them to stay in the cache."""

REPORT = np.dtype([("due_ns", np.int64), ("row", np.int64), ("sent", np.int64)])
"""An erasure on its way to the sender: when it is reported, the LLDU's row (from the start of the trace), how
often that was sent."""

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
    out_delivered: BoolArray,
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
    row, head, tail = state[0]["rows"] - first_row, state[0]["head"], state[0]["tail"]
    due_ns, report_row, report_sent = reports["due_ns"], reports["row"], reports["sent"]
    mask = len(reports) - 1
    # Of each slot in the window: the index of the row it carries, and how often that has been sent then. The
    # latter is 0 for a slot that carries no new row, until that is known.
    carried = np.empty(WINDOW_SLOTS, np.int64)
    sent = np.ones(WINDOW_SLOTS, np.int64)
    answered = np.empty(WINDOW_SLOTS, np.int64)
    erased = np.empty(WINDOW_SLOTS + 1, np.int64)
    end, even = 0, True
    while end < len(tx_time_ns):
        start = end
        interval_ns = first_interval_ns(tx_time_ns, start) if even else 0
        end = end_of_window(tx_time_ns, start, WINDOW_SLOTS, report_delay_ns, interval_ns)
        answers = find_answers(tx_time_ns, start, end, interval_ns, due_ns, head, tail, sent, answered)
        n_erased = begin_rows(
            tx_time_ns, decode_time_ns, start, end, row, sent, carried, erased, out_tx_time_ns, out_delay_ns
        )
        if interval_ns > 0 and not evenly_spaced(tx_time_ns, start, end, interval_ns):
            # Send this window and the others once more, by search.
            even, end = False, start
            sent[:] = 1
            continue
        new = end - start - answers
        for i in range(new):
            out_delivered[np.uintp(row + i)] = out_delay_ns[np.uintp(row + i)] > 0
        out_transmissions[row : row + new] = 1
        row += new
        for i in range(answers):
            slot, report = answered[np.uintp(i)], np.uintp(head + i & mask)
            out, times = np.uintp(report_row[report] - first_row), report_sent[report] + 1
            took_ns = decode_time_ns[np.uintp(slot)]
            carried[np.uintp(slot - start)] = out
            sent[np.uintp(slot - start)] = times
            out_delay_ns[out] = tx_time_ns[np.uintp(slot)] - out_tx_time_ns[out] + took_ns
            out_delivered[out] = took_ns > 0
            out_transmissions[out] = min(times, 255)
        head += answers
        for i in range(n_erased):
            slot, report = np.uintp(erased[np.uintp(i)]), np.uintp(tail & mask)
            out, times, erased_ns = carried[slot], sent[slot], tx_time_ns[np.uintp(start) + slot]
            due_ns[report] = erased_ns + report_delay_ns
            report_row[report] = first_row + out
            report_sent[report] = times
            given_up_ns = erased_ns - out_tx_time_ns[np.uintp(out)] + detection_delay_ns
            out_delay_ns[np.uintp(out)] = -1 if times < max_transmissions else given_up_ns
            tail += times < max_transmissions
        for i in range(answers):
            sent[np.uintp(answered[np.uintp(i)] - start)] = 1
    state[0]["retransmissions"] += len(tx_time_ns) - (row + first_row - state[0]["rows"])
    state[0]["rows"], state[0]["head"], state[0]["tail"] = row + first_row, head, tail


@part_of_kernel
def find_answers(
    tx_time_ns: Int64Array,
    start: int,
    end: int,
    interval_ns: int,
    due_ns: Int64Array,
    head: int,
    tail: int,
    begins: Int64Array,
    answered: Int64Array,
) -> int:
    """Find the slots from `start` up to `end` that answer the first reports of the FIFO; return how many.

    They are written to `answered`, and set to 0 in `begins`, by their place after `start`: no row begins.
    """
    answers, slot, mask = 0, start, len(due_ns) - 1
    while head + answers < tail:
        moment_ns = due_ns[np.uintp(head + answers & mask)]
        slot = first_slot_from(tx_time_ns, start, slot, end, moment_ns, interval_ns)
        if slot == end:
            break
        answered[np.uintp(answers)] = slot
        begins[np.uintp(slot - start)] = 0
        answers += 1
        slot += 1
    return answers


@kernel
def begin_rows(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    end: int,
    row: int,
    begins: Int64Array,
    carried: Int64Array,
    erased: Int64Array,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
) -> int:
    """Begin rows in the slots from `start` up to `end` for which `begins` says 1; return how many are erased.

    Every slot writes, and the next one overwrites it if the slot was not to begin a row. Slots are noted by
    their place after `start`: in `carried` their rows, and in `erased` which ones are erased.
    """
    n_erased = 0
    for i in range(end - start):
        took_ns = decode_time_ns[np.uintp(start + i)]
        out_tx_time_ns[np.uintp(row)] = tx_time_ns[np.uintp(start + i)]
        out_delay_ns[np.uintp(row)] = took_ns
        carried[np.uintp(i)] = row
        row += begins[np.uintp(i)]
        erased[np.uintp(n_erased)] = i
        n_erased += int(took_ns == 0)
    return n_erased


@kernel
def oldest_open_row(state: npt.NDArray[np.void], reports: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose fate is open; the number of rows when none is."""
    oldest: int = state[0]["rows"]
    mask = len(reports) - 1
    for report in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, reports[report & mask]["row"])
    return oldest
