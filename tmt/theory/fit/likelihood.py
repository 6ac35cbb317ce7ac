"""The erasures of a trace as runs, their likelihood on a Gilbert-Elliott channel, and closed-form estimates
of the simpler models, which are special cases of the channel.

"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels.erasure_runs import forward, matrix_powers

if TYPE_CHECKING:
    from tmt.core.channels.gilbert_elliott import GilbertElliott
    from tmt.core.trace import BoolArray, FloatArray, Int64Array

MAX_LAG = 10_000

NORMAL_QUANTILE = 1.959963984540054
"""Quantile of the standard normal law, two-sided at 95 %."""


@dataclass(frozen=True, slots=True)
class ErasureRuns:
    """Runs of decoded and of erased slots in turn, [n_runs]; the trace's ends cut the first and the last."""

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
    """Return lags and the autocorrelation of the erasures at each, [n_lags].

    Lags are from 1, evenly on a logarithmic scale, to a tenth of the trace or `MAX_LAG`. At lag k it is the
    mean of (x[i] - p) (x[i + k] - p) over the pairs, divided by p (1 - p). x is 1 for an erased slot; p is
    the share of erased slots and neither 0 nor 1.
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


def steps(channel: GilbertElliott) -> FloatArray:
    """Return the joint probabilities of a transition and a kind of slot (0 decoded, 1 erased): [2, 2, 2].

    Element [kind, i, j] is the probability of going from state i to state j (0 good, 1 bad) and of a slot of
    that kind in state j.
    """
    move = np.array([[channel.alpha, 1.0 - channel.alpha], [1.0 - channel.beta, channel.beta]])
    error = np.array([channel.error_good, channel.error_bad])
    return np.stack((move * (1.0 - error), move * error))


class RunLikelihood:
    """The likelihood of one sequence of runs as a function of the channel."""

    def __init__(self, runs: ErasureRuns) -> None:
        self.runs = runs
        self.distinct, index = np.unique(runs.lengths, return_inverse=True)
        self._index = index.astype(np.int64)
        self._powers = np.empty((2, len(self.distinct), 2, 2))
        self._log_scale = np.empty((2, len(self.distinct)))
        self._good = np.empty(len(runs.lengths))

    def __call__(self, channel: GilbertElliott) -> float:
        """Return the natural logarithm of the probability of the runs, from a stationary start."""
        step = steps(channel)
        for kind in range(2):
            matrix_powers(step[kind], self.distinct - 1, self._powers[kind], self._log_scale[kind])
        bad = channel.bad_probability
        start = np.array([1.0 - bad, bad])
        first, powers = int(self.runs.first_erased), self._powers
        return float(forward(first, self._index, start, step, powers, self._log_scale, self._good))

    def good_share(self, channel: GilbertElliott) -> FloatArray:
        """Return the probability of the good state in the first slot of each run, given that slot and all
        before it.
        """
        self(channel)
        return self._good.copy()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A maximum-likelihood estimate and its 95 % interval."""

    value: float
    low: float
    high: float


def proportion(successes: int, trials: int) -> Estimate:
    """Estimate a probability with Wilson's score interval (J. Am. Stat. Assoc. 22, 1927).

    Without a trial the interval is [0, 1].
    """
    if trials == 0:
        return Estimate(0.5, 0.0, 1.0)
    share, spread = successes / trials, NORMAL_QUANTILE**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Estimate(share, low, high)


def fit_gilbert(runs: ErasureRuns) -> dict[str, Estimate]:
    """Estimate alpha and beta of the simple Gilbert model, given the first slot.

    A slot shows its state, so each slot except the last is one trial of its state. If g gaps do not end the
    trace, a good slot follows all but g of the good slots that have a successor. The same holds for bad
    slots.
    """
    last_erased = runs.first_erased == (len(runs.lengths) % 2 == 1)
    good_slots, bad_slots = runs.slots - runs.erased, runs.erased
    good_trials, bad_trials = good_slots - (not last_erased), bad_slots - last_erased
    ended_gaps, ended_bursts = len(runs.gaps) - (not last_erased), len(runs.bursts) - last_erased
    return {
        "alpha": proportion(good_trials - ended_gaps, good_trials),
        "beta": proportion(bad_trials - ended_bursts, bad_trials),
    }
