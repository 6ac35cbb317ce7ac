"""Rows of a link trace: how the kernels of several schemes begin and settle them, and their sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels import Int64Array, Rows, kernel

if TYPE_CHECKING:
    import numpy.typing as npt


@kernel
def begin_row(row: int, now_ns: int, took_ns: int, out: Rows) -> None:
    """Begin the row of a source unit; an erased one has the delay -1 until it is recovered or lost."""
    out_tx_time_ns, out_delay_ns, out_delivered, out_transmissions = out
    new_row = np.uintp(row)
    out_tx_time_ns[new_row], out_delay_ns[new_row] = now_ns, took_ns if took_ns > 0 else -1
    out_delivered[new_row], out_transmissions[new_row] = took_ns > 0, 1


@kernel
def nth_arrival_ns(arrivals_ns: Int64Array, arrived: int, n: int) -> int:
    """Return the n-th smallest (from 1) of the first `arrived` times; sorts the times if needed."""
    for i in range(1, arrived):
        if arrivals_ns[np.uintp(i)] < arrivals_ns[np.uintp(i - 1)]:
            arrivals_ns[:arrived].sort()
            break
    nth_ns: int = arrivals_ns[n - 1]
    return nth_ns


@kernel
def sizes_of_rows(
    slot_tx_time_ns: Int64Array,
    slot_size_bytes: npt.NDArray[np.uint32],
    row_tx_time_ns: Int64Array,
    row_size_bytes: npt.NDArray[np.uint32],
) -> None:
    """Write the size of each row, [n_rows], in order: that of the slot, [n_slots], with its `tx_time_ns`."""
    slot = 0
    for row in range(len(row_tx_time_ns)):
        while slot_tx_time_ns[slot] < row_tx_time_ns[row]:
            slot += 1
        row_size_bytes[row] = slot_size_bytes[slot]
