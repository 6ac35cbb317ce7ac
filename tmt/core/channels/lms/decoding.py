"""Code words of the land-mobile-satellite channel: which gains decode them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from tmt.core.kernels import BoolArray, Float64Array, Int64Array

_LN_2 = math.log(2.0)


@kernel
def mutual_information(variance: float, h1: float, h2: float, h3: float) -> float:
    """Return the information per bit in log-likelihood ratios of a given variance, in [0, 1].

    ``(1 - 2**(-h1 * variance**h2))**h3``: Brannstrom, Rasmussen and Grant, IEEE Trans. Inf. Theory 51(9),
    2005.
    """
    return math.pow(1.0 - math.exp(-_LN_2 * h1 * math.pow(variance, h2)), h3)


@kernel
def equal_gain(gains: Float64Array, variance: float, h1: float, h2: float, h3: float) -> float:
    """Return the gain at which `mutual_information` is its mean over the gains; infinite where that is 1.

    It is computed from what lacks of the information, which keeps its digits at a high SNR.
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
    """Decide which code words are erased: those whose mean mutual information is below what they need.

    It rises with the SNR, so that it is worked out only where segments lie on both sides of what is needed.

    Parameters
    ----------
    field : [n_points], complex
        Gain at the points from `first_point` on, `step_ns` apart; between them it is interpolated linearly.
    time_ns : [n_slots], int64
        When code words start.
    offsets_ns : [n_segments]
        Middle of each segment after that.
    jitter_ns
        Width of the range, around its middle, in which a segment lies.
    places : [n_slots, n_segments], or [0, n_segments] where `jitter_ns` is 0
        Where in that range, in [0, 1).
    needed_gain : [n_slots]
        Power gain at which a code word just decodes when it is the same for all segments.
    snr
        Es/N0 without shadowing and multipath, linear.
    erased : [n_slots], bool
        Result.
    effective_gain : [n_slots], or [0] where nobody asks
        Result: the gain that has the same mean mutual information when it is that of all segments.
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
