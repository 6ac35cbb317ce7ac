"""Slow twins of the kernels of the land-mobile-satellite channel and of equal shadows, from `docs`."""

import cmath
import math
from collections.abc import Sequence
from statistics import NormalDist

from tmt import Shadows

Triplet = tuple[float, float, float]
"""alpha, psi, MP in dB."""


def gains(
    multipath: Sequence[complex],
    shadow: Sequence[float],
    step_m: float,
    visits: Sequence[tuple[float, Triplet]],
    transition_m: float,
    cycles_per_step: float,
) -> list[complex]:
    """Return the complex gain at each point; `visits` holds their starts and new states.

    `shadow` is the normalised shadowing at each point. The first visit is never in transition.
    """
    result = []
    for point, (diffuse, level) in enumerate(zip(multipath, shadow, strict=True)):
        here_m = point * step_m
        entered = max(index for index, (start_m, _) in enumerate(visits) if start_m <= here_m)
        start_m, new = visits[entered]
        part = 1.0 if entered == 0 else min(1.0, (here_m - start_m) / transition_m)
        old = visits[max(0, entered - 1)][1]
        alpha, psi, power = (a + part * (b - a) for a, b in zip(old, new, strict=True))
        direct = 10 ** ((alpha + psi * level) / 20)
        result.append(
            direct * cmath.exp(2j * math.pi * cycles_per_step * point) + 10 ** (power / 20) * diffuse
        )
    return result


def information(snr: float, variance: float, h: Triplet) -> float:
    """Return the mutual information per bit at an SNR."""
    return (1 - 2 ** (-h[0] * (variance * snr) ** h[1])) ** h[2]


def snr_of(mutual: float, variance: float, h: Triplet) -> float:
    """Return the SNR that has this mutual information, by the inverse in closed form."""
    return (-math.log2(1 - mutual ** (1 / h[2])) / h[0]) ** (1 / h[1]) / variance


def erasure_probability(
    power_gains: Sequence[float], es_n0_db: float, variance: float, h: Triplet, threshold: float, width: float
) -> float:
    """Return the probability that a code word in segments of these power gains is erased."""
    snr = 10 ** (es_n0_db / 10)
    mean = sum(information(snr * gain, variance, h) for gain in power_gains) / len(power_gains)
    effective_db = 10 * math.log10(snr_of(mean, variance, h))
    return NormalDist().cdf((threshold - effective_db) / width)


def gain_at(field: Sequence[complex], position: float) -> float:
    """Return the power gain between two points, by linear interpolation of the complex gain."""
    left = min(int(position), len(field) - 2)
    return abs(field[left] + (position - left) * (field[left + 1] - field[left])) ** 2


def erased(
    channel: Shadows, times_ns: Sequence[int], middles_ns: Sequence[float], fates: Sequence[float]
) -> list[bool]:
    """Return whether each slot is erased: its fate is below the probability at its distance from a middle."""
    found = []
    for time_ns, fate in zip(times_ns, fates, strict=True):
        off_ns = min(abs(time_ns - middle_ns) for middle_ns in middles_ns)
        if off_ns < channel.trunk_ns / 2:
            probability = 1.0
        elif off_ns < channel.crown_ns / 2:
            probability = channel.crown_error
        else:
            probability = 0.0
        found.append(fate < probability)
    return found
