"""Text of the tables of docs/ntn.md."""

from __future__ import annotations

from analysis.ntn.contenders import ORBITS


def orbit_heads() -> list[str]:
    """Return the names of the orbits with their round trips."""
    return [f"{orbit}, {rtt_ms} ms" for orbit, rtt_ms in ORBITS.values()]


def joined_names(names: list[str]) -> str:
    """Return names joined by "or", the first of many alone."""
    return " or ".join(names) if len(names) <= 3 else f"{names[0]} or one of {len(names) - 1} others"
