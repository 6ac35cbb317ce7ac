"""Slots that the clusters of a Neyman type A process erase."""

from __future__ import annotations

import math

from tmt.core.kernels import BoolArray, Float64Array, Int64Array, kernel


@kernel
def neyman_a(
    uniforms: Float64Array,
    first: int,
    begin_slot: Int64Array,
    begin_part: Float64Array,
    end_slot: Int64Array,
    end_part: Float64Array,
    begun: int,
    errors_per_cluster: float,
    cluster_slots: float,
    erased: BoolArray,
) -> tuple[int, int]:
    """Fill `erased` for the slots from `first` on; return the number of clusters that have begun, and of
    those that have ended.

    Clusters are equally long and in the order of their starts, so they end in that order too. The work grows
    with slots and clusters, not with how many clusters lie over a slot.

    Parameters
    ----------
    uniforms : [n_slots], in [0, 1); a slot is erased with probability 1 - exp(-mean errors in it)
    begin_slot, end_slot : [n_clusters], slots in which each begins and ends; none ends before slot `first`
    begin_part, end_part : [n_clusters], in [0, 1), where in these slots
    begun : how many of the clusters have begun before slot `first`
    errors_per_cluster, cluster_slots : mean errors of a cluster, and the length over which they lie
    erased : [n_slots], written
    """
    ended = 0
    for index in range(len(erased)):
        slot = first + index
        whole = begun - ended
        clusters = 0.0  # mean number of errors in this slot / errors of a cluster
        while begun < len(begin_slot) and begin_slot[begun] <= slot:
            if end_slot[begun] == slot:
                clusters += 1.0
            else:
                clusters += (1.0 - begin_part[begun]) / cluster_slots
            begun += 1
        while ended < begun and end_slot[ended] <= slot:
            if begin_slot[ended] < slot:
                clusters += end_part[ended] / cluster_slots
                whole -= 1
            ended += 1
        if whole > 0:
            clusters += whole / cluster_slots
        erased[index] = clusters > 0.0 and uniforms[index] < -math.expm1(-clusters * errors_per_cluster)
    return begun, ended
