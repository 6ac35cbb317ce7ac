"""Results that charts and tables show: labels, units that suit their size, and possible values."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tmt.core.words.values import rate_unit, time_unit
from tmt.results.values import WITH_GROUPS
from tmt.spec.settings import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd

    from tmt.results.statistics import Interval


def numbers_of(runs: pd.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """Return a column as floats, NaN where it has no value."""
    values = runs[column]
    if values.dtype.kind not in "iuf":
        values = values.astype("Float64")
    return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))


@dataclass(frozen=True, slots=True)
class Measure:
    """A result column as a chart shows it: `scale` times the column's value is in `unit`.

    `better` is "more" or "less" for a measure with a preferred direction, else empty.
    """

    column: str
    label: str
    better: Literal["more", "less", ""]
    unit: str
    scale: float

    @property
    def is_compared(self) -> bool:
        """Whether paired differences are tested: the main measures, and those of programs that ask for it."""
        return self.column in COMPARED or (self.column.startswith(OF_PROGRAM) and bool(self.better))

    def of(self, runs: pd.DataFrame) -> npt.NDArray[np.float64]:
        """Return the measure of each run in its unit, NaN where it has no value."""
        return numbers_of(runs, self.column) * self.scale


SHOWN: tuple[tuple[str, str, Literal["more", "less", ""]], ...] = (
    ("goodput_bps", "Goodput", "more"),
    ("delay_median_s", "Median delay", "less"),
    ("delay_p95_s", "95th percentile of delay", "less"),
    ("delay_p99_s", "99th percentile of delay", "less"),
    ("completion_s", "Transfer time", "less"),
    ("retransmission_ratio", "Retransmissions", "less"),
    ("timeouts", "Timeouts", "less"),
    ("cwnd_mean_packets", "Mean congestion window", ""),
    ("forward_utilisation", "Use of the link", "more"),
    ("forward_link_lost", "Packets lost on the link", "less"),
    ("forward_queue_dropped", "Packets dropped by the queue", "less"),
    ("fairness", "Fairness (Jain)", "more"),
    ("share", "Share of the group", ""),
    ("harm", "Harm to goodput", "less"),
    ("harm_delay", "Harm to the 95th percentile of delay", "less"),
    ("convergence_s", "Convergence", "less"),
)

LABELS = {column: label for column, label, _ in SHOWN}

COMPARED = ("goodput_bps", "delay_p95_s", "completion_s")
"""Columns whose paired differences are tested."""

OF_PROGRAM = "measure."
"""Prefix of the columns that hold what programs reported."""

_SHARES = ("retransmission_ratio", "forward_utilisation", "share", "harm", "harm_delay")

_RANGES = dict.fromkeys(("fairness", *_SHARES), (0.0, 1.0)) | dict.fromkeys(
    ("harm", "harm_delay"), (-math.inf, 1.0)
)
"""Bounds of columns, if they differ from 0 and infinity."""


def possible(interval: Interval, column: str, scale: float = 1.0) -> Interval:
    """Return the interval of `scale` times a column's mean, cut at the bounds of possible means.

    Measures of programs may have any value.
    """
    least = -math.inf if column.startswith(OF_PROGRAM) else 0.0
    least, most = _RANGES.get(column, (least, math.inf))
    return interval.within(scale * least, scale * most)


def measures(*runs: pd.DataFrame) -> list[Measure]:
    """Return the measures for which a run of any table has a value, in units that suit their size."""
    found = [
        Measure(column, label, better, *_unit_for(column, runs))
        for column, label, better in SHOWN
        if any(column in table and table[column].notna().any() for table in runs)
    ]
    return found + _of_programs(runs)


def _of_programs(tables: Sequence[pd.DataFrame]) -> list[Measure]:
    said: dict[str, dict[str, Any]] = {}
    for table in tables:
        for text in table["measures"].dropna().unique() if "measures" in table else ():
            for name, one in json.loads(text).items():
                if one["value"] is not None:
                    said.setdefault(name, one)
    found = []
    for name, one in said.items():
        column, unit = f"{OF_PROGRAM}{name}", one["unit"]
        label = name.removesuffix(ENDINGS.get(unit, "")).replace("_", " ")
        found.append(Measure(column, label, one["better"], *_scaled(unit, _largest(column, tables))))
    return found


def with_measures(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with a column for each number that programs reported, NaN where it is missing."""
    if "measures" not in runs or not runs["measures"].notna().any():
        return runs
    said = [json.loads(text) if isinstance(text, str) else {} for text in runs["measures"]]
    names = dict.fromkeys(name for one in said for name in one)
    values = {f"{OF_PROGRAM}{name}": [(one.get(name) or {}).get("value") for one in said] for name in names}
    return runs.assign(**{column: np.array(own, dtype=np.float64) for column, own in values.items()})


def delay_unit(*runs: pd.DataFrame) -> tuple[str, float]:
    """Return the unit in which all delays are shown, and its scale from seconds."""
    return _unit_for("delay_p99_s", runs)


def _unit_for(column: str, tables: Sequence[pd.DataFrame]) -> tuple[str, float]:
    column = "delay_p99_s" if column.startswith("delay_") else column
    return unit_of(column, _largest(column, tables))


def unit_of(column: str, largest: float) -> tuple[str, float]:
    """Return unit and scale that suit the largest value of a column."""
    return ("%", 100.0) if column in _SHARES else _scaled(WITH_GROUPS[column].unit, largest)


def _scaled(unit: str, largest: float) -> tuple[str, float]:
    if unit not in {"bit/s", "s"}:
        return unit, 1.0
    return rate_unit(largest) if unit == "bit/s" else time_unit(largest)


def _largest(column: str, tables: Sequence[pd.DataFrame]) -> float:
    values = [abs(table[column].dropna()) for table in tables if column in table]
    return max((float(one.max()) for one in values if len(one)), default=math.nan)
