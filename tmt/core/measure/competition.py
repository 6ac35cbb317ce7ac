"""Competing groups of flows: their shares of the delivered data, and the time until the shares are steady.

Flows compete in their *common time*, in which all of them are active. Its data are the payload bytes handed
to the receiving applications, in order, each byte once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.measure.transport import jain_index
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.measure.transport import FlowDelivery
    from tmt.core.trace import Int64Array

WINDOW_RTTS = 20
"""Length of a window, in the longest RTT of the flows."""

LEAST_WINDOW_NS = NS_PER_S

FEWEST_WINDOWS = 4
"""Fewest windows of a common time for a steady share."""

TOLERANCE = 0.1
"""Greatest difference between a steady share and its final value, as a part of the total."""


@dataclass(frozen=True, slots=True)
class Competition:
    """Results of competing groups of flows in their common time.

    Attributes
    ----------
    begin_ns, end_ns : the common time
    fairness : Jain's index of the flows' goodputs in it; None when nothing was delivered
    shares : [n_groups], each group's part of the data; None when nothing was delivered
    convergence_ns : [n_groups]
        From the start until the group's share is steady; None where it never is, or the time is too short.
    """

    begin_ns: int
    end_ns: int
    fairness: float | None
    shares: list[float | None]
    convergence_ns: list[int | None]

    @property
    def slowest_ns(self) -> int | None:
        """Time until the shares of all groups are steady; None when one of them never is."""
        known = [one for one in self.convergence_ns if one is not None]
        return max(known) if len(known) == len(self.convergence_ns) else None


def competition(groups: Sequence[Sequence[FlowDelivery]], rtt_ns: int) -> Competition | None:
    """Compare groups of flows, each with at least one; `rtt_ns` is the longest RTT of a flow.

    Windows of `WINDOW_RTTS` RTTs, at least `LEAST_WINDOW_NS`, follow each other from the start of the common
    time. The final share of a group is its share in the windows of the second half. Its share is steady from
    the first window after which no window's share differs from the final one by more than `TOLERANCE`; if one
    does in the second half, it never is. A window without data is ignored. The convergence of the flows'
    rates and a margin around the final one follow RFC 5166 (section 2.5) and PCC (Dong et al., NSDI 2015,
    section 4.2). The shares need not be fair.

    None with fewer than two groups, or without a time in which all flows are active.
    """
    flows = [flow for group in groups for flow in group]
    starts = [flow.start_ns for flow in flows if flow.start_ns is not None]
    if len(groups) < 2 or len(starts) < len(flows):
        return None
    begin_ns, end_ns = max(starts), min(flow.stop_ns for flow in flows)
    if begin_ns >= end_ns:
        return None
    window_ns = max(WINDOW_RTTS * rtt_ns, LEAST_WINDOW_NS)
    windows = (end_ns - begin_ns) // window_ns
    edges_ns = begin_ns + window_ns * np.arange(windows + 1)
    per_flow = np.array([_delivered(flow, np.array([begin_ns, end_ns])).sum() for flow in flows])
    sizes = np.cumsum([len(group) for group in groups])[:-1]
    total = int(per_flow.sum())
    shares = [int(own.sum()) / total if total else None for own in np.split(per_flow, sizes)]
    in_windows = np.array([sum(_delivered(flow, edges_ns) for flow in group) for group in groups])
    return Competition(
        begin_ns,
        end_ns,
        jain_index(per_flow.astype(np.float64)),
        shares,
        [None if steady is None else steady * window_ns for steady in _steady_from(in_windows)],
    )


def _delivered(flow: FlowDelivery, edges_ns: Int64Array) -> Int64Array:
    """Return the bytes that reached the application in each interval, [n_edges - 1]; an interval includes its
    start.
    """
    before = np.concatenate([[0], np.cumsum(flow.payload_bytes)])
    found: Int64Array = np.diff(before[np.searchsorted(flow.in_order_ns, edges_ns)])
    return found


def _steady_from(delivered: Int64Array) -> list[int | None]:
    """Return for each group the first window of its steady share; a row holds a group's bytes by window."""
    groups, windows = delivered.shape
    half, totals = windows // 2, delivered.sum(axis=0)
    final_total = totals[half:].sum()
    if windows < FEWEST_WINDOWS or not final_total:
        return [None] * groups
    found: list[int | None] = []
    for own in delivered:
        final = own[half:].sum() / final_total
        away = np.flatnonzero(np.abs(own - final * totals) > TOLERANCE * totals)
        steady = int(away[-1]) + 1 if len(away) else 0
        found.append(steady if steady <= half else None)
    return found
