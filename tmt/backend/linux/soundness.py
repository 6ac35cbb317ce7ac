"""Signs in the kernel's counters that a result is the simulated machine's and not the link's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.backend.records import COUNTERS, Counters

if TYPE_CHECKING:
    from pathlib import Path

US_PER_S = 1_000_000
MACHINE_SIGNS = {
    "memory_pressures": "TCP came under memory pressure",
    "receive_queue_drops": "a receiver dropped segments for want of memory",
    "receive_queue_prunes": "a receiver pruned its queue for want of memory",
}
"""Counters of the whole kernel that are 0 in a sound run, and their meaning."""


def reason_to_doubt(directory: Path, flows: int) -> str | None:
    """Return the reason why the result of a run is not the link's; None: it is sound."""
    counters = Counters(directory / COUNTERS)
    for name, meaning in MACHINE_SIGNS.items():
        if counters(name):
            return f"{meaning} ({counters(name)} times)"
    for flow in range(flows):
        limited_us = counters(f"flow_{flow}_rwnd_limited_us")
        if limited_us:
            return f"the receive buffer limited flow {flow} for {limited_us / US_PER_S:g} s"
    return None
