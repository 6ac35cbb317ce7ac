"""Summaries of PHY and link traces, as frozen figures and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any

from tmt.html_table import html_table, spelled_number
from tmt.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from tmt.metrics.distribution import Distribution, Histogram
    from tmt.metrics.pauses import Pauses
    from tmt.metrics.runs import Outage
    from tmt.metrics.signal_levels import SignalLevels
    from tmt.metrics.timeline import Rates, RowBins


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
    """Payload of LLDUs per second: of all rows, and of those that were decoded or delivered.

    `lldu_bytes` is None where rows have sizes of their own.
    """

    lldu_bytes: int | None
    all_bps: float
    good_bps: float


@dataclass(frozen=True, slots=True)
class Pattern:
    """Lengths of bursts and gaps in rows; `outage` is the burst that lasts longest in time.

    `burst_lengths` and `gap_lengths` give the number of runs of each length.
    """

    bursts: Distribution
    gaps: Distribution
    outage: Outage | None
    burst_lengths: dict[int, int]
    gap_lengths: dict[int, int]


def _as_html(title: str, figures: dict[str, Any]) -> str:
    """Return single figures and means of distributions as a table."""
    rows = []
    for name, value in figures.items():
        shown = value.get("mean") if isinstance(value, dict) else value
        if isinstance(shown, int | float):
            rows.append((f"{name}, mean" if isinstance(value, dict) else name, spelled_number(shown)))
    return html_table(title, rows)


@dataclass(frozen=True, slots=True)
class PhySummary:
    """A PHY trace: bad rows are erased slots.

    `es_n0_db` and `signal_levels` are None where the trace has no Es/N0.
    """

    times: Times
    bit_rates: BitRates | None
    size_bytes: Distribution | None
    erased: int
    pattern: Pattern
    decode_time_s: Distribution
    es_n0_db: Distribution | None
    pauses: Pauses = field(repr=False)
    timeline: RowBins = field(repr=False)
    delays: Histogram = field(repr=False)
    signal_levels: SignalLevels | None = field(repr=False)

    @property
    def erasure_rate(self) -> float:
        """Share of the slots that is erased."""
        return self.erased / self.times.rows

    def to_json(self) -> dict[str, Any]:
        """Return all figures as a JSON object; times in seconds, runs in slots."""
        return {
            "kind": "phy",
            **_shared(self),
            "erased": self.erased,
            "erasure_rate": self.erasure_rate,
            "decode_time_s": asdict(self.decode_time_s),
            **self._signal(),
        }

    def _signal(self) -> dict[str, Any]:
        """Return distribution and course of the Es/N0, if the trace has it; a bin without a slot has null."""
        if self.es_n0_db is None:
            return {}
        start_s, mean_db = self.timeline.mean_es_n0_db()
        return {
            "es_n0_db": asdict(self.es_n0_db),
            "es_n0_over_time": {
                "start_s": float(start_s[0]),
                "width_s": ns_to_seconds(self.timeline.width_ns),
                "mean_db": [None if isnan(mean) else mean for mean in mean_db.tolist()],
            },
        }

    def _repr_html_(self) -> str:
        return _as_html("PHY trace", self.to_json())


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """A link trace: bad rows are LLDUs that were given up; unsettled ones are neither good nor bad.

    Attributes
    ----------
    delay_s, loss_delay_s
        Time from the first transmission until delivery, and until giving up, without propagation.
    mean_transmissions, persistency
        Mean transmissions per LLDU, and most retransmissions of one LLDU.
    slots_used
        Slots of the PHY trace, repair and retransmissions included; None if unknown.
    byte_efficiency
        Delivered bytes / bytes sent, retransmissions included, where rows have sizes; None if unknown.
    rtt_s
        Round-trip propagation time, of which `recovery_delay_s` includes half; None if unknown.
    timeline
        Marks the LLDUs that were lost or sent more than once.
    """

    times: Times
    bit_rates: BitRates | None
    size_bytes: Distribution | None
    delivered: int
    lost: int
    unsettled: int
    pattern: Pattern
    delay_s: Distribution
    loss_delay_s: Distribution
    mean_transmissions: float
    persistency: int
    slots_used: int | None
    byte_efficiency: float | None
    rtt_s: float | None
    pauses: Pauses = field(repr=False)
    timeline: RowBins = field(repr=False)
    delays: Histogram = field(repr=False)

    @property
    def loss_rate(self) -> float | None:
        """Share of the settled LLDUs that is lost."""
        settled = self.delivered + self.lost
        return self.lost / settled if settled else None

    @property
    def efficiency(self) -> float | None:
        """Throughput efficiency: delivered data LLDUs per slot used; of bytes where rows have sizes."""
        if self.size_bytes is not None:
            return self.byte_efficiency
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
            **_shared(self),
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

    def _repr_html_(self) -> str:
        return _as_html("link trace", self.to_json())


def rate_over_time(summary: PhySummary | LinkSummary) -> tuple[Rates | None, str]:
    """Return the rate of a trace over time, and its unit: ``bit/s``, or ``rows/s`` where no size is known."""
    rates, known = summary.timeline.rates(), summary.bit_rates
    if rates is None or known is None:
        return rates, "rows/s"
    factor = 8.0 * (known.lldu_bytes or 1)
    return replace(
        rates, offered_per_s=factor * rates.offered_per_s, good_per_s=factor * rates.good_per_s
    ), "bit/s"


def _shared(summary: PhySummary | LinkSummary) -> dict[str, Any]:
    bit_rates, sizes, pattern = summary.bit_rates, summary.size_bytes, summary.pattern
    outage, pause = pattern.outage, summary.pauses.longest
    rates, unit = rate_over_time(summary)
    return {
        **asdict(summary.times),
        "bit_rates": None if bit_rates is None else asdict(bit_rates),
        "rate_over_time": None
        if rates is None
        else {
            "unit": unit,
            "start_s": float(rates.edges_s[0]),
            "width_s": rates.width_s,
            "offered": rates.offered_per_s.tolist(),
            "good": rates.good_per_s.tolist(),
        },
        **({} if sizes is None else {"size_bytes": asdict(sizes)}),
        "bursts": {**asdict(pattern.bursts), "lengths": pattern.burst_lengths},
        "gaps": {**asdict(pattern.gaps), "lengths": pattern.gap_lengths},
        "longest_outage": None
        if outage is None
        else {
            "start_s": ns_to_seconds(outage.start_ns),
            "duration_s": ns_to_seconds(outage.duration_ns),
            "rows": outage.slots,
        },
        "longest_pause": None
        if pause is None
        else {"start_s": ns_to_seconds(pause.start_ns), "duration_s": ns_to_seconds(pause.duration_ns)},
        "pauses": [
            {
                "least_s": step.least_ns / NS_PER_S,
                "number": step.number,
                "share_of_time": step.share_of_time,
            }
            for step in summary.pauses.law()
        ],
    }
