"""Values for tables, JSON and readers: no NaN, no NumPy types, units that suit their size."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.campaign.columns import COLUMNS as CAMPAIGN_COLUMNS
from tmt.spec.columns import GROUP_RESULTS, ColumnFamily

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.results.statistics import Interval

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
