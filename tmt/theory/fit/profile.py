"""Intervals from the likelihood along one parameter, for the Gilbert-Elliott channel.

An interval holds the values of a parameter at which the likelihood, maximised over the others, stays within
the chi-square bound of its maximum (Venzon and Moolgavkar, Applied Statistics 37, 1988). An interval includes
0 or 1 if the data do not exclude them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from tmt.theory.fit.estimates import NORMAL_QUANTILE, Estimate
from tmt.theory.fit.gilbert_elliott import EDGE, PARAMETERS, channel_of, whitening

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray
    from tmt.theory.fit.gilbert_elliott import Axes, Maximum
    from tmt.theory.fit.likelihood import RunLikelihood


def intervals(likelihood: RunLikelihood, maximum: Maximum) -> dict[str, Estimate]:
    """Return the estimates with their profile-likelihood intervals, by name."""
    profile = _Profile(likelihood, maximum)
    return {
        name: Estimate(getattr(maximum.channel, name), profile.limit(i, -1), profile.limit(i, +1))
        for i, name in enumerate(PARAMETERS)
    }


class _Profile:
    """The likelihood along one parameter, maximised over the others."""

    def __init__(self, likelihood: RunLikelihood, maximum: Maximum) -> None:
        self._likelihood, self._maximum = likelihood, maximum

    def limit(self, axis: int, direction: int) -> float:
        """Return the end of the interval of parameter `axis`, below (-1) or above (+1) the estimate."""
        best, top = self._maximum.logits, self._maximum.log_likelihood
        others = np.array([i for i in self._maximum.free if i != axis])
        near = float(best[axis])
        if abs(near) >= EDGE:
            if np.sign(near) == direction:
                return float(direction > 0)
            near, step = float(np.copysign(12.0, near)), 2.0
        else:
            step = NORMAL_QUANTILE * self._deviation(axis)
        point, inside, inside_root, shortest = best, near, 0.0, step / 4
        while True:
            far = float(np.clip(inside + direction * step, -EDGE, EDGE))
            point = self._follow(point, axis, far, others)
            root = np.sqrt(max(0.0, 2 * (top - self._at(point))))
            if root >= NORMAL_QUANTILE:
                break
            if abs(far) >= EDGE:
                return float(direction > 0)
            # The root of the drop is nearly proportional to the distance: step a little beyond the bound.
            aim = step * (1.05 * NORMAL_QUANTILE - root) / max(root - inside_root, 0.2)
            step = min(4.0, max(shortest, aim))
            inside, inside_root = far, root
        for _ in range(12):
            if root - inside_root < 1e-9 or abs(far - inside) < 1e-9:
                break
            share = (NORMAL_QUANTILE - inside_root) / (root - inside_root)
            middle = inside + (far - inside) * min(max(share, 0.05), 0.95)
            point = self._follow(point, axis, middle, others)
            height = np.sqrt(max(0.0, 2 * (top - self._at(point))))
            if abs(height - NORMAL_QUANTILE) < 0.01:
                return float(expit(middle))
            if height < NORMAL_QUANTILE:
                inside, inside_root = middle, height
            else:
                far, root = middle, height
        return float(expit((inside + far) / 2))

    def _deviation(self, axis: int) -> float:
        position = int(np.flatnonzero(self._maximum.free == axis)[0])
        covariance = whitening(self._maximum.information) @ whitening(self._maximum.information).T
        return float(np.clip(np.sqrt(covariance[position, position]), 1e-4, 1.5))

    def _at(self, point: FloatArray) -> float:
        return self._likelihood(channel_of(point))

    def _follow(self, point: FloatArray, axis: int, value: float, others: Axes) -> FloatArray:
        """Return the best point with parameter `axis` at `value`, searched from `point` over the others."""
        moved = point.copy()
        moved[axis] = value
        if len(others) == 0:
            return moved
        kept = np.isin(self._maximum.free, others)
        white = whitening(self._maximum.information[np.ix_(kept, kept)])

        def place(part: FloatArray) -> FloatArray:
            placed = moved.copy()
            placed[others] = np.clip(moved[others] + white @ part, -EDGE + 1e-6, EDGE - 1e-6)
            return placed

        def fall(part: FloatArray) -> float:
            return -self._at(place(part))

        start: FloatArray = np.zeros(len(others))
        options: Any = {"gtol": 0.05, "eps": 1e-4, "maxiter": 60}
        found = minimize(fall, start, method="BFGS", options=options)
        return place(found.x)
