"""Where slots fall among moments: by division where they are evenly spaced, or else by search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.kernels._jit import kernel, part_of_kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Int64Array = npt.NDArray[np.int64]


@part_of_kernel
def first_interval_ns(tx_time_ns: Int64Array, start: int) -> int:
    """Return the interval between slot `start` and the next; 0 when there is none."""
    return tx_time_ns[start + 1] - tx_time_ns[start] if start + 1 < len(tx_time_ns) else 0


@kernel
def evenly_spaced(tx_time_ns: Int64Array, start: int, end: int, interval_ns: int) -> bool:
    """Whether the slots from `start` up to `end` follow each other at the interval given."""
    others = 0
    for slot in range(start + 1, end):
        others |= (tx_time_ns[np.uintp(slot)] - tx_time_ns[np.uintp(slot - 1)]) ^ interval_ns
    return others == 0


@part_of_kernel
def first_slot_from(
    tx_time_ns: Int64Array, origin: int, start: int, end: int, moment_ns: int, interval_ns: int
) -> int:
    """Return the first slot from `start` on that is not sent before `moment_ns`, but `end` at the latest.

    With `interval_ns` above 0 all slots from `origin` up to `end` are that far apart.
    """
    if interval_ns > 0:
        later_ns: int = max(moment_ns - tx_time_ns[origin], 0)
        return min(max(start, origin + (later_ns + interval_ns - 1) // interval_ns), end)
    while start < end and tx_time_ns[start] < moment_ns:
        start += 1
    return start


@part_of_kernel
def end_of_window(tx_time_ns: Int64Array, start: int, most_slots: int, span_ns: int, interval_ns: int) -> int:
    """Return the slot after the last of at most `most_slots` slots from `start` on.

    All but the first are sent less than `span_ns` after it, so that no report which takes that long is both
    made and due in the window. With `interval_ns` above 0 the slots are that far apart.
    """
    end = min(start + most_slots, len(tx_time_ns))
    return first_slot_from(tx_time_ns, start, start + 1, end, tx_time_ns[start] + span_ns, interval_ns)
