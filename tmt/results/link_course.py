"""Capacity, lost rows and queue length over time, computed from the link trace that a run used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tmt.schema import PACKET_EVENTS
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from tmt.results.dataset import RunRecords

    FloatArray = npt.NDArray[np.float64]

MOST_ROWS = 50_000_000
"""Upper bound on the rows of a run's time; a longer course of the link is left out."""

FORWARD = 0


@dataclass(frozen=True, slots=True)
class LinkUse:
    """The rows of the forward link in simulated time.

    Attributes
    ----------
    time_ns : [n_rows], int64
        When each row is sent; the trace is repeated as often as the run repeated it.
    delivered : [n_rows], bool
    lldu_bytes
        Useful bytes of a row.
    has_queue
        Whether every data packet joins the queue when its sender sends it: there is no wired hop or proxy.
    """

    time_ns: npt.NDArray[np.int64]
    delivered: npt.NDArray[np.bool_]
    lldu_bytes: int
    has_queue: bool

    def capacity_bps(self, edges_s: FloatArray) -> FloatArray:
        """Return the useful bits per second of the delivered rows in each bin."""
        rows, _ = np.histogram(self.time_ns[self.delivered] / NS_PER_S, edges_s)
        capacity_bps: FloatArray = rows * 8.0 * self.lldu_bytes / np.diff(edges_s)
        return capacity_bps

    def lost_share(self, edges_s: FloatArray) -> FloatArray:
        """Return the share of rows that are not delivered in each bin; NaN where no row is sent."""
        rows, _ = np.histogram(self.time_ns / NS_PER_S, edges_s)
        lost, _ = np.histogram(self.time_ns[~self.delivered] / NS_PER_S, edges_s)
        share: FloatArray = np.divide(lost, rows, out=np.full(len(rows), np.nan), where=rows > 0)
        return share

    def queue_length(self, packets: npt.NDArray[np.void]) -> tuple[FloatArray, FloatArray] | None:
        """Return times in seconds and the packets in the queue from then on, the packet in service included.

        A packet takes the next rows that are neither before its arrival nor taken by the packets before it,
        and leaves with the last of them (`docs/queue.md`). None when packets reach the queue later than they
        are sent.
        """
        if not self.has_queue:
            return None
        forward = packets[packets["direction"] == FORWARD]
        dropped = forward["uid"][forward["event"] == PACKET_EVENTS.index("queue_dropped")]
        sent = forward[forward["event"] == PACKET_EVENTS.index("sent")]
        joined = sent[~np.isin(sent["uid"], dropped)]
        rows = -(-joined["size_bytes"].astype(np.int64) // self.lldu_bytes)
        taken = np.cumsum(rows)
        first = np.searchsorted(self.time_ns, joined["time_ns"])
        # Row behind a packet's last one: the latest start so far, plus the rows taken since.
        behind = np.maximum.accumulate(first - (taken - rows)) + taken
        leaves = self.time_ns[np.minimum(behind, len(self.time_ns)) - 1]
        leaves = leaves[behind <= len(self.time_ns)]
        time_ns = np.concatenate([joined["time_ns"], leaves])
        change = np.concatenate([np.ones(len(joined)), -np.ones(len(leaves))])
        order = np.argsort(time_ns, kind="stable")
        return time_ns[order] / NS_PER_S, np.cumsum(change[order])


def link_use(records: RunRecords, run: pd.Series) -> LinkUse | None:
    """Return the rows that passed during a run; None without a link trace of rows of one size."""
    path, lldu_bytes = records.link_trace, run["forward_lldu_bytes"]
    if path is None or isinstance(run["forward_online"], str) or pd.isna(lldu_bytes):
        return None
    trace = _open(path)
    if trace is None or len(trace) < 2:
        return None
    tx_ns = trace["tx_time_ns"] - trace["tx_time_ns"][0]
    offset_ns, end_ns = round(run["forward_offset_s"] * NS_PER_S), round(run["simulated_s"] * NS_PER_S)
    period_ns = int(tx_ns[-1]) * len(trace) // (len(trace) - 1)
    repeats = 1 + (0 if pd.isna(run["forward_trace_repeats"]) else int(run["forward_trace_repeats"]))
    if repeats * len(trace) > MOST_ROWS:
        return None
    time_ns = (tx_ns + period_ns * np.arange(repeats)[:, np.newaxis]).ravel() - offset_ns
    inside = slice(*np.searchsorted(time_ns, [0, end_ns + 1]))
    has_queue = bool(pd.isna(run["wired_rate_bps"])) and run["proxy"] in {False, "off", None}
    delivered = np.tile(trace["delivered"], repeats)
    return LinkUse(time_ns[inside], delivered[inside], int(lldu_bytes), has_queue)


def _open(path: Path) -> npt.NDArray[np.void] | None:
    """Return a link trace with rows of one size, None when there is none."""
    try:
        trace: npt.NDArray[np.void] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    names = trace.dtype.names or ()
    if not {"tx_time_ns", "delivered"} <= set(names) or "size_bytes" in names:
        return None
    return trace
