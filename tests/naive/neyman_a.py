"""Slow twins of the Neyman type A channel: error by error, and by the part of each cluster in a slot."""

import math
from collections.abc import Sequence

import numpy as np


def error_places(
    clusters_per_slot: float,
    errors_per_cluster: float,
    cluster_slots: float,
    slots: int,
    source: np.random.Generator,
) -> list[float]:
    """Return the places of the errors in `slots` slots: clusters one by one, then their errors one by one."""
    begin, places = -cluster_slots, []
    while begin < slots:
        begin += source.exponential(1.0 / clusters_per_slot)
        for _ in range(source.poisson(errors_per_cluster)):
            place = begin + source.random() * cluster_slots
            if 0.0 <= place < slots:
                places.append(place)
    return places


def erased(
    begins: Sequence[tuple[int, float]],
    errors_per_cluster: float,
    cluster_slots: float,
    first: int,
    uniforms: Sequence[float],
) -> list[bool]:
    """Return the erased slots, from the share of every cluster in each slot."""
    result = []
    for index, uniform in enumerate(uniforms):
        slot = first + index
        errors = 0.0
        for begin_slot, part in begins:
            begin = (begin_slot - slot) + part
            if cluster_slots == 0.0:
                errors += errors_per_cluster * (begin_slot == slot)
            else:
                overlap = min(1.0, begin + cluster_slots) - max(0.0, begin)
                errors += errors_per_cluster * max(0.0, overlap) / cluster_slots
        result.append(uniform < 1.0 - math.exp(-errors))
    return result
