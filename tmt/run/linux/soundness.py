"""Signs in the kernel's counters that a result is the simulated machine's and not the link's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.run.records import COUNTERS, Counters

if TYPE_CHECKING:
    from pathlib import Path

US_PER_S = 1_000_000
MOST_LATE_NS = 1000
"""A packet's arrival is at most so long after its due time; the kernel's timer itself is 1 ns late."""

MACHINE_SIGNS = {
    "memory_pressures": "TCP came under memory pressure",
    "receive_queue_drops": "a receiver dropped segments for want of memory",
    "receive_queue_prunes": "a receiver pruned its queue for want of memory",
}
"""Counters of the whole kernel that are 0 in a sound run, and their meaning."""


def reason_to_doubt(directory: Path, flows: int, *, may_limit: bool = False) -> str | None:
    """Return the reason why the result of a run is not the link's; None: it is sound.

    Parameters
    ----------
    directory
        The run's folder.
    flows
        Number of flows in both directions.
    may_limit
        Whether the receive buffer may limit a sender: somebody asked for its size.
    """
    counters = Counters(directory / COUNTERS)
    for name, meaning in MACHINE_SIGNS.items():
        if counters(name):
            return f"{meaning} ({counters(name)} times)"
    if counters("most_late_ns") > MOST_LATE_NS:
        return f"the clock jumped: a packet arrived {counters('most_late_ns')} ns after its due time"
    buffers = {"send": "sndbuf"} | ({} if may_limit else {"receive": "rwnd"})
    for flow in range(flows):
        for buffer, name in buffers.items():
            limited_us = counters(f"flow_{flow}_{name}_limited_us")
            if limited_us:
                return f"the {buffer} buffer limited flow {flow} for {limited_us / US_PER_S:g} s"
    return None
