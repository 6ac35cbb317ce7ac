"""Sizes of the rows of a link trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tmt.core.kernels import Int64Array


@kernel
def sizes_of_rows(
    slot_tx_time_ns: Int64Array,
    slot_size_bytes: npt.NDArray[np.uint32],
    row_tx_time_ns: Int64Array,
    row_size_bytes: npt.NDArray[np.uint32],
) -> None:
    """Give each row the size of the slot of its first transmission, which has the same `tx_time_ns`.

    Parameters
    ----------
    slot_tx_time_ns, slot_size_bytes : [n_slots]
        The slots.
    row_tx_time_ns : [n_rows], int64, ns
        Rows that begin in these slots, in order.
    row_size_bytes : [n_rows], uint32, written
    """
    slot = 0
    for row in range(len(row_tx_time_ns)):
        while slot_tx_time_ns[slot] < row_tx_time_ns[row]:
            slot += 1
        row_size_bytes[row] = slot_size_bytes[slot]
