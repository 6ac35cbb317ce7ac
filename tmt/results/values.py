"""Values as JSON and readers have them: no NaN, no NumPy types, five significant digits."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.results.statistics import Interval

NO_VALUE = "n/a"


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
    return [NO_VALUE if (kept := scalar(value)) is None else _text(kept) for value in values]


def slug(text: str) -> str:
    """Return text as a part of a file's name: at most 60 ASCII letters, digits and hyphens."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "unnamed"


def _text(value: str | float) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
