"""Stop-and-wait HARQ processes, slot by slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels import Float64Array, Int64Array, Records, Rows, kernel

if TYPE_CHECKING:
    import numpy.typing as npt


UNLIMITED = 2**63 - 1

RIGHT, MISSED, FALSE = 0, 1, 2
"""Feedback of a slot: received correctly, not received, or read as its opposite."""

PROCESS = np.dtype(
    [
        *((name, np.int64) for name in ("row", "sent", "due_ns", "again")),
        *((name, np.float64) for name in ("quality", "needed")),
    ]
)
"""A process: the row of its LLDU, transmissions so far, the feedback's arrival at the sender, whether the
sender then retransmits, the sum of the qualities of the LLDU's transmissions, and the quality that it needs.
"""

STATE = np.dtype(
    [
        (name, np.int64)
        for name in ("head", "tail", "repeat_head", "repeat_tail", "slots", "first_ns", "stalls")
    ]
)
"""Processes taken from and put into the FIFOs of feedback and of retransmissions; slots seen, and time of the
first one; stalled slots.
"""


@kernel
def send_asynchronously(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    quality: Float64Array,
    needed: Float64Array,
    feedback: npt.NDArray[np.uint8],
    processes: int,
    rtt_ns: int,
    detection_delay_ns: int,
    max_transmissions: int,
    state: Records,
    waiting: Records,
    repeats: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send LLDUs, each retransmission in the first slot after its feedback; return the number of rows begun.

    Parameters
    ----------
    quality : [n], what each slot adds to the combined quality of its LLDU
    needed : [n], combined quality at which an LLDU that was first sent in this slot is decoded when it is
        retransmitted, though the slots are erased; infinite: never. A slot that is not erased decodes the
        LLDUs that need at most as much as its own LLDU.
    feedback : [n], `RIGHT`, `MISSED` or `FALSE`, for the slot's transmission max_transmissions : of one LLDU,
    or `UNLIMITED` state : [1], `STATE`, updated waiting : [power of two above `processes`], `PROCESS`,
    updated
        Ring of processes that wait for feedback, in the order of its arrival.
    repeats : like `waiting`, updated; FIFO of processes that have a retransmission to send
    """
    head, tail = state[0]["head"], state[0]["tail"]
    repeat_head, repeat_tail = state[0]["repeat_head"], state[0]["repeat_tail"]
    stalls, mask = state[0]["stalls"], len(waiting) - 1
    for slot in range(len(tx_time_ns)):
        now_ns = tx_time_ns[slot]
        while head < tail and waiting[head & mask]["due_ns"] <= now_ns:
            if waiting[head & mask]["again"]:
                repeats[repeat_tail & mask] = waiting[head & mask]
                repeat_tail += 1
            head += 1

        if repeat_head < repeat_tail:
            repeated = repeats[repeat_head & mask]
            row, sent = repeated["row"], repeated["sent"] + 1
            combined, own = repeated["quality"] + quality[slot], repeated["needed"]
            repeat_head += 1
        elif tail - head < processes:
            row, sent, combined, own = rows, 1, quality[slot], needed[slot]
            rows += 1
        else:
            stalls += 1
            continue

        took_ns = decode_time_ns[slot] if decode_time_ns[slot] > 0 else detection_delay_ns
        decoded = decode_time_ns[slot] > 0 and needed[slot] >= own
        decoded = decoded or (sent > 1 and combined >= own)
        again = transmit(now_ns, took_ns, decoded, feedback[slot], row, sent, max_transmissions, out)
        due_ns = now_ns + rtt_ns + took_ns
        place = tail
        while place > head and waiting[(place - 1) & mask]["due_ns"] > due_ns:
            waiting[place & mask] = waiting[(place - 1) & mask]
            place -= 1
        process = waiting[place & mask]
        process["row"], process["sent"], process["due_ns"], process["again"] = row, sent, due_ns, again
        process["quality"], process["needed"] = combined, own
        tail += 1
    state[0]["head"], state[0]["tail"] = head, tail
    state[0]["repeat_head"], state[0]["repeat_tail"] = repeat_head, repeat_tail
    state[0]["stalls"] = stalls
    return rows


