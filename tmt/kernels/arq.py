"""Selective-repeat ARQ: a kernel that can stop after any slot and go on with the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tmt.kernels._jit import kernel, part_of_kernel
from tmt.kernels.windows import end_of_window, first_slot_from

Int64Array = npt.NDArray[np.int64]

WINDOW_SLOTS = 1024
"""Most slots that are sent in one step; few enough for what is noted about them to stay in the cache."""

GROUP = 16
"""Slots that are looked at, or copied, at once."""

REPORT = np.dtype([("due_ns", np.int64), ("slot", np.int64), ("row", np.int64), ("sent", np.int64)])
"""An erasure on its way to the sender: when it is reported, which slot, the LLDU's row, how often that was
sent. Slots and rows count from the start of the trace."""

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
    slots_before = rows + state[0]["retransmissions"]
    due_ns, report_slot = reports["due_ns"], reports["slot"]
    report_row, report_sent = reports["row"], reports["sent"]
    mask = len(reports) - 1
    # Of each slot in the window: the index of the row it carries, and how often that has been sent then.
    carried = np.empty(WINDOW_SLOTS + GROUP, np.int64)
    sent = np.empty(WINDOW_SLOTS, np.int64)
    noted = np.empty(WINDOW_SLOTS + 1, np.int64)
    start = end = slots_to_answer = 0
    while end < len(tx_time_ns):
        start, guess = end, 2 * end - start
        end = end_of_window(tx_time_ns, start, WINDOW_SLOTS, report_delay_ns, guess)
        sent[: end - start] = 1
        # In the order of slots, since one that is read far ahead of the others is not in the cache yet. All
        # reports that are due in this window are known.
        slot, row = start, rows - first_row
        while slot < end:
            repeats = head < tail and due_ns[head & mask] <= tx_time_ns[end - 1]
            run, report = end, head & mask
            if repeats:
                guess = report_slot[report] + slots_to_answer - slots_before
                run = first_slot_from(tx_time_ns, slot, guess, due_ns[report])
            begin_rows(
                tx_time_ns,
                decode_time_ns,
                slot,
                run,
                row,
                start,
                carried,
                out_tx_time_ns,
                out_delay_ns,
                out_delivered,
            )
            row += run - slot
            slot = run + 1
            if repeats:
                slots_to_answer = slots_before + run - report_slot[report]
                out, decoded = report_row[report] - first_row, decode_time_ns[run] > 0
                delay_ns = tx_time_ns[run] - out_tx_time_ns[out] + decode_time_ns[run]
                out_delay_ns[out] = delay_ns if decoded else -1
                out_delivered[out] = decoded
                out_transmissions[out] = min(report_sent[report] + 1, 255)
                carried[run - start] = out
                sent[run - start] = report_sent[report] + 1
                head += 1
        out_transmissions[rows - first_row : row] = 1
        rows = row + first_row
        for i in range(note_erased(decode_time_ns, start, end, noted)):
            slot = noted[i]
            out = carried[slot - start]
            if sent[slot - start] < max_transmissions:
                report = tail & mask
                due_ns[report] = tx_time_ns[slot] + report_delay_ns
                report_slot[report] = slots_before + slot
                report_row[report] = first_row + out
                report_sent[report] = sent[slot - start]
                tail += 1
                out_delay_ns[out] = -1
            else:
                out_delay_ns[out] = tx_time_ns[slot] - out_tx_time_ns[out] + detection_delay_ns
    state[0]["retransmissions"] = slots_before + len(tx_time_ns) - rows
    state[0]["rows"], state[0]["head"], state[0]["tail"] = rows, head, tail


@part_of_kernel
def begin_rows(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    slot: int,
    end: int,
    row: int,
    start: int,
    carried: Int64Array,
    out_tx_time_ns: Int64Array,
    out_delay_ns: Int64Array,
    out_delivered: npt.NDArray[np.bool_],
) -> None:
    """Begin rows, from index `row` on, in the slots from `slot` up to `end`, of a window from `start` on.

    Whole groups are copied, since a remainder of unknown length costs more than what is copied in vain and
    overwritten later; few arrays at a time and indices without sign, or else the compiler copies one by one.
    """
    padded = (end - slot + GROUP - 1) // GROUP * GROUP
    padded = min(padded, len(tx_time_ns) - slot, len(out_tx_time_ns) - row)
    for i in range(padded):
        out_tx_time_ns[np.uintp(row + i)] = tx_time_ns[np.uintp(slot + i)]
        carried[np.uintp(slot - start + i)] = row + i
    for i in range(padded):
        out_delay_ns[np.uintp(row + i)] = decode_time_ns[np.uintp(slot + i)]
        out_delivered[np.uintp(row + i)] = decode_time_ns[np.uintp(slot + i)] > 0


@kernel
def note_erased(decode_time_ns: Int64Array, start: int, end: int, erased: Int64Array) -> int:
    """Write the erased slots from `start` up to `end` to the front of `erased`; return how many there are."""
    count = 0
    while start < end:
        until = min(start + GROUP, end)
        if until == start + GROUP:
            # Most often none of so many is erased, which one comparison of all tells.
            decoded = 0
            for i in range(GROUP):
                decoded += int(decode_time_ns[np.uintp(start + i)] > 0)
            start = until if decoded == GROUP else start
        for slot in range(start, until):
            erased[np.uintp(count)] = slot
            count += int(decode_time_ns[np.uintp(slot)] == 0)
        start = until
    return count


@kernel
def oldest_open_row(state: npt.NDArray[np.void], reports: npt.NDArray[np.void]) -> int:
    """Return the number of the first row whose fate is open; the number of rows when none is."""
    oldest: int = state[0]["rows"]
    mask = len(reports) - 1
    for report in range(state[0]["head"], state[0]["tail"]):
        oldest = min(oldest, reports[report & mask]["row"])
    return oldest
