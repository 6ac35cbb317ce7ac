"""Likelihood of a two-state channel over runs of equal slots: a run costs one step, whatever its length."""

from __future__ import annotations

from math import log

from tmt.core.kernels import Float64Array, Int64Array, kernel


@kernel
def matrix_powers(
    matrix: Float64Array, exponents: Int64Array, powers: Float64Array, log_scale: Float64Array
) -> None:
    """Raise a 2 x 2 matrix to many powers: ``powers[i] * exp(log_scale[i])`` is the power ``exponents[i]``.

    No element of `matrix` is negative; `exponents`, [n], int64, are 0 or more. Results are `powers`, [n, 2,
    2], each scaled so that its largest element is 1, and `log_scale`, [n], float64.
    """
    for i in range(len(exponents)):
        a, b, c, d = 1.0, 0.0, 0.0, 1.0
        e, f, g, h = matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]
        total, square = 0.0, 0.0
        left = exponents[i]
        while left > 0:
            if left & 1:
                a, b, c, d = a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h
                top = max(a, b, c, d, 1e-300)
                a, b, c, d = a / top, b / top, c / top, d / top
                total += square + log(top)
            left >>= 1
            e, f, g, h = e * e + f * g, e * f + f * h, g * e + h * g, g * f + h * h
            top = max(e, f, g, h, 1e-300)
            e, f, g, h = e / top, f / top, g / top, h / top
            square = 2.0 * square + log(top)
        powers[i, 0, 0], powers[i, 0, 1], powers[i, 1, 0], powers[i, 1, 1] = a, b, c, d
        log_scale[i] = total


@kernel
def forward(
    first_kind: int,
    length_index: Int64Array,
    start: Float64Array,
    steps: Float64Array,
    powers: Float64Array,
    log_scale: Float64Array,
    good: Float64Array,
) -> float:
    """Return the log-likelihood of runs by the scaled forward recursion; write the filter's state to `good`.

    Parameters
    ----------
    first_kind : kind of the first run, 0 (decoded) or 1 (erased); kinds alternate
    length_index : [n_runs], which of the lengths in `powers` each run has
    start : [2], stationary probability of the good and the bad state
    steps : [2, 2, 2], per kind, probability to move from state to state and then emit a slot of that kind
    powers, log_scale : [2, n_lengths, 2, 2], [2, n_lengths]
        By kind and length of a run: the step's power of length - 1, from `matrix_powers`.
    good : [n_runs], written
        Probability of the good state in the first slot of each run, given that slot and all before it.
    """
    kind = first_kind
    # The stationary law is moved one step before the first slot, which does not change it.
    in_good, in_bad = start[0], start[1]
    total = 0.0
    for run in range(len(length_index)):
        step, power = steps[kind], powers[kind, length_index[run]]
        in_good, in_bad = (
            in_good * step[0, 0] + in_bad * step[1, 0],
            in_good * step[0, 1] + in_bad * step[1, 1],
        )
        mass = max(in_good + in_bad, 1e-300)
        in_good, in_bad = in_good / mass, in_bad / mass
        good[run] = in_good
        total += log(mass) + log_scale[kind, length_index[run]]
        in_good, in_bad = (
            in_good * power[0, 0] + in_bad * power[1, 0],
            in_good * power[0, 1] + in_bad * power[1, 1],
        )
        mass = max(in_good + in_bad, 1e-300)
        in_good, in_bad = in_good / mass, in_bad / mass
        total += log(mass)
        kind = 1 - kind
    return total
