"""Schedulers with state: smooth weighted round robin, and proportional fairness."""

from __future__ import annotations

import numpy as np

from tmt.core.kernels import Float64Array, Int64Array, kernel


@kernel
def by_weight(weights: Int64Array, credit: Int64Array, user: Int64Array) -> None:
    """Give each slot to the user with the largest credit, the first one of equals; its credit falls by the
    sum.

    Parameters
    ----------
    weights, credit : [users], what a credit gains in each slot, and the credits, which are updated
    user : [slots], filled in
    """
    total = weights.sum()
    for slot in range(len(user)):
        best = 0
        for one in range(len(weights)):
            credit[one] += weights[one]
            if credit[one] > credit[best]:
                best = one
        credit[best] -= total
        user[slot] = best


@kernel
def relative(rate: float, mean: float) -> float:
    """Return a rate divided by its user's mean; a user with a rate and without a mean comes before all
    others.
    """
    if mean > 0.0:
        return rate / mean
    return np.inf if rate > 0.0 else 0.0


@kernel
def by_rate(rates: Float64Array, means: Float64Array, part: float, user: Int64Array) -> None:
    """Give each slot to the user with the largest rate divided by its mean rate, the first one of equals.

    Parameters
    ----------
    rates : [users, slots], not negative
    means : [users], each user's mean rate, updated
    part : what the newest slot counts in a mean
    user : [slots], filled in
    """
    for slot in range(len(user)):
        best, largest = 0, -1.0
        for one in range(len(means)):
            own = relative(rates[one, slot], means[one])
            means[one] *= 1.0 - part
            if own > largest:
                best, largest = one, own
        means[best] += part * rates[best, slot]
        user[slot] = best
