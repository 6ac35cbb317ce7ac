"""Values for tables, JSON and readers: no NaN, no NumPy types, units that suit their size."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from tmt.campaign.columns import COLUMNS as CAMPAIGN_COLUMNS
from tmt.core.words.values import rate_unit, time_unit
from tmt.spec.columns import ENDINGS, GROUP_RESULTS, ColumnFamily

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tmt.results.statistics import Interval

    Codes = npt.NDArray[np.intp]

NO_VALUE = "n/a"

_NO_BASE = "for flows alone, and where no run has them alone"

OF_GROUPS = (
    ColumnFamily("scenario").text("beside", "the other groups of the run, or alone"),
    ColumnFamily("delivery", null=_NO_BASE).number(
        "harm", "goodput that the other groups take / goodput alone"
    ),
    ColumnFamily("delay", null=_NO_BASE).number(
        "harm_delay", "95th percentile of delay that the other groups add / that beside them"
    ),
)
"""Columns of groups that depend on other runs, too (`tmt.results.groups`)."""

COLUMNS = {column.name: column for column in CAMPAIGN_COLUMNS}

WITH_GROUPS = {column.name: column for column in (*OF_GROUPS, *GROUP_RESULTS)} | COLUMNS
"""Columns of runs, and of the rows of groups of flows."""


def digits(value: float, count: int = 5) -> float | None:
    """Return a number with `count` significant digits, or None for NaN and infinity."""
    return float(f"{value:.{count}g}") if math.isfinite(value) else None


def bounds(interval: Interval) -> list[float | None]:
    """Return mean, low and high of an interval."""
    return [digits(interval.mean), digits(interval.low), digits(interval.high)]


def interval_fields(interval: Interval, name: str = "") -> dict[str, float | None]:
    """Return mean, low and high as fields of a row: under these names, or NAME, NAME_low and NAME_high."""
    names = (name, f"{name}_low", f"{name}_high") if name else ("mean", "low", "high")
    return dict(zip(names, bounds(interval), strict=True))


def interval_text(interval: Interval, *, signed: bool = False, places: int | None = None) -> str:
    """Return a mean with its interval, such as ``178 ±20``; the mean alone without an interval.

    An interval that ends at a bound of the quantity is written as ``3.6 [0.0, 7.9]``. `places` is the number
    of decimals; by default the half width has two digits, or the mean four if the half width is 0.
    """
    sign = "+" if signed else ""
    if math.isnan(interval.low):
        return f"{interval.mean:{sign}.4g}" if places is None else f"{interval.mean:{sign}.{places}f}"
    if places is None and interval.half_width > 1e-9 * abs(interval.mean):
        # Further digits are meaningless.
        places = min(max(0, 1 - math.floor(math.log10(interval.half_width))), 6)
    elif places is None:
        _, _, decimals = f"{float(f'{interval.mean:.4g}'):f}".rstrip("0").partition(".")
        places = len(decimals)
    mean = f"{interval.mean:{sign}.{places}f}"
    if interval.is_symmetric:
        return f"{mean} ±{interval.half_width:.{places}f}"
    return f"{mean} [{interval.low:.{places}f}, {interval.high:.{places}f}]"


def three_digits(value: float, *, signed: bool = False) -> str:
    """Return a large number of three digits without an exponent: ``1,270`` and not 1.27e+03."""
    return f"{float(f'{value:.3g}'):{'+' if signed else ''},.15g}"


def scalar(value: Any) -> str | int | float | None:
    """Return a value for a table: None, a flag as on or off, an integer, a float of five digits, or text."""
    if value is None or value != value or str(value) == "<NA>":  # noqa: PLR0124  (NaN differs from itself)
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return digits(value)
    return value if isinstance(value, int) else str(value)


def texts(values: Iterable[Any]) -> list[str]:
    """Return values as a table shows them."""
    kept = map(scalar, values)
    return [
        NO_VALUE if one is None else f"{one:.10g}" if isinstance(one, float) else str(one) for one in kept
    ]


def slug(text: str) -> str:
    """Return text as a part of a file's name: at most 60 ASCII letters, digits and hyphens."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "unnamed"


