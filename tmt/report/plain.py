"""Values as JSON and readers have them: no NaN, no NumPy types, five significant digits."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tmt.metrics.statistics import Interval

NO_VALUE = "n/a"


def digits(value: float) -> float | None:
    """Return a number with five significant digits, or None for what JSON cannot say."""
    return float(f"{value:.5g}") if math.isfinite(value) else None


def bounds(interval: Interval) -> list[float | None]:
    """Return mean, low and high of an interval."""
    return [digits(interval.mean), digits(interval.low), digits(interval.high)]


def rounded(data: Sequence[Any]) -> list[Any]:
    """Return nested lists of numbers with six significant digits."""
    return [rounded(item) if isinstance(item, list) else float(f"{item:.6g}") for item in data]


def plain(value: Any) -> str | int | float | None:
    """Return a table's value: None, flag as on or off, integer, float of five digits, or text."""
    if value is None or value != value or str(value) == "<NA>":  # noqa: PLR0124  (NaN is what differs from itself)
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return digits(value)
    return value if isinstance(value, int) else str(value)


def texts(values: Iterable[Any]) -> list[str]:
    """Return values as a reader sees them in a table."""
    return [NO_VALUE if (kept := plain(value)) is None else _text(kept) for value in values]


def slug(text: str) -> str:
    """Return text as a part of a file's name: at most 60 ASCII letters, digits and hyphens."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "unnamed"


def _text(value: str | float) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)
