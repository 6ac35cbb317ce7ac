"""Means and differences of chosen runs of a campaign, for tables across its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from tmt.results.measures import numbers_of, possible
from tmt.results.statistics import Interval, paired_difference, t_interval
from tmt.results.values import interval_fields

Values = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def chosen(runs: pd.DataFrame, **place: object) -> pd.DataFrame:
    """Return the runs whose columns have these values, seed by seed."""
    found = np.ones(len(runs), dtype=bool)
    for column, value in place.items():
        found &= (runs[column].isna() if value is None else runs[column] == value).to_numpy(dtype=bool)
    return runs[found].sort_values("seed")


def interval(runs: pd.DataFrame, column: str, scale: float = 1.0) -> Interval:
    """Return the mean of `scale` times a column over runs, with its 95 % interval."""
    return possible(t_interval(numbers_of(runs, column) * scale), column, scale)


def means(runs: pd.DataFrame, places: Mapping[str, str], columns: Iterable[str]) -> pd.DataFrame:
    """Return the number of runs, and means and 95 % intervals of columns, a row for each place.

    `places` are the columns that identify a place, by their heads.
    """
    rows = []
    for place, own in runs.groupby([*places.values()], sort=False):
        row = dict(zip(places, place, strict=True)) | {"runs": len(own)}
        for column in columns:
            row |= interval_fields(interval(own, column), column)
        rows.append(row)
    return pd.DataFrame(rows)


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
