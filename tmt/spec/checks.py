"""Checks of settings that experiments and emulations share."""

from __future__ import annotations

from tmt.core.errors import UsageError

MAX_PACKETS = 2**31 - 1
"""Most packets that ns-2 counts in a queue or a window."""


def check_hold(hold_ns: int | None, in_order: bool) -> None:
    """Refuse a hold time where nothing is held (UsageError)."""
    if hold_ns is not None and not in_order:
        raise UsageError("a hold time is given, which means something only with delivery in order")
