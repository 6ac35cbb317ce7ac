"""Figures of a PHY or link trace: rates, losses, bursts, gaps, delays, efficiency.

The trace is read in pieces. No figure depends on the pieces, and memory does not grow with the trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.measure.distribution import Histogram, Pauses, Runs, SignalLevels, of_counts
from tmt.core.measure.mode_use import ModeUse
from tmt.core.measure.summaries import BitRates, LinkSummary, Pattern, PhySummary, Times
from tmt.core.measure.timeline import RowBins
from tmt.core.schema import UNSETTLED
from tmt.core.trace import BoolArray, Int64Array, LinkTrace, Metadata, PhyTrace, Trace
from tmt.core.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def summarise(
    chunks: Iterable[Trace],
    metadata: Metadata,
    *,
    lldu_bytes: int | None = None,
    rtt_ns: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> PhySummary | LinkSummary:
    """Read a trace to its end and summarise it.

    `chunks` are its pieces in order: an open `tmt.io.base.TraceReader`, or a list with one whole trace.
    `metadata` of the file replace `lldu_bytes`, of one LLDU, or `rtt_ns`, of propagation, where these are
    None. `progress` is called with the number of rows done since the last call. UsageError when there is no
    row, InputError from the reader.
    """
    rows: _PhyRows | _LinkRows | None = None
    for chunk in chunks:
        if rows is None:
            extent = Extent.said(metadata)
            rows = _PhyRows(extent, metadata) if isinstance(chunk, PhyTrace) else _LinkRows(extent)
        rows.add(chunk)
        progress(len(chunk))
    if rows is None:
        raise UsageError("a trace without rows has no summary")
    return rows.summary(metadata, lldu_bytes or metadata.get("lldu_bytes"), rtt_ns)


class _Rows:
    """Accumulators of both kinds of traces: times, sizes, runs of bad rows, rows over time, delays."""

    def __init__(self, extent: Extent | None) -> None:
        self.extent = extent
        self.rows = self.all_bytes = self.good_bytes = 0
        self.pauses, self.delays = Pauses(extent), Histogram()
        self.runs, self.timeline = Runs(), RowBins(extent)
        self.sizes: Histogram | None = None

    def _add(self, chunk: Trace, *, bad: BoolArray, marked: BoolArray, good: BoolArray) -> None:
        tx_time_ns, size_bytes = chunk.tx_time_ns, chunk.size_bytes
        self.rows += len(tx_time_ns)
        self.pauses.add(tx_time_ns)
        self.runs.add(bad, tx_time_ns)
        self.timeline.add(tx_time_ns, marked, good, size_bytes, getattr(chunk, "es_n0_mdb", None))
        if size_bytes is not None:
            self.sizes = self.sizes or Histogram()
            self.sizes.add(size_bytes.astype(np.int64))
            self.all_bytes += int(size_bytes.sum(dtype=np.int64))
            self.good_bytes += int(size_bytes[good].sum(dtype=np.int64))

    def _shared(self, lldu_bytes: int | None, good: int) -> dict[str, Any]:
        """Return the parts of a summary that both kinds have; `good` rows are decoded or delivered ones."""
        self.runs.finish(None if self.extent is None else self.extent.end_ns)
        self.pauses.finish()
        bursts, gaps = (dict(sorted(runs.items())) for runs in (self.runs.bursts, self.runs.gaps))
        if self.extent is not None:
            duration_s = ns_to_seconds(self.extent.length_ns)
            per_s: float | None = self.rows / duration_s
        else:
            duration_s = ns_to_seconds(self.timeline.last_ns - self.timeline.origin_ns)
            per_s = (self.rows - 1) / duration_s if self.rows > 1 else None
        interval_s = self.pauses.histogram.summary().scaled(NS_PER_S)
        return {
            "times": Times(self.rows, ns_to_seconds(self.timeline.origin_ns), duration_s, per_s, interval_s),
            "bit_rates": None if per_s is None else self._bit_rates(per_s, lldu_bytes, good),
            "size_bytes": None if self.sizes is None else self.sizes.summary(),
            "pattern": Pattern(of_counts(bursts), of_counts(gaps), self.runs.longest_outage, bursts, gaps),
            "pauses": self.pauses,
            "timeline": self.timeline,
            "delays": self.delays,
        }

    def _bit_rates(self, per_s: float, lldu_bytes: int | None, good: int) -> BitRates | None:
        if self.sizes is not None:
            all_bps = 8 * self.all_bytes / self.rows * per_s
            return BitRates(None, all_bps, all_bps * self.good_bytes / self.all_bytes)
        if lldu_bytes is None:
            return None
        all_bps = 8 * lldu_bytes * per_s
        return BitRates(lldu_bytes, all_bps, all_bps * good / self.rows)


class _PhyRows(_Rows):
    def __init__(self, extent: Extent | None, metadata: Metadata) -> None:
        super().__init__(extent)
        self.signal_levels: SignalLevels | None = None
        self.modes: ModeUse | None = None
        self._metadata = metadata

    def add(self, chunk: Trace) -> None:
        assert isinstance(chunk, PhyTrace)
        erased = chunk.decode_time_ns == 0
        if chunk.es_n0_mdb is not None:
            self.signal_levels = self.signal_levels or SignalLevels()
            self.signal_levels.add(chunk.es_n0_mdb)
        if chunk.mode is not None:
            self.modes = self.modes or ModeUse(self._metadata)
            self.modes.add(chunk)
        self._add(chunk, bad=erased, marked=erased, good=~erased)
        self.delays.add(chunk.decode_time_ns[~erased])

    def summary(self, metadata: Metadata, lldu_bytes: int | None, rtt_ns: int | None) -> PhySummary:
        decoded = self.delays.summary()
        return PhySummary(
            **self._shared(lldu_bytes, decoded.count),
            erased=self.rows - decoded.count,
            decode_time_s=decoded.scaled(NS_PER_S),
            es_n0_db=None if self.signal_levels is None else self.signal_levels.summary_db(),
            signal_levels=self.signal_levels,
            modes=None if self.modes is None else self.modes.summary(),
        )


class _LinkRows(_Rows):
    def __init__(self, extent: Extent | None) -> None:
        super().__init__(extent)
        self.loss_delays = Histogram()
        self.transmissions = np.zeros(256, np.int64)
        self.sent_bytes = 0

    def add(self, chunk: Trace) -> None:
        assert isinstance(chunk, LinkTrace)
        lost = ~chunk.delivered & (chunk.delay_ns != UNSETTLED)
        self._add(chunk, bad=lost, marked=lost | (chunk.transmissions > 1), good=chunk.delivered)
        self.delays.add(chunk.delay_ns[chunk.delivered])
        self.loss_delays.add(chunk.delay_ns[lost])
        self.transmissions += np.bincount(chunk.transmissions, minlength=256)
        if chunk.size_bytes is not None:
            self.sent_bytes += int(np.dot(chunk.size_bytes.astype(np.int64), chunk.transmissions))

    def summary(self, metadata: Metadata, lldu_bytes: int | None, rtt_ns: int | None) -> LinkSummary:
        delivered, lost = self.delays.summary(), self.loss_delays.summary()
        if rtt_ns is None:
            rtt_ns = metadata.get("scheme", {}).get("rtt_ns")
        return LinkSummary(
            **self._shared(lldu_bytes, delivered.count),
            delivered=delivered.count,
            lost=lost.count,
            unsettled=self.rows - delivered.count - lost.count,
            delay_s=delivered.scaled(NS_PER_S),
            loss_delay_s=lost.scaled(NS_PER_S),
            mean_transmissions=float(np.dot(self.transmissions, np.arange(256))) / self.rows,
            persistency=int(np.flatnonzero(self.transmissions)[-1]) - 1,
            slots_used=_slots_used(metadata, self.rows, self.transmissions),
            byte_efficiency=self._byte_efficiency(metadata),
            rtt_s=None if rtt_ns is None else ns_to_seconds(rtt_ns),
        )

    def _byte_efficiency(self, metadata: Metadata) -> float | None:
        """Return delivered bytes / bytes sent, if rows and metadata determine it; else None.

        A measured block has the same size in every transmission. The rows of a conversion lack the sizes of
        slots with repair LLDUs and retransmissions; its metadata hold the bytes of all used slots.
        """
        if self.sizes is None:
            return None
        if "sent_bytes" in metadata:
            return self.good_bytes / int(metadata["sent_bytes"])
        is_sent_as_sized = "importer" in metadata or metadata.get("scheme", {}).get("name") == "none"
        if self.transmissions[255] or not is_sent_as_sized:
            return None
        return self.good_bytes / self.sent_bytes


def _slots_used(metadata: Metadata, rows: int, transmissions: Int64Array) -> int | None:
    """Return the number of slots that the scheme used, if rows and metadata determine it; else None.

    The rows of a harq trace do not, because the number of repair LLDUs varies from block to block and repair
    LLDUs have no rows.
    """
    scheme = metadata.get("scheme", {})
    if scheme.get("name") == "none":
        return rows
    if scheme.get("name") == "fec" and {"data", "repair"} <= scheme.keys():
        return rows // int(scheme["data"]) * int(scheme["data"] + scheme["repair"])
    if scheme.get("name") == "arq" and transmissions[255] == 0:
        return int(np.dot(transmissions, np.arange(256)))
    slots = metadata.get("slots")
    return None if slots is None else int(slots)
