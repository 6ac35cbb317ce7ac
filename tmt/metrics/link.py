"""What a PHY or a link trace holds: rates, losses, bursts, gaps, delays, efficiency; read in pieces.

Every figure is the same however the trace is cut, and memory does not grow with its length.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.errors import UsageError
from tmt.metrics.distribution import Distribution, Histogram, of_counts
from tmt.metrics.runs import Outage, Runs
from tmt.metrics.timeline import Timeline
from tmt.schema import UNSETTLED
from tmt.trace import Int64Array, LinkTrace, Metadata, PhyTrace, Trace
from tmt.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Times:
    """When the rows of a trace are sent.

    `duration_s` runs from the first row to the last; `per_s` and `interval_s` (from row to row) are empty for
    a trace of one row.
    """

    rows: int
    start_s: float
    duration_s: float
    per_s: float | None
    interval_s: Distribution


@dataclass(frozen=True, slots=True)
class BitRates:
    """Payload of LLDUs per second: of all rows, and of those that were decoded or delivered."""

    lldu_bytes: int
    all_bps: float
    good_bps: float


@dataclass(frozen=True, slots=True)
class Pattern:
    """How bad rows follow each other, in rows; `outage` is the longest in time.

    `burst_lengths` and `gap_lengths` give how many runs there are of each length.
    """

    bursts: Distribution
    gaps: Distribution
    outage: Outage | None
    burst_lengths: dict[int, int]
    gap_lengths: dict[int, int]


@dataclass(frozen=True, slots=True)
class PhySummary:
    """A PHY trace: bad rows are erased slots."""

    times: Times
    bit_rates: BitRates | None
    erased: int
    pattern: Pattern
    decode_time_s: Distribution
    timeline: Timeline = field(repr=False)
    delays: Histogram = field(repr=False)

    @property
    def erasure_rate(self) -> float:
        """Share of the slots that is erased."""
        return self.erased / self.times.rows

    def to_json(self) -> dict[str, Any]:
        """Return all figures as a JSON object; times in seconds, runs in slots."""
        return {
            "kind": "phy",
            **_shared(self.times, self.bit_rates, self.pattern),
            "erased": self.erased,
            "erasure_rate": self.erasure_rate,
            "decode_time_s": asdict(self.decode_time_s),
        }


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """A link trace: bad rows are LLDUs that were given up; unsettled ones are neither good nor bad.

    Attributes
    ----------
    delay_s, loss_delay_s
        From the first transmission until delivered, and until given up, without propagation.
    mean_transmissions, persistency
        Per LLDU, and the most retransmissions of one.
    slots_used
        Slots of the PHY trace, repair and retransmissions included; None where the trace does not tell.
    rtt_s
        Round-trip propagation time that `recovery_delay_s` counts half of; None when not known.
    timeline
        Marks the LLDUs that were lost or sent more than once.
    """

    times: Times
    bit_rates: BitRates | None
    delivered: int
    lost: int
    unsettled: int
    pattern: Pattern
    delay_s: Distribution
    loss_delay_s: Distribution
    mean_transmissions: float
    persistency: int
    slots_used: int | None
    rtt_s: float | None
    timeline: Timeline = field(repr=False)
    delays: Histogram = field(repr=False)

    @property
    def loss_rate(self) -> float | None:
        """Share of the settled LLDUs that is lost."""
        settled = self.delivered + self.lost
        return self.lost / settled if settled else None

    @property
    def efficiency(self) -> float | None:
        """Throughput efficiency: delivered data LLDUs per slot used."""
        return self.delivered / self.slots_used if self.slots_used else None

    @property
    def recovery_delay_s(self) -> float | None:
        """Mean over delivered LLDUs of RTT/2 + delay; None without an RTT or without a delivered LLDU."""
        if self.rtt_s is None or self.delay_s.mean is None:
            return None
        return self.rtt_s / 2 + self.delay_s.mean

    def to_json(self) -> dict[str, Any]:
        """Return all figures as a JSON object; times in seconds, runs in data LLDUs."""
        return {
            "kind": "link",
            **_shared(self.times, self.bit_rates, self.pattern),
            "delivered": self.delivered,
            "lost": self.lost,
            "unsettled": self.unsettled,
            "loss_rate": self.loss_rate,
            "delay_s": asdict(self.delay_s),
            "loss_delay_s": asdict(self.loss_delay_s),
            "mean_transmissions": self.mean_transmissions,
            "persistency": self.persistency,
            "slots_used": self.slots_used,
            "efficiency": self.efficiency,
            "rtt_s": self.rtt_s,
            "recovery_delay_s": self.recovery_delay_s,
        }


def summarise(
    chunks: Iterable[Trace],
    metadata: Metadata,
    *,
    lldu_bytes: int | None = None,
    rtt_ns: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> PhySummary | LinkSummary:
    """Read a trace to its end and say what it holds.

    Parameters
    ----------
    chunks
        Its pieces, in order: an open `tmt.io.TraceReader`, or a list with one whole trace.
    metadata
        What the file says of its making; gives what the next two leave open.
    lldu_bytes
        Useful bytes of one LLDU.
    rtt_ns
        Round-trip propagation time of the link.
    progress
        Called with the number of rows done since the last call.

    Raises
    ------
    UsageError
        When there is no row.
    InputError
        From the reader.
    """
    rows: _PhyRows | _LinkRows | None = None
    for chunk in chunks:
        if rows is None:
            rows = _PhyRows() if isinstance(chunk, PhyTrace) else _LinkRows()
        rows.add(chunk)
        if progress is not None:
            progress(len(chunk))
    if rows is None:
        raise UsageError("a trace without rows has no summary")
    return rows.summary(metadata, lldu_bytes or metadata.get("lldu_bytes"), rtt_ns)


class _Rows:
    """What both kinds of traces accumulate: times, runs of bad rows, bad rows over time, delays."""

    def __init__(self) -> None:
        self.rows = 0
        self.first_ns = self.last_ns = 0
        self.intervals, self.delays = Histogram(), Histogram()
        self.runs, self.timeline = Runs(), Timeline()

    def _add(self, tx_time_ns: Int64Array, bad: npt.NDArray[np.bool_], marked: npt.NDArray[np.bool_]) -> None:
        if self.rows == 0:
            self.first_ns = self.last_ns = int(tx_time_ns[0])
            self.intervals.add(np.diff(tx_time_ns))
        else:
            self.intervals.add(np.diff(tx_time_ns, prepend=self.last_ns))
        self.rows += len(tx_time_ns)
        self.last_ns = int(tx_time_ns[-1])
        self.runs.add(bad, tx_time_ns)
        self.timeline.add(marked, tx_time_ns)

    def _times(self) -> Times:
        duration_s = ns_to_seconds(self.last_ns - self.first_ns)
        return Times(
            rows=self.rows,
            start_s=ns_to_seconds(self.first_ns),
            duration_s=duration_s,
            per_s=(self.rows - 1) / duration_s if self.rows > 1 else None,
            interval_s=self.intervals.summary().scaled(NS_PER_S),
        )

    def _pattern(self) -> Pattern:
        self.runs.finish()
        bursts, gaps = (dict(sorted(runs.items())) for runs in (self.runs.bursts, self.runs.gaps))
        return Pattern(of_counts(bursts), of_counts(gaps), self.runs.longest_outage, bursts, gaps)


class _PhyRows(_Rows):
    def add(self, chunk: Trace) -> None:
        assert isinstance(chunk, PhyTrace)
        erased = chunk.decode_time_ns == 0
        self._add(chunk.tx_time_ns, erased, erased)
        self.delays.add(chunk.decode_time_ns[~erased])

    def summary(self, metadata: Metadata, lldu_bytes: int | None, rtt_ns: int | None) -> PhySummary:
        times, decoded = self._times(), self.delays.summary()
        return PhySummary(
            times=times,
            bit_rates=_bit_rates(times, lldu_bytes, decoded.count),
            erased=self.rows - decoded.count,
            pattern=self._pattern(),
            decode_time_s=decoded.scaled(NS_PER_S),
            timeline=self.timeline,
            delays=self.delays,
        )


class _LinkRows(_Rows):
    def __init__(self) -> None:
        super().__init__()
        self.loss_delays = Histogram()
        self.transmissions = np.zeros(256, np.int64)

    def add(self, chunk: Trace) -> None:
        assert isinstance(chunk, LinkTrace)
        lost = ~chunk.delivered & (chunk.delay_ns != UNSETTLED)
        self._add(chunk.tx_time_ns, lost, lost | (chunk.transmissions > 1))
        self.delays.add(chunk.delay_ns[chunk.delivered])
        self.loss_delays.add(chunk.delay_ns[lost])
        self.transmissions += np.bincount(chunk.transmissions, minlength=256)

    def summary(self, metadata: Metadata, lldu_bytes: int | None, rtt_ns: int | None) -> LinkSummary:
        times, delivered, lost = self._times(), self.delays.summary(), self.loss_delays.summary()
        if rtt_ns is None:
            rtt_ns = metadata.get("scheme", {}).get("rtt_ns")
        return LinkSummary(
            times=times,
            bit_rates=_bit_rates(times, lldu_bytes, delivered.count),
            delivered=delivered.count,
            lost=lost.count,
            unsettled=self.rows - delivered.count - lost.count,
            pattern=self._pattern(),
            delay_s=delivered.scaled(NS_PER_S),
            loss_delay_s=lost.scaled(NS_PER_S),
            mean_transmissions=float(np.dot(self.transmissions, np.arange(256))) / self.rows,
            persistency=int(np.flatnonzero(self.transmissions)[-1]) - 1,
            slots_used=_slots_used(metadata, self.rows, self.transmissions),
            rtt_s=None if rtt_ns is None else ns_to_seconds(rtt_ns),
            timeline=self.timeline,
            delays=self.delays,
        )


def _slots_used(metadata: Metadata, rows: int, transmissions: Int64Array) -> int | None:
    """Count the slots behind the rows, where the scheme in the metadata lets the rows tell.

    A harq trace does not tell: repair LLDUs leave no rows, and their number varies from block to block.
    """
    scheme = metadata.get("scheme", {})
    if scheme.get("name") == "none":
        return rows
    if scheme.get("name") == "fec":
        return rows // int(scheme["data"]) * int(scheme["data"] + scheme["repair"])
    if scheme.get("name") == "arq" and transmissions[255] == 0:
        return int(np.dot(transmissions, np.arange(256)))
    slots = metadata.get("slots")
    return None if slots is None else int(slots)


def _bit_rates(times: Times, lldu_bytes: int | None, good: int) -> BitRates | None:
    if lldu_bytes is None or times.per_s is None:
        return None
    all_bps = 8 * lldu_bytes * times.per_s
    return BitRates(lldu_bytes, all_bps, all_bps * good / times.rows)


def _shared(times: Times, bit_rates: BitRates | None, pattern: Pattern) -> dict[str, Any]:
    outage = pattern.outage
    return {
        **asdict(times),
        "bit_rates": None if bit_rates is None else asdict(bit_rates),
        "bursts": {**asdict(pattern.bursts), "lengths": pattern.burst_lengths},
        "gaps": {**asdict(pattern.gaps), "lengths": pattern.gap_lengths},
        "longest_outage": None
        if outage is None
        else {
            "start_s": ns_to_seconds(outage.start_ns),
            "duration_s": ns_to_seconds(outage.duration_ns),
            "rows": outage.slots,
        },
    }
