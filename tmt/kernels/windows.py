"""Where slots fall among moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import part_of_kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Int64Array = npt.NDArray[np.int64]

AHEAD_SLOTS = 384
"""How far ahead of the slot that is sent its successors are fetched: as far as the memory takes to answer."""

LINE_SLOTS = 8
"""Times in a line of the cache."""


@part_of_kernel
def first_slot_from(tx_time_ns: Int64Array, start: int, end: int, moment_ns: int) -> int:
    """Return the first slot from `start` on that is not sent before `moment_ns`, but `end` at the latest."""
    slot = start
    while slot < end and tx_time_ns[np.uintp(slot)] < moment_ns:
        slot += 1
    return slot


@part_of_kernel
def guess_slot_from(tx_time_ns: Int64Array, start: int, end: int, moment_ns: int) -> int:
    """Return the same, sooner where slots are about as far apart as the first two."""
    if start + 1 >= end or tx_time_ns[start] >= moment_ns:
        return first_slot_from(tx_time_ns, start, end, moment_ns)
    interval_ns = tx_time_ns[start + 1] - tx_time_ns[start]
    slot: int = min(start + (moment_ns - tx_time_ns[start] + interval_ns - 1) // interval_ns, end)
    wrong = slot < end and tx_time_ns[np.uintp(min(slot, end - 1))] < moment_ns
    wrong |= tx_time_ns[np.uintp(slot - 1)] >= moment_ns
    return first_slot_from(tx_time_ns, start, end, moment_ns) if wrong else slot
