"""Runs of equal slots, that is erasure bursts and the gaps between them, of a trace read in pieces."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, Int64Array


@dataclass(frozen=True, slots=True)
class Outage:
    """A burst in time: from its first slot to the next good one, or to the trace's last slot."""

    start_ns: int
    duration_ns: int
    slots: int


class Runs:
    """Lengths of the runs of bad slots (bursts) and of good ones (gaps), and the longest outage.

    A run that an end of the trace cuts counts with its length inside the trace.

    Attributes
    ----------
    bursts, gaps
        Number of runs of each length in slots; complete after `finish`.
    longest_outage
        The burst that lasts longest in time, the first of several equal ones; None without bursts.
    """

    def __init__(self) -> None:
        self.bursts: Counter[int] = Counter()
        self.gaps: Counter[int] = Counter()
        self.longest_outage: Outage | None = None
        self._bad = False
        self._slots = 0
        self._start_ns = 0
        self._last_ns = 0

    def add(self, bad: BoolArray, tx_time_ns: Int64Array) -> None:
        """Take the next slots: [n] whether each is bad, and when it is sent."""
        if len(bad) == 0:
            return
        first = np.concatenate(([0], np.flatnonzero(bad[1:] != bad[:-1]) + 1))
        kind, start_ns = bad[first], tx_time_ns[first]
        slots = np.diff(first, append=len(bad))
        if self._slots:
            if self._bad == kind[0]:
                slots[0] += self._slots
                start_ns[0] = self._start_ns
            else:
                kind = np.concatenate(([self._bad], kind))
                slots = np.concatenate(([self._slots], slots))
                start_ns = np.concatenate(([self._start_ns], start_ns))
        self._count(kind[:-1], slots[:-1], start_ns[:-1], start_ns[1:])
        self._bad, self._slots, self._start_ns = bool(kind[-1]), int(slots[-1]), int(start_ns[-1])
        self._last_ns = int(tx_time_ns[-1])

    def finish(self) -> None:
        """Count the run that the end of the trace cuts."""
        if self._slots:
            self._count(
                np.array([self._bad]),
                np.array([self._slots]),
                np.array([self._start_ns]),
                np.array([self._last_ns]),
            )
            self._slots = 0

    def _count(self, bad: BoolArray, slots: Int64Array, start_ns: Int64Array, end_ns: Int64Array) -> None:
        for counter, chosen in ((self.bursts, slots[bad]), (self.gaps, slots[~bad])):
            lengths, times = np.unique(chosen, return_counts=True)
            counter.update(dict(zip(lengths.tolist(), times.tolist(), strict=True)))
        if not bad.any():
            return
        duration_ns = np.where(bad, end_ns - start_ns, -1)
        longest = int(duration_ns.argmax())
        if self.longest_outage is None or duration_ns[longest] > self.longest_outage.duration_ns:
            self.longest_outage = Outage(
                int(start_ns[longest]), int(duration_ns[longest]), int(slots[longest])
            )
