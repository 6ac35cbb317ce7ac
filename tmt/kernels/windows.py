"""Where slots fall among moments: a guess that is right on a line of equal intervals spares the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.kernels._jit import part_of_kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@part_of_kernel
def first_slot_from(tx_time_ns: npt.NDArray[np.int64], start: int, guess: int, moment_ns: int) -> int:
    """Return the first slot from `start` on that is not sent before `moment_ns`; there must be one.

    The test of the guess has no branches, since whether it lies before `start` cannot be predicted.
    """
    guess = min(max(start, guess), len(tx_time_ns) - 1)
    first = (guess == start) | (tx_time_ns[guess - 1] < moment_ns)
    if first & (tx_time_ns[guess] >= moment_ns):
        return guess
    while tx_time_ns[start] < moment_ns:
        start += 1
    return start


@part_of_kernel
def end_of_window(
    tx_time_ns: npt.NDArray[np.int64], start: int, most_slots: int, span_ns: int, guess: int
) -> int:
    """Return the slot after the last of at most `most_slots` slots from `start` on.

    All but the first are sent less than `span_ns` after it, so that no report which takes that long is both
    made and due in the window.
    """
    end = min(start + most_slots, len(tx_time_ns))
    if end > start + 1 and tx_time_ns[end - 1] >= tx_time_ns[start] + span_ns:
        end = first_slot_from(tx_time_ns, start + 1, guess, tx_time_ns[start] + span_ns)
    return end
