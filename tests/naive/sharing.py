"""Slow twins of the schedulers of a shared line, from `docs/sharing.md`."""

from collections.abc import Sequence
from fractions import Fraction


def by_weight(weights: Sequence[int], slots: int) -> list[int]:
    """Return the user of each slot: the first of those with the largest credit pays the sum of weights."""
    credit, users = [0] * len(weights), list[int]()
    for _ in range(slots):
        credit = [own + weight for own, weight in zip(credit, weights, strict=True)]
        users.append(credit.index(max(credit)))
        credit[users[-1]] -= sum(weights)
    return users


def by_rate(rates: Sequence[Sequence[int]], averaging_slots: int) -> list[int]:
    """Return the user of each slot by exact fractions; `rates` holds each user's rates, slot by slot."""
    means = [Fraction(0)] * len(rates)
    users = list[int]()
    for now in zip(*rates, strict=True):
        waiting = [one for one, (rate, mean) in enumerate(zip(now, means, strict=True)) if rate and not mean]
        relative = [rate / mean if mean else Fraction(0) for rate, mean in zip(now, means, strict=True)]
        users.append(waiting[0] if waiting else relative.index(max(relative)))
        served = [rate if one == users[-1] else 0 for one, rate in enumerate(now)]
        means = [mean + (rate - mean) / averaging_slots for mean, rate in zip(means, served, strict=True)]
    return users
