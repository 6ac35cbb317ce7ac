"""Selective-repeat ARQ: a kernel that can stop after any slot and go on with the next.

No report that is made in a window of slots shorter than its way falls due in the same window, so that all
answers in a window are known when it begins. It is sent in passes, none of which waits for a slot's fate:
which slots answer which reports; a new row in every other slot; the outcome of the answers; reports of what
is erased. Passes run over lists or without branches, since erasures cannot be predicted. Only the one that
begins rows meets slots and rows that are not in the cache yet.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import fetch_ahead, kernel, kernel_with_arrays, part_of_kernel
from tmt.kernels.vectors import PACKS_IN_REGISTER, WIDTH, counted, each, first, how_many, load, pack, store
from tmt.kernels.windows import AHEAD_SLOTS, LINE_SLOTS, first_slot_from

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

WINDOW_SLOTS = 1024
"""Most slots that are sent in one step; few enough for what is noted about them to stay in the cache."""

WINDOWS_BY_SEARCH = 4
"""After a window whose slots were not in step, so many are not even tried so."""

UNLIMITED = np.iinfo(np.int64).max

REPORT = np.dtype([("due_ns", np.int64), ("slot", np.int64), ("row", np.int64), ("sent", np.int64)])
"""An erasure on its way to the sender: when it is reported, the erased slot and the LLDU's row (both from the
start of the trace), how often that was sent."""

STATE = np.dtype([("slots", np.int64), ("rows", np.int64), ("head", np.int64), ("tail", np.int64)])
"""Since the start: slots sent and rows begun. Where the FIFO begins and ends among the reports."""


@kernel_with_arrays
def send_and_repeat(  # noqa: PLR0912, PLR0915  (calls cost as much as what they would hold)
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
) -> int:
    """Send data and retransmissions in the slots given (design, section 3, `arq`); return how many were sent.

    They are fewer than all when `reports` has become too small.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    report_delay_ns
        From an erased slot to the moment at which the sender knows: detection delay plus RTT.
    detection_delay_ns
        From the last erased transmission to the moment at which an LLDU is given up.
    max_transmissions
        Erasures after which an LLDU is given up, or `UNLIMITED`.
    state : [1], `STATE`, updated
    reports : [`WINDOW_SLOTS` or more], `REPORT`, updated
        Hold the FIFO.
    first_row
        Number of the row at index 0 of the output, from the start of the trace.
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions : [open rows + n], updated
        The rows from `first_row` on; open ones have the delay -1.
    """
    first_slot, row = state[0]["slots"], state[0]["rows"] - first_row
    head, tail = state[0]["head"], state[0]["tail"]
    due_ns, report_slot = reports["due_ns"], reports["slot"]
    report_row, report_sent = reports["row"], reports["sent"]
    # Of each slot in the window: the index of the row it carries, and how often that has been sent then. The
    # latter is 0 for a slot that carries no new row, until that is known.
    carried = np.empty(WINDOW_SLOTS + WIDTH, np.int64)
    sent = np.ones(WINDOW_SLOTS + WIDTH, np.int64)
    answered = np.empty(WINDOW_SLOTS, np.int64)
    erased = np.empty(WINDOW_SLOTS + WIDTH, np.int64)
    start = by_search = 0
    while start < len(tx_time_ns):
        lag = 0 if by_search > 0 else slots_per_report(tx_time_ns, start, report_delay_ns)
        if head < tail and report_slot[head] + lag < first_slot + start:
            lag = 0
        end = end_of_window(tx_time_ns, start, lag, report_delay_ns)
        if tail + end - start > len(reports):
            if 2 * (tail - head) + end - start > len(reports):
                break
            for report in range(tail - head):
                reports[report] = reports[head + report]
            head, tail = 0, tail - head

        if lag > 0:
            answers = count_answers(report_slot, head, tail, lag - first_slot, start, end, sent, answered)
        else:
            answers = find_answers(tx_time_ns, start, end, due_ns, head, tail, sent, answered)
        n_erased = begin_rows(
            tx_time_ns,
            decode_time_ns,
            start,
            end,
            row,
            sent,
            carried,
            erased,
            out_tx_time_ns,
            out_delay_ns,
            out_delivered,
            out_transmissions,
        )
        new = end - start - answers
        for i in range(new):
            out_delivered[np.uintp(row + i)] = out_delay_ns[np.uintp(row + i)] > 0
        out_transmissions[row : row + new] = 1

        in_step = answer_reports(
            tx_time_ns,
            decode_time_ns,
            start,
            reports,
            head,
            answered,
            answers,
            first_row,
            carried,
            sent,
            out_tx_time_ns,
            out_delay_ns,
            out_delivered,
            out_transmissions,
        )
        # No answer may be left out either, and the window may not reach beyond its own first report.
        in_step &= head + answers == tail or due_ns[head + answers] > tx_time_ns[end - 1]
        in_step &= end - start == 1 or tx_time_ns[end - 1] - tx_time_ns[start] < report_delay_ns
        if lag > 0 and not in_step:
            # Whatever these answers wrote is written again, by others or as open rows.
            by_search = WINDOWS_BY_SEARCH
            sent[:] = 1
            continue
        by_search = max(by_search - 1, 0)
        row += new
        head += answers
        for i in range(n_erased):
            place, new_report = np.uintp(erased[np.uintp(i)]), np.uintp(tail + i)
            due_ns[new_report] = tx_time_ns[np.uintp(start) + place] + report_delay_ns
            report_slot[new_report] = first_slot + start + place
            report_row[new_report] = first_row + carried[place]
            report_sent[new_report] = sent[place]
        if max_transmissions < UNLIMITED:
            n_erased = give_up(
                reports,
                tail,
                n_erased,
                max_transmissions,
                detection_delay_ns - report_delay_ns,
                first_row,
                out_tx_time_ns,
                out_delay_ns,
            )
        tail += n_erased
        for i in range(answers):
            sent[np.uintp(answered[np.uintp(i)] - start)] = 1
        start = end
    for report in range(head, tail):
        open_row = report_row[report] - first_row
        out_delay_ns[open_row], out_delivered[open_row] = -1, False
        out_transmissions[open_row] = min(report_sent[report], 255)
    state[0]["slots"], state[0]["rows"] = first_slot + start, row + first_row
    state[0]["head"], state[0]["tail"] = head, tail
    return start


@part_of_kernel
def slots_per_report(tx_time_ns: Int64Array, start: int, report_delay_ns: int) -> int:
    """Return after how many slots reports are answered if all are as far apart as the first from `start`."""
    if start + 1 >= len(tx_time_ns):
        return 0
    interval_ns: int = tx_time_ns[start + 1] - tx_time_ns[start]
    return (report_delay_ns + interval_ns - 1) // interval_ns


@kernel
def end_of_window(tx_time_ns: Int64Array, start: int, lag: int, report_delay_ns: int) -> int:
    """Return the slot before which the first cannot be reported: `lag` slots later, if that is known."""
    end = min(start + WINDOW_SLOTS, len(tx_time_ns))
    if lag > 0:
        return min(end, start + lag)
    return first_slot_from(tx_time_ns, start + 1, end, tx_time_ns[start] + report_delay_ns)


@part_of_kernel
def count_answers(
    report_slot: Int64Array,
    head: int,
    tail: int,
    lag: int,
    start: int,
    end: int,
    begins: Int64Array,
    answered: Int64Array,
) -> int:
    """Do what `find_answers` does where each report is answered `lag` slots after the number of its own."""
    answers = 0
    while head + answers < tail:
        slot = report_slot[np.uintp(head + answers)] + lag
        if slot >= end:
            break
        answered[np.uintp(answers)] = slot
        begins[np.uintp(slot - start)] = 0
        answers += 1
    return answers


@kernel
def find_answers(
    tx_time_ns: Int64Array,
    start: int,
    end: int,
    due_ns: Int64Array,
    head: int,
    tail: int,
    begins: Int64Array,
    answered: Int64Array,
) -> int:
    """Find the slots from `start` up to `end` that answer the first reports of the FIFO; return how many.

    They are written to `answered`, and set to 0 in `begins`, by their place after `start`: no row begins.
    """
    answers, slot = 0, start
    while head + answers < tail:
        slot = first_slot_from(tx_time_ns, slot, end, due_ns[np.uintp(head + answers)])
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
    out_delivered: BoolArray,
    out_transmissions: npt.NDArray[np.uint8],
) -> int:
    """Begin rows in the slots from `start` up to `end` for which `begins` says 1; return how many are erased.

    Slots are noted by their place after `start`: in `carried` their rows, and in `erased` which ones are
    erased. What is written behind the rows, and in `erased`, is overwritten by what follows. There are never
    more rows than slots, so that vectors stay within the rows as long as they stay within the slots.
    """
    n_erased = 0
    for slot in range(start, end, WIDTH):
        for line in range(0, WIDTH, LINE_SLOTS):
            fetch_ahead(tx_time_ns, np.uintp(slot + line + AHEAD_SLOTS))
            fetch_ahead(decode_time_ns, np.uintp(slot + line + AHEAD_SLOTS))
            fetch_ahead(out_tx_time_ns, np.uintp(row + line + AHEAD_SLOTS))
            fetch_ahead(out_delay_ns, np.uintp(row + line + AHEAD_SLOTS))
        fetch_ahead(out_delivered, np.uintp(row + 2 * AHEAD_SLOTS))
        fetch_ahead(out_transmissions, np.uintp(row + 2 * AHEAD_SLOTS))
        place = slot - start
        if PACKS_IN_REGISTER and slot + WIDTH <= len(tx_time_ns):
            in_window, begin = first(end - slot), load(begins, np.uintp(place))
            begun = in_window & (begin > each(0))
            sent_ns, took_ns = load(tx_time_ns, np.uintp(slot)), load(decode_time_ns, np.uintp(slot))
            pack(begun, sent_ns, out_tx_time_ns, np.uintp(row))
            pack(begun, took_ns, out_delay_ns, np.uintp(row))
            store(each(row) + counted(begun) - begin, carried, np.uintp(place))
            row += how_many(begun)
            lost = in_window & (took_ns == each(0))
            pack(lost, each(place - 1) + counted(each(True)), erased, np.uintp(n_erased))
            n_erased += how_many(lost)
            continue
        for i in range(WIDTH) if slot + WIDTH <= end else range(end - slot):
            slot_took_ns = decode_time_ns[np.uintp(slot + i)]
            out_tx_time_ns[np.uintp(row)] = tx_time_ns[np.uintp(slot + i)]
            out_delay_ns[np.uintp(row)] = slot_took_ns
            carried[np.uintp(place + i)] = row
            row += begins[np.uintp(place + i)]
            erased[np.uintp(n_erased)] = place + i
            n_erased += int(slot_took_ns == 0)
    return n_erased


@part_of_kernel
def answer_reports(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    start: int,
    reports: npt.NDArray[np.void],
    head: int,
    answered: Int64Array,
    answers: int,
    first_row: int,
    carried: Int64Array,
    sent: Int64Array,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: BoolArray,
    out_transmissions: npt.NDArray[np.uint8],
) -> bool:
    """Send the LLDUs of the first reports again, in the slots `answered`, and note that in their rows.

    Return whether each of these slots is the first that could answer its report.
    """
    due_ns, report_row, report_sent = reports["due_ns"], reports["row"], reports["sent"]
    in_step = True
    for i in range(answers):
        slot, report = np.uintp(answered[np.uintp(i)]), np.uintp(head + i)
        out, times = np.uintp(report_row[report] - first_row), report_sent[report] + 1
        again_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        carried[slot - np.uintp(start)] = out
        sent[slot - np.uintp(start)] = times
        out_delay_ns[out] = again_ns - out_tx_time_ns[out] + took_ns
        out_delivered[out] = took_ns > 0
        out_transmissions[out] = min(times, 255)
        in_step &= again_ns >= due_ns[report]
        in_step &= (tx_time_ns[slot - np.uintp(slot > 0)] < due_ns[report]) | (slot == 0)
    return in_step


@kernel
def give_up(
    reports: npt.NDArray[np.void],
    tail: int,
    n_reports: int,
    max_transmissions: int,
    given_up_ns: int,
    first_row: int,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
) -> int:
    """Take LLDUs sent as often as they may out of the reports from `tail` on; return how many stay.

    They are given up `given_up_ns` after their reports. Other rows say so too, until they are answered.
    """
    kept = 0
    for i in range(n_reports):
        report = np.uintp(tail + i)
        out = np.uintp(reports[report]["row"] - first_row)
        out_delay_ns[out] = reports[report]["due_ns"] + given_up_ns - out_tx_time_ns[out]
        reports[np.uintp(tail + kept)] = reports[report]
        kept += reports[report]["sent"] < max_transmissions
    return kept


@kernel
def oldest_open_row(state: npt.NDArray[np.void], reports: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose fate is open; the number of rows when none is."""
    oldest: int = state[0]["rows"]
    for report in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, reports[report]["row"])
    return oldest
