"""Checks of settings that experiments and emulations share."""

from __future__ import annotations

from tmt.errors import UsageError

MAX_PACKETS = 2**31 - 1
"""Most packets that ns-2 counts in a queue or a window."""


def check_range(name: str, value: float, least: float, most: float) -> None:
    """Refuse what is no number from `least` to `most` (UsageError)."""
    # Written so that NaN is refused as well.
    if isinstance(value, bool) or not least <= value <= most:
        raise UsageError(f"{name} is {value}, must be from {least:.15g} to {most:.15g}")


def check_hold(hold_ns: int | None, in_order: bool) -> None:
    """Refuse a hold time where nothing is held (UsageError)."""
    if hold_ns is not None and not in_order:
        raise UsageError("a hold time is given, which means something only with delivery in order")
