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
def slots_per_ns(tx_time_ns: Int64Array, origin: int, end: int) -> float:
    """Return how fast slots follow each other at `origin`, of those before `end`."""
    after = min(origin + 1, end - 1)
    per_ns: float = 1.0 / max(tx_time_ns[after] - tx_time_ns[origin], 1)
    return per_ns


@part_of_kernel
def guess_slot_from(
    tx_time_ns: Int64Array, origin: int, start: int, end: int, moment_ns: int, per_ns: float
) -> int:
    """Return what `first_slot_from` does, sooner where `per_ns` slots per ns follow `origin`.

    The guess owes nothing to `start`, so that guesses for several moments do not wait for each other. The
    nearest slot is looked at, so that it is right unless slots are half an interval off.
    """
    guess = origin + int(min(max((moment_ns - tx_time_ns[origin]) * per_ns + 0.5, 0.0), end - origin - 1.0))
    guess += int(tx_time_ns[np.uintp(guess)] < moment_ns)
    late = guess > origin and tx_time_ns[np.uintp(guess - 1)] >= moment_ns
    early = guess < end and tx_time_ns[np.uintp(guess)] < moment_ns
    return first_slot_from(tx_time_ns, start, end, moment_ns) if late or early else max(guess, start)
