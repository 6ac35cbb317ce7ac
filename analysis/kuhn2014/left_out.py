"""Numbers of the paper that are left out of the fit and predicted.

The fit is linear: each published number changes with each free parameter of the channel by a slope, which
comes from runs with other values over the same courses. The free parameters are chosen so that the squares of
the relative deviations are least; none goes further from the page's value than in these runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import lsq_linear

from analysis.kuhn2014.published import Compared
from analysis.kuhn2014.readings import AS_HERE

Array = npt.NDArray[np.float64]

FREE = {
    "Distribution": ("spacing_ns", "spacing_spread", "crown_ns", "crown_error", "trunk_ns"),
    "Internet": (
        "code_threshold_db",
        "code_width_db",
        "slow_psi_db",
        "los_psi_db",
        "los_mp_db",
        "los_to_deep",
        "deep_to_los",
    ),
}
"""Parameters of each channel that the fit varies here."""

FITTED = {
    "Distribution": ("retransmission_ratio", "delay_p85_s", "delay_p99_s"),
    "Internet": ("goodput_bps", "completion_s"),
}
"""Measures whose published numbers each channel is fitted to."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A published number; deviations of ours: on the page, after a fit to all, and after one without it."""

    line: Compared
    refitted: float
    left_out: float


def left_out(lines: Sequence[Compared], readings: pd.DataFrame, channel: str) -> list[LeftOut]:
    """Return the prediction for each number of a channel by the fit without it.

    The slopes come from the rows of `readings` that change a free parameter.
    """
    chosen = [line for line in lines if _counts(line, channel)]
    slopes = _slopes(chosen, readings, FREE[channel])
    deviations = np.array([line.deviation for line in chosen])
    everything = _fit(slopes, deviations)
    found = []
    for number, line in enumerate(chosen):
        others = np.arange(len(chosen)) != number
        without = _fit(slopes[others], deviations[others])
        at = deviations[number] + slopes[number] @ np.column_stack([everything, without])
        found.append(LeftOut(line, float(at[0]), float(at[1])))
    return found


def rms(values: Sequence[float]) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def _counts(line: Compared, channel: str) -> bool:
    """Whether a number takes part; of table 3 CUBIC's alone, which the other variants' times follow."""
    value = line.value
    if not value.scenario.startswith(channel) or value.measure not in FITTED[channel]:
        return False
    return value.tcp == "cubic" or (value.tcp == "hybla" and value.measure != "completion_s")


def _slopes(lines: Sequence[Compared], readings: pd.DataFrame, free: Sequence[str]) -> Array:
    """Return the slope of each deviation in each parameter, by the parameter's largest step."""
    slopes = np.zeros((len(lines), len(free)))
    for column, parameter in enumerate(free):
        changed = readings[readings["parameter"] == parameter]
        largest = changed["step"].abs().max()
        for row, line in enumerate(lines):
            steps, changes = _changes(line, changed, readings)
            slopes[row, column] = largest * (steps @ changes) / (steps @ steps)
    return slopes


def _changes(line: Compared, changed: pd.DataFrame, readings: pd.DataFrame) -> tuple[Array, Array]:
    """Return the steps of a parameter, and by how much each changes ours over the paper's number."""
    value = line.value
    place = ["scenario", "es_n0_db", "tcp", "scheme"]
    wanted = [getattr(value, name) for name in place]

    def at(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[(rows[place] == wanted).all(axis=1)].dropna(subset=[value.measure])

    here = at(readings[readings["reading"] == AS_HERE])[value.measure].item()
    found = at(changed)
    return found["step"].to_numpy(float), ((found[value.measure] - here) / value.value).to_numpy(float)


def _fit(slopes: Array, deviations: Array) -> Array:
    """Return the steps of the free parameters, as shares of the largest, that leave the least squares."""
    fitted: Array = lsq_linear(slopes, -deviations, bounds=(-1.0, 1.0)).x
    return fitted
