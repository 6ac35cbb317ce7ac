"""The erasures of a trace as input of a fit: alternating runs and autocorrelation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tmt.core.trace import BoolArray, FloatArray, Int64Array

MAX_LAG = 10_000


@dataclass(frozen=True, slots=True)
class ErasureRuns:
    """Runs of decoded and of erased slots, which alternate.

    Attributes
    ----------
    first_erased
        Whether the first run is one of erased slots.
    lengths : [n_runs], int64
        Slots of each run; the trace's ends cut the first and the last run.
    """

    first_erased: bool
    lengths: Int64Array

    @classmethod
    def of(cls, erased: BoolArray) -> ErasureRuns:
        """Find the runs of a sequence of at least one slot: [n_slots], whether each is erased."""
        edges = np.flatnonzero(erased[1:] != erased[:-1]) + 1
        return cls(bool(erased[0]), np.diff(edges, prepend=0, append=len(erased)))

    @property
    def slots(self) -> int:
        """Slots in all runs."""
        return int(self.lengths.sum())

    @property
    def bursts(self) -> Int64Array:
        """Lengths of the erased runs, in order."""
        return self.lengths[0 if self.first_erased else 1 :: 2]

    @property
    def gaps(self) -> Int64Array:
        """Lengths of the decoded runs, in order."""
        return self.lengths[1 if self.first_erased else 0 :: 2]

    @property
    def erased(self) -> int:
        """Erased slots."""
        return int(self.bursts.sum())


def length_counts(lengths: Int64Array) -> dict[int, int]:
    """Return the number of runs of each length."""
    return dict(sorted(Counter(lengths.tolist()).items()))


def autocorrelation(erased: BoolArray) -> tuple[Int64Array, FloatArray]:
    """Return the autocorrelation of the erasures.

    Returns
    -------
    lags : [n_lags], int64
        From 1, evenly on a logarithmic scale, to a tenth of the trace or `MAX_LAG`.
    correlation : [n_lags], float64
        At lag k, the mean of (x[i] - p) (x[i + k] - p) over the pairs, divided by p (1 - p). x is 1 for an
        erased slot; p is the share of erased slots and neither 0 nor 1.
    """
    share = float(erased.mean())
    longest = max(1, min(len(erased) // 10, MAX_LAG))
    lags = np.unique(np.geomspace(1, longest, 60).astype(np.int64))
    correlation = np.empty(len(lags))
    for i, lag in enumerate(lags):
        early, late = erased[:-lag], erased[lag:]
        both = np.count_nonzero(early & late) / len(early)
        cross = both - share * (early.mean() + late.mean()) + share**2
        correlation[i] = cross / (share * (1.0 - share))
    return lags, correlation
