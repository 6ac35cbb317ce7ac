"""A replay over time on the terminal: capacity, goodput, delay, queue, window and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.cli.bar_panels import Marks, Panel, columns_in, draw, stdout_encoding
from tmt.core.words.display_units import rate_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.measure.transport_timeline import Timeline
    from tmt.run.measure import ExperimentResult


def over_time(result: ExperimentResult, width: int) -> list[str]:
    """Return the lines of a replay over time, at most `width` characters each."""
    columns = columns_in(width)
    found = result.timeline(bins=columns, samples=columns)
    return draw(_panels(found, columns), float(found.edges_s[-1]), stdout_encoding())


def _panels(found: Timeline, columns: int) -> Iterator[Panel | Marks]:
    flows = len(found.goodput_bps)
    of_flows = f" of {flows} flows" if flows > 1 else ""
    goodput = found.goodput_bps.sum(axis=0)
    rates = [goodput] if found.capacity_bps is None else [goodput, found.capacity_bps]
    top = float(max(rate.max() for rate in rates))
    unit, scale = rate_unit(top)
    if found.capacity_bps is not None:
        yield Panel(f"capacity of the link, {unit}", found.capacity_bps * scale, top * scale)
    yield Panel(f"goodput{of_flows}, {unit}", goodput * scale, top * scale)
    yield Panel("one-way delay, median, ms", found.delay_s[1] * 1e3)
    if found.queue_packets is not None:
        yield Panel("queue, greatest length, packets", found.queue_packets[2])
    yield Panel(f"congestion window{of_flows}, segments", np.nansum(found.cwnd_packets, axis=0))
    for title, times_s in (
        ("packets lost on the link", found.link_lost_s),
        ("packets dropped by the queue", found.queue_dropped_s),
    ):
        counts, _ = np.histogram(times_s, found.edges_s)
        yield Marks(title, counts.tolist())
