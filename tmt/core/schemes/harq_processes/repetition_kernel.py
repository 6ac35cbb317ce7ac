"""Blind repetition without feedback, slot by slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    from tmt.core.kernels import Float64Array, Int64Array, Rows


@kernel
def repeat(
    tx_time_ns: Int64Array,
    decode_time_ns: Int64Array,
    quality: Float64Array,
    needed: float,
    repetitions: int,
    detection_delay_ns: int,
    left: Int64Array,
    combined: Float64Array,
    rows: int,
    out: Rows,
) -> int:
    """Send every LLDU in `repetitions` slots; return how many rows have begun.

    Parameters
    ----------
    tx_time_ns, decode_time_ns : [n], int64, ns
        The slots.
    quality, needed
        As in `tmt.core.schemes.harq_processes.kernel.send_asynchronously`.
    repetitions
        Slots that carry each LLDU.
    detection_delay_ns
        From the last erased transmission of an LLDU until the receiver gives it up.
    left : [1], int64, updated
        Transmissions of the last LLDU that are still to come.
    combined : [1], float64, updated
        Sum of the qualities of its transmissions so far.
    rows
        How many rows had begun before.
    out : [rows + n or more], updated
        The rows.
    """
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    for slot in range(len(tx_time_ns)):
        now_ns, took_ns = tx_time_ns[slot], decode_time_ns[slot]
        if left[0] == 0:
            out_tx_time_ns[rows], out_delay_ns[rows], out_delivered[rows] = now_ns, -1, False
            rows += 1
            left[0], combined[0] = repetitions, 0.0
        left[0] -= 1
        combined[0] += quality[slot]
        row = rows - 1
        delay_ns = now_ns + took_ns - out_tx_time_ns[row]
        out_transmissions[row] = min(repetitions - left[0], 255)
        if took_ns > 0:
            out_delay_ns[row] = min(delay_ns, out_delay_ns[row]) if out_delivered[row] else delay_ns
            out_delivered[row] = True
        elif not out_delivered[row] and left[0] < repetitions - 1 and combined[0] >= needed:
            out_delay_ns[row], out_delivered[row] = delay_ns + detection_delay_ns, True
        elif left[0] == 0 and not out_delivered[row]:
            out_delay_ns[row] = delay_ns + detection_delay_ns
    return rows
