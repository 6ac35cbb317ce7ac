"""Conversion of seconds (input and output) to integer nanoseconds (inside); units in columns' names."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation, Overflow

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
MAX_TIME_NS = 2**62
"""Upper bound of a trace's times (146 years), so that sums of two times fit an int64."""
_UNIT = re.compile(
    r"(?<![a-z])(?:(?P<ms>ms|msec|millis\w*)|(?P<us>us|usec|[\u00b5\u03bc]s)|(?P<ns>ns|nsec)|(?P<min>min|minutes?)"
    r"|(?P<h>h|hours?))\W*$",
    re.IGNORECASE,
)


def seconds_to_ns(seconds: str | float | Decimal) -> int:
    """Convert a time in seconds to nanoseconds, rounded half to even.

    Text is converted exactly, digit by digit; a float by its shortest decimal form: ``0.1`` means one tenth.
    ValueError when `seconds` is not a finite number or exceeds `MAX_TIME_NS` in magnitude.
    """
    try:
        value = Decimal(str(seconds).strip()) * NS_PER_S
    except InvalidOperation:
        raise ValueError(f"{seconds!r} is not a time in seconds") from None
    except Overflow:
        raise ValueError(f"{seconds} s is beyond {MAX_TIME_NS // NS_PER_S} s") from None
    if not value.is_finite():
        raise ValueError(f"{seconds!r} is not a finite time")
    if abs(value) > MAX_TIME_NS:
        raise ValueError(f"{seconds} s is beyond {MAX_TIME_NS // NS_PER_S} s")
    return int(value.to_integral_value())


def seconds_text(time_ns: int) -> str:
    """Write a time in seconds exactly, in plain digits."""
    return f"{Decimal(time_ns) / NS_PER_S:f}"


def ns_to_seconds(nanoseconds: int) -> float:
    """Convert nanoseconds to seconds for output; arithmetic on times uses nanoseconds."""
    return nanoseconds / NS_PER_S


def unit_in(name: str) -> str:
    """Return the unit at the end of a column's name: ms, us, ns, min or h; empty without one."""
    found = _UNIT.search(name)
    return found.lastgroup or "" if found else ""