def numbers_of(runs: pd.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """Return a column as floats, NaN where it has no value."""
    values = runs[column]
    if values.dtype.kind not in "iuf":
        values = values.astype("Float64")
    return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))


def codes_of(values: pd.Series | npt.NDArray[Any]) -> tuple[Codes, list[Any]]:
    """Number the distinct values of a column in the order in which they appear.

    Return the index of each row's value, and the distinct values, None for missing ones.
    """
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    missing = pd.isna(distinct)
    return codes, [None if none else value for value, none in zip(distinct, missing, strict=True)]


def joined(*columns: Codes) -> Codes:
    """Number the distinct rows of columns of codes in the order in which they appear."""
    found, *others = columns
    for codes in others:
        found = pd.factorize(found * (codes.max(initial=0) + 1) + codes)[0]
    return found


def places_of(values: pd.Series, known: Sequence[Any]) -> Codes:
    """Return the index of each row's value among the known values."""
    codes, distinct = codes_of(values)
    return np.array([known.index(value) for value in distinct], dtype=np.intp)[codes]


def spread(values: Sequence[Any], codes: Codes) -> npt.NDArray[np.object_]:
    """Return the value of each row, given the distinct values and each row's index."""
    distinct = np.empty(len(values), dtype=object)
    distinct[:] = values
    return distinct[codes]


@dataclass(frozen=True, slots=True)
class Axis:
    """A column of the runs that the campaign varied besides TCP variant, scheme and seed."""

    column: str
    label: str
    unit: str
    levels: tuple[Any, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether all levels are numbers, so that a line may connect them."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.levels)

    def named(self, values: Iterable[Any]) -> list[str]:
        """Return values of this axis as text with its label and unit, such as ``Es/N0 5 dB``."""
        return [" ".join(filter(None, [self.label, text, self.unit])) for text in texts(values)]


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


_SHOWN: tuple[tuple[str, str, Literal["more", "less", ""]], ...] = (
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
    delays = delay_unit(*runs)
    found = [
        Measure(column, label, better, *(delays if column.startswith("delay_") else _unit_for(column, *runs)))
        for column, label, better in _SHOWN
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
        found.append(Measure(column, label, one["better"], *_scaled(unit, column, tables)))
    return found


def with_measures(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with a column for each number that programs reported, NaN where it is missing."""
    if "measures" not in runs or not runs["measures"].notna().any():
        return runs
    said = [{} if pd.isna(text) else json.loads(text) for text in runs["measures"]]
    names = dict.fromkeys(name for one in said for name in one)
    values = {f"{OF_PROGRAM}{name}": [(one.get(name) or {}).get("value") for one in said] for name in names}
    return runs.assign(**{column: np.array(own, dtype=np.float64) for column, own in values.items()})


def delay_unit(*runs: pd.DataFrame) -> tuple[str, float]:
    """Return the unit in which all delays are shown, and its scale from seconds."""
    return _unit_for("delay_p99_s", *runs)


def _unit_for(column: str, *runs: pd.DataFrame) -> tuple[str, float]:
    """Return unit and scale that suit the largest value of a column."""
    unit = WITH_GROUPS[column].unit
    if column in _SHARES:
        return "%", 100.0
    return _scaled(unit, column, runs)


def _scaled(unit: str, column: str, runs: Sequence[pd.DataFrame]) -> tuple[str, float]:
    if unit not in {"bit/s", "s"}:
        return unit, 1.0
    values = [abs(table[column].dropna()) for table in runs if column in table]
    largest = max((float(one.max()) for one in values if len(one)), default=math.nan)
    return rate_unit(largest) if unit == "bit/s" else time_unit(largest)