@kernel
def send_synchronously(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    quality: Float64Array,
    needed: Float64Array,
    feedback: npt.NDArray[np.uint8],
    slot_time_ns: int,
    rtt_ns: int,
    detection_delay_ns: int,
    max_transmissions: int,
    state: Records,
    processes: Records,
    rows: int,
    out: Rows,
) -> int:
    """Send LLDUs, each process only in its own slots; return the number of rows that have begun.

    `slot_time_ns` is the time from slot to slot; 0: the slots of the trace follow each other without gaps.
    Slot i belongs to process ``i % len(processes)`` of `processes`, `PROCESS`, updated. The other parameters
    are those of `send_asynchronously`.
    """
    for slot in range(len(tx_time_ns)):
        now_ns = tx_time_ns[slot]
        if state[0]["slots"] == 0:
            state[0]["first_ns"] = now_ns
        number = state[0]["slots"]
        if slot_time_ns > 0:
            number = (now_ns - state[0]["first_ns"] + slot_time_ns // 2) // slot_time_ns
        state[0]["slots"] += 1
        process = processes[number % len(processes)]
        if process["due_ns"] > now_ns:
            state[0]["stalls"] += 1
            continue

        if process["again"]:
            process["sent"] += 1
            process["quality"] += quality[slot]
            state[0]["repeat_head"] += 1
        else:
            process["row"], process["sent"], process["quality"] = rows, 1, quality[slot]
            process["needed"] = needed[slot]
            rows += 1
        took_ns = decode_time_ns[slot] if decode_time_ns[slot] > 0 else detection_delay_ns
        decoded = decode_time_ns[slot] > 0 and needed[slot] >= process["needed"]
        decoded = decoded or (process["sent"] > 1 and process["quality"] >= process["needed"])
        process["again"] = transmit(
            now_ns, took_ns, decoded, feedback[slot], process["row"], process["sent"], max_transmissions, out
        )
        process["due_ns"] = now_ns + rtt_ns + took_ns
    return rows


@kernel
def transmit(
    now_ns: int,
    took_ns: int,
    decoded: bool,
    feedback: int,
    row: int,
    sent: int,
    max_transmissions: int,
    out: Rows,
) -> bool:
    """Send an LLDU for the `sent`-th time; return whether its feedback makes the sender retransmit it.

    The receiver knows after `took_ns` whether the transmission is decoded.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    if sent == 1:
        out_tx_time_ns[row], out_delay_ns[row], out_delivered[row] = now_ns, -1, False
    out_transmissions[row] = min(sent, 255)
    if decoded and not out_delivered[row]:
        out_delay_ns[row], out_delivered[row] = now_ns + took_ns - out_tx_time_ns[row], True
    is_nack = feedback == MISSED or out_delivered[row] == (feedback == FALSE)
    again = is_nack and sent < max_transmissions
    if not again and not out_delivered[row]:
        out_delay_ns[row] = now_ns + took_ns - out_tx_time_ns[row]
    return again


@kernel
def repeat(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    quality: Float64Array,
    needed: Float64Array,
    repetitions: int,
    detection_delay_ns: int,
    left: Int64Array,
    combined: Float64Array,
    rows: int,
    out: Rows,
) -> int:
    """Send every LLDU in `repetitions` slots; return the number of rows that have begun.

    `quality` and `needed` are as in `send_asynchronously`. The receiver gives an LLDU up `detection_delay_ns`
    after its last erased transmission. Updated are `left`, [1], the remaining transmissions of the last LLDU,
    and `combined`, [2], the sum of the qualities of its transmissions so far and the quality that it needs.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        if left[0] == 0:
            out_tx_time_ns[rows], out_delay_ns[rows], out_delivered[rows] = now_ns, -1, False
            rows += 1
            left[0], combined[0], combined[1] = repetitions, 0.0, needed[slot]
        left[0] -= 1
        combined[0] += quality[slot]
        row = rows - 1
        delay_ns = now_ns + took_ns - out_tx_time_ns[row]
        out_transmissions[row] = min(repetitions - left[0], 255)
        if took_ns > 0 and needed[slot] >= combined[1]:
            out_delay_ns[row] = min(delay_ns, out_delay_ns[row]) if out_delivered[row] else delay_ns
            out_delivered[row] = True
        elif not out_delivered[row] and left[0] < repetitions - 1 and combined[0] >= combined[1]:
            out_delay_ns[row], out_delivered[row] = delay_ns + (0 if took_ns else detection_delay_ns), True
        elif left[0] == 0 and not out_delivered[row]:
            out_delay_ns[row] = delay_ns + (0 if took_ns else detection_delay_ns)
    return rows
