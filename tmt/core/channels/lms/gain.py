"""The land-mobile-satellite channel's gain on the way through shadow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tmt.core.kernels._jit import kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tmt.core.kernels import Float64Array, Int64Array

_DB = math.log(10.0) / 10.0


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
    field : [n_points], complex
        Unit-power multipath; replaced by the gain.
    draws : [n_points], standard normal
        Innovations of the shadowing.
    shadow
        Its value at the point before the first.
    memory
        Its correlation over one step, in [0, 1).
    first_point
        Number of the first point on the path.
    step_m
        Distance between points.
    visit_start_m, visit_state : [n_visits]
        Visits in order; the first was entered before those that the points lie in, the last reaches beyond
        the last point.
    states : [n_states, 3]
        alpha, psi and MP in dB.
    phasor, turn
        Direct path's phase at the first point, and its advance per point.
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

    Parameters
    ----------
    draws : [n_points], standard normal
        Replaced by the values.
    level
        The value before the first.
    memory
        The correlation over one point, in [0, 1].
    """
    innovation = math.sqrt(1.0 - memory * memory)
    for point in range(len(draws)):
        level = memory * level + innovation * draws[point]
        draws[point] = level
    return level
