"""Pauses of a trace, that is times from one row to the next: their law, and the longest one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.measure.distribution import Histogram

if TYPE_CHECKING:
    from tmt.core.trace import Int64Array

REGULAR = 10.0
"""Longest pause / mean pause up to which the output names no longest pause."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Time from the row at `start_ns` to the next one."""

    start_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class PauseShare:
    """Pauses of `least_ns` or more: their number, and their share of the trace's time."""

    least_ns: int
    number: int
    share_of_time: float


class Pauses:
    """Law of the pauses of a trace that is read in pieces.

    Attributes
    ----------
    histogram
        Counts of the pauses in nanoseconds.
    longest
        The first of several equal ones; None before the second row.
    """

    def __init__(self) -> None:
        self.histogram = Histogram()
        self.longest: Pause | None = None
        self._last_ns: int | None = None

    def add(self, tx_time_ns: Int64Array) -> None:
        """Take the times of the next rows: [n], increasing."""
        if self._last_ns is not None:
            tx_time_ns = np.concatenate(([self._last_ns], tx_time_ns))
        if len(tx_time_ns) == 0:
            return
        self._last_ns = int(tx_time_ns[-1])
        pauses_ns = np.diff(tx_time_ns)
        if len(pauses_ns) == 0:
            return
        self.histogram.add(pauses_ns)
        place = int(pauses_ns.argmax())
        if self.longest is None or pauses_ns[place] > self.longest.duration_ns:
            self.longest = Pause(int(tx_time_ns[place]), int(pauses_ns[place]))

    @property
    def are_regular(self) -> bool:
        """Whether no pause is much longer than the mean."""
        mean_ns = self.histogram.summary().mean
        return self.longest is None or mean_ns is None or self.longest.duration_ns <= REGULAR * mean_ns

    def law(self) -> list[PauseShare]:
        """Return the pauses of at least 1, 2, 5, 10 ... ns, from the shortest one to the longest."""
        values, counts = self.histogram.values_and_counts()
        if self.longest is None:
            return []
        number = np.cumsum(counts[::-1])[::-1]
        time_ns = np.cumsum((values * counts.astype(np.float64))[::-1])[::-1]
        steps = [step * 10**power for power in range(19) for step in (1, 2, 5)]
        inside = [step for step in steps if values[0] <= step <= self.longest.duration_ns]
        places = [min(int(np.searchsorted(values, step)), len(values) - 1) for step in inside]
        return [
            PauseShare(step, int(number[place]), float(time_ns[place] / time_ns[0]))
            for step, place in zip(inside, places, strict=True)
        ]
