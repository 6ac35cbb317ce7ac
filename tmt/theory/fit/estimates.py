"""Estimates with intervals, and the estimators in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.theory.fit.observed import ErasureRuns

NORMAL_QUANTILE = 1.959963984540054
"""Quantile of the standard normal law, two-sided at 95 %."""


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


def fit_bernoulli(runs: ErasureRuns) -> dict[str, Estimate]:
    """Estimate the erasure probability: erased slots over slots."""
    return {"probability": proportion(runs.erased, runs.slots)}


def fit_gilbert(runs: ErasureRuns) -> dict[str, Estimate]:
    """Estimate alpha and beta of the simple Gilbert model, given the first slot.

    A slot is the state itself, so each slot but the last is one trial of its state. If g gaps do not end the
    trace, a good slot follows all but g of the good slots that have a successor. The same holds for bad ones.
    """
    last_erased = runs.first_erased == (len(runs.lengths) % 2 == 1)
    good_slots, bad_slots = runs.slots - runs.erased, runs.erased
    good_trials, bad_trials = good_slots - (not last_erased), bad_slots - last_erased
    ended_gaps, ended_bursts = len(runs.gaps) - (not last_erased), len(runs.bursts) - last_erased
    return {
        "alpha": proportion(good_trials - ended_gaps, good_trials),
        "beta": proportion(bad_trials - ended_bursts, bad_trials),
    }
