"""Means and their intervals as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tmt.results.statistics import Interval


def interval_text(interval: Interval, *, signed: bool = False) -> str:
    """Return a mean with half of its interval, such as ``178 ±20``; the mean alone without an interval."""
    sign = "+" if signed else ""
    if math.isnan(interval.low):
        return f"{interval.mean:{sign}.4g}"
    # Two digits of the half width; further ones are meaningless.
    size = math.floor(math.log10(interval.half_width)) if interval.half_width > 0 else 1
    digits = min(max(0, 1 - size), 6)
    return f"{interval.mean:{sign}.{digits}f} ±{interval.half_width:.{digits}f}"


def three_digits(value: float, *, signed: bool = False) -> str:
    """Return a number of three digits without an exponent where it is large: ``1,270`` and not 1.27e+03."""
    return f"{float(f'{value:.3g}'):{'+' if signed else ''},.15g}"
