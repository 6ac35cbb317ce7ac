"""The land-mobile-satellite channel: its gain along a shadowed route, and the code words that decode."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels import BoolArray, Float64Array, Int64Array, kernel

if TYPE_CHECKING:
    import numpy.typing as npt


_DB, _LN_2 = math.log(10.0) / 10.0, math.log(2.0)


@kernel
def loo_gain(
    field: npt.NDArray[np.complex128],
    draws: Float64Array,
    shadow: float,
    memory: float,
    first_point: int,
    step_m: float,
    visit_start_m: Float64Array,
    visit_state: Int64Array,
    states: Float64Array,
    transition_m: float,
    phasor: complex,
    turn: complex,
) -> float:
    """Turn unit diffuse multipath into the complex gain, and return the shadowing of the last point.

    The direct path has amplitude ``10**((alpha + psi * s) / 20)`` with s a first-order autoregression; the
    diffuse one is scaled to its power MP (Loo, IEEE Trans. Veh. Tech. 34(3), 1985). Over the first
    `transition_m` of a visit (alpha, psi, MP) go from the last state's values to this one's, linearly in dB.

    Parameters
    ----------
    field : [n_points], unit-power multipath; replaced by the gain
    draws : [n_points], standard normal innovations of the shadowing
    shadow, memory : its value at the point before the first, and its correlation over one step, in [0, 1)
    first_point, step_m : number of the first point on the path, and distance between points
    visit_start_m, visit_state : [n_visits]
        Visits are in order. The first starts before the first point, the last ends after the last point.
    states : [n_states, 3], alpha, psi and MP in dB
    phasor, turn : direct path's phase at the first point, and its advance per point
    """
    innovation = math.sqrt(1.0 - memory * memory)
    visit = 1
    last_visit = len(visit_state) - 1
    entered_m = -math.inf
    settled = False
    alpha_db = psi_db = diffuse = 0.0
    for point in range(len(field)):
        distance_m = (first_point + point) * step_m
        while visit < last_visit and visit_start_m[visit + 1] <= distance_m:
            visit += 1
        if visit_start_m[visit] != entered_m:
            entered_m = visit_start_m[visit]
            settled = False
        if not settled:
            since_m = distance_m - entered_m
            settled = since_m >= transition_m
            part = 1.0 if settled else since_m / transition_m
            old, new = visit_state[visit - 1], visit_state[visit]
            alpha_db = states[old, 0] + part * (states[new, 0] - states[old, 0])
            psi_db = states[old, 1] + part * (states[new, 1] - states[old, 1])
            mp_db = states[old, 2] + part * (states[new, 2] - states[old, 2])
            diffuse = math.exp(0.5 * _DB * mp_db)
        shadow = memory * shadow + innovation * draws[point]
        direct = math.exp(0.5 * _DB * (alpha_db + psi_db * shadow))
        field[point] = direct * phasor + diffuse * field[point]
        phasor *= turn
    return shadow


@kernel
def autoregression(draws: Float64Array, level: float, memory: float) -> float:
    """Turn draws into the values of a first-order autoregression of unit variance, and return the last.

    `draws`, [n_points], standard normal, are replaced. `level` is the value before the first, `memory` the
    correlation over one point, in [0, 1].
    """
    innovation = math.sqrt(1.0 - memory * memory)
    for point in range(len(draws)):
        level = memory * level + innovation * draws[point]
        draws[point] = level
    return level


@kernel
def mutual_information(variance: float, h1: float, h2: float, h3: float) -> float:
    """Return the information per bit in log-likelihood ratios of a given variance, in [0, 1].

    ``(1 - 2**(-h1 * variance**h2))**h3``: Brannstrom, Rasmussen and Grant, IEEE Trans. Inf. Theory 51(9),
    2005.
    """
    return math.pow(1.0 - math.exp(-_LN_2 * h1 * math.pow(variance, h2)), h3)


@kernel
def equal_gain(gains: Float64Array, variance: float, h1: float, h2: float, h3: float) -> float:
    """Return the gain whose `mutual_information` is the mean over the gains; infinite where the mean is 1.

    It is computed from 1 minus the information, which keeps digits at a high SNR.
    """
    lacking = 0.0
    for segment in range(len(gains)):
        exponent = _LN_2 * h1 * math.pow(variance * gains[segment], h2)
        if exponent > _LN_2:
            lacking -= math.expm1(h3 * math.log1p(-math.exp(-exponent))) / len(gains)
        elif exponent > 0.0:
            lacking -= math.expm1(h3 * math.log(-math.expm1(-exponent))) / len(gains)
        else:
            lacking += 1.0 / len(gains)
    if lacking >= 1.0:
        return 0.0
    left = -math.expm1(math.log1p(-lacking) / h3)
    if left <= 0.0:
        return math.inf
    return math.pow(-math.log(left) / (_LN_2 * h1), 1.0 / h2) / variance


@kernel
def decode(
    field: npt.NDArray[np.complex128],
    first_point: int,
    step_ns: int,
    time_ns: Int64Array,
    offsets_ns: Float64Array,
    jitter_ns: float,
    places: Float64Array,
    needed_gain: Float64Array,
    snr: float,
    llr_variance: float,
    h1: float,
    h2: float,
    h3: float,
    erased: BoolArray,
    effective_gain: Float64Array,
) -> None:
    """Decide which code words are erased: those whose mean mutual information is below their threshold.

    Mutual information rises with the SNR, so it is computed only where segments lie on both sides of the
    threshold.

    Parameters
    ----------
    field : [n_points], gain at the points from `first_point` on, `step_ns` apart; linear between them
    time_ns : [n_slots], when code words start
    offsets_ns : [n_segments], middle of each segment after that
    jitter_ns : width of the range, around its middle, in which a segment lies
    places : [n_slots, n_segments], where in that range, in [0, 1); [0, n_segments] where `jitter_ns` is 0
    needed_gain : [n_slots]
        Power gain at which a code word just decodes when it is the same for all segments.
    snr : Es/N0 without shadowing and multipath, linear erased : [n_slots], written effective_gain :
    [n_slots], or [0] if not wanted, written
        The gain that, equal in all segments, gives the same mean mutual information.
    """
    segments = len(offsets_ns)
    gains = np.empty(segments)  # power gains of one code word
    for slot in range(len(time_ns)):
        needed = needed_gain[slot]
        lowest, highest = math.inf, 0.0
        for segment in range(segments):
            shift_ns = offsets_ns[segment]
            if jitter_ns > 0.0:
                shift_ns += jitter_ns * (places[slot, segment] - 0.5)
            at_ns = time_ns[slot] + int(shift_ns)
            point = at_ns // step_ns
            part = (at_ns - point * step_ns) / step_ns
            left, right = field[point - first_point], field[point - first_point + 1]
            in_phase = left.real + part * (right.real - left.real)
            quadrature = left.imag + part * (right.imag - left.imag)
            gain = in_phase * in_phase + quadrature * quadrature
            gains[segment] = gain
            lowest = min(lowest, gain)
            highest = max(highest, gain)
        if len(effective_gain) > 0:
            effective_gain[slot] = min(
                max(equal_gain(gains, llr_variance * snr, h1, h2, h3), lowest), highest
            )
        if lowest >= needed:
            erased[slot] = False
        elif highest < needed:
            erased[slot] = True
        else:
            total = 0.0
            for segment in range(segments):
                total += mutual_information(llr_variance * snr * gains[segment], h1, h2, h3)
            erased[slot] = total < segments * mutual_information(llr_variance * snr * needed, h1, h2, h3)
