"""Bad slots of a trace over time, in a fixed number of bins for any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.trace import Int64Array

BINS = 1024


class Timeline:
    """Number of slots and of bad slots per bin of time since the first slot.

    A bin's width is the least power of two in nanoseconds with which `BINS` bins reach the trace's end: a
    slot beyond the last bin makes pairs of bins join. The result does not depend on the pieces.

    Attributes
    ----------
    slots, bad : [BINS], int64
        Per bin: slots in it, and bad slots.
    origin_ns
        Start of the first bin: the first slot's time.
    """

    def __init__(self) -> None:
        self.slots = np.zeros(BINS, np.int64)
        self.bad = np.zeros(BINS, np.int64)
        self.origin_ns: int | None = None
        self._width_bits = 0

    @property
    def width_ns(self) -> int:
        """Width of a bin."""
        return 1 << self._width_bits

    def add(self, bad: npt.NDArray[np.bool_], tx_time_ns: Int64Array) -> None:
        """Take the next slots: [n] whether each is bad, and when it is sent."""
        if len(bad) == 0:
            return
        if self.origin_ns is None:
            self.origin_ns = int(tx_time_ns[0])
        while (int(tx_time_ns[-1]) - self.origin_ns) >> self._width_bits >= BINS:
            self.slots, self.bad = _joined(self.slots), _joined(self.bad)
            self._width_bits += 1
        position = (tx_time_ns - self.origin_ns) >> self._width_bits
        self.slots += np.bincount(position, minlength=BINS)
        self.bad += np.bincount(position[bad], minlength=BINS)

    def bad_share(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return start in seconds and share of bad slots of the bins up to the last in use: two of [n].

        The share of a bin without a slot is NaN.
        """
        used = int(np.flatnonzero(self.slots)[-1]) + 1
        start_s = ((self.origin_ns or 0) + np.arange(used) * self.width_ns) / 1e9
        share = np.full(used, np.nan)
        np.divide(self.bad[:used], self.slots[:used], out=share, where=self.slots[:used] > 0)
        return start_s, share


def _joined(bins: Int64Array) -> Int64Array:
    return np.concatenate((bins.reshape(-1, 2).sum(axis=1), np.zeros(BINS // 2, np.int64)))
