"""Shares and counts as text, and units in which values are shown, chosen by the greatest value among them."""

from __future__ import annotations


def rate_unit(greatest_bps: float) -> tuple[str, float]:
    """Return the unit in which rates are shown, and its factor from bit/s."""
    return ("Mbit/s", 1e-6) if greatest_bps >= 2e6 else ("kbit/s", 1e-3)


def time_unit(greatest_s: float) -> tuple[str, float]:
    """Return the unit in which times are shown, and its factor from seconds."""
    return ("ms", 1e3) if greatest_s < 2 else ("s", 1.0)


def percent(share: float) -> str:
    """Return a share in percent with two digits."""
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.3g} %"


def counted(number: int, what: str) -> str:
    """Return a number with its noun, as in ``1 run`` and ``2 runs``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
