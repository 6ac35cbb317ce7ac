"""Means and differences of chosen runs, for tables across the cells of a campaign, and of runs of scripts."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.campaign.columns import DONE
from tmt.core.errors import InputError
from tmt.results.statistics import Interval, paired_difference, t_interval
from tmt.results.values import numbers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import pandas as pd

    from tmt.run.ns2.script import ScriptFigures

Values = tuple["npt.NDArray[np.float64]", "npt.NDArray[np.float64]"]


def chosen(runs: pd.DataFrame, **place: object) -> pd.DataFrame:
    """Return the runs whose columns have these values, seed by seed."""
    found = np.ones(len(runs), dtype=bool)
    for column, value in place.items():
        found &= (runs[column].isna() if value is None else runs[column] == value).to_numpy(dtype=bool)
    return runs[found].sort_values("seed")


def interval(runs: pd.DataFrame, column: str, scale: float = 1.0) -> Interval:
    """Return the mean of `scale` times a column over runs, with its 95 % interval."""
    return t_interval(numbers_of(runs, column) * scale)


def difference(own: pd.DataFrame, other: pd.DataFrame, column: str, scale: float = 1.0) -> Interval:
    """Return the mean difference, own minus other, on the seeds that both have."""
    first, second = _paired(own, other, column)
    return paired_difference(first * scale, second * scale)[0]


def relative_difference(own: pd.DataFrame, other: pd.DataFrame, column: str) -> Interval:
    """Return the mean difference on the seeds that both have, as a share of the other's mean."""
    first, second = _paired(own, other, column)
    return paired_difference(first / second.mean(), second / second.mean())[0]


def change(own: pd.DataFrame, other: pd.DataFrame, column: str) -> Interval:
    """Return the mean of the relative differences, seed by seed; seeds without both values do not count."""
    first, second = _paired(own, other, column)
    return t_interval(first / second - 1.0)


def _paired(own: pd.DataFrame, other: pd.DataFrame, column: str) -> Values:
    """Return a column of both, on the seeds that both have."""
    pairs = own[["seed", column]].merge(other[["seed", column]], on="seed", suffixes=("_own", "_other"))
    return numbers_of(pairs, f"{column}_own"), numbers_of(pairs, f"{column}_other")


@dataclass(frozen=True, slots=True)
class PointRuns:
    """The figures of one point's runs, in the order of their seeds."""

    figures: tuple[ScriptFigures, ...]

    def values(self, measure: str | Callable[[ScriptFigures], float]) -> list[float]:
        """Return a figure by its name, or a measure of the figures, of each run."""
        take = (lambda figures: figures[measure]) if isinstance(measure, str) else measure
        return [take(figures) for figures in self.figures]

    def interval(self, measure: str | Callable[[ScriptFigures], float]) -> Interval:
        """Return the mean of a measure over the seeds, with its 95 % interval."""
        return t_interval(self.values(measure))

    def mean(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the mean of a measure over the seeds."""
        return self.interval(measure).mean

    def standard_deviation(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the standard deviation of a measure over the seeds; 0 for one seed."""
        values = self.values(measure)
        return statistics.stdev(values) if len(values) > 1 else 0.0


def read_figures(folder: Path, rows: pd.DataFrame) -> list[ScriptFigures]:
    """Return the figures of each row of a campaign of scripts.

    Raises
    ------
    InputError
        When a run has failed.
    """
    for _, row in rows[rows["status"] != DONE].iterrows():
        run = f"{row['script']} {row['script_settings']}, seed {row['seed']}"
        said = ": ".join(str(row["message"]).splitlines())
        raise InputError(folder, f"{run}: {row['status']}: {said}")
    return [json.loads(text) for text in rows["script_figures"]]


def by_point(figures: Sequence[ScriptFigures], seeds: int) -> list[PointRuns]:
    """Return the runs of each point, whose seeds follow each other."""
    return [PointRuns(tuple(figures[i : i + seeds])) for i in range(0, len(figures), seeds)]
