"""Summaries of PHY and link traces, as frozen figures and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

from tmt.core.units import NS_PER_S, ns_to_seconds
from tmt.core.words.html_table import Charted, html_table, spelled_number

if TYPE_CHECKING:
    from tmt.core.measure.distribution import Distribution, Histogram, Outage, Pause, Pauses, SignalLevels
    from tmt.core.measure.mode_use import ModeSummary
    from tmt.core.measure.timeline import Rates, RowBins


@dataclass(frozen=True, slots=True)
class Times:
    """When the rows of a trace are sent.

    `duration_s` is the trace's length. Without an extent it runs from the first row to the last; `per_s` and
    `interval_s` (from row to row) are empty for one row.
    """

    rows: int
    start_s: float
    duration_s: float
    per_s: float | None
    interval_s: Distribution


@dataclass(frozen=True, slots=True)
class BitRates:
    """Payload of LLDUs per second: of all rows, and of those that were decoded or delivered.

    `lldu_bytes` is None where rows have their own sizes.
    """

    lldu_bytes: int | None
    all_bps: float
    good_bps: float


@dataclass(frozen=True, slots=True)
class Pattern:
    """Lengths of bursts and gaps in rows; `outage` is the longest burst in time.

    `burst_lengths` and `gap_lengths` give the number of runs of each length.
    """

    bursts: Distribution
    gaps: Distribution
    outage: Outage | None
    burst_lengths: dict[int, int]
    gap_lengths: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSummary(Charted):
    """The figures that PHY and link traces share; each kind adds its own."""

    kind: ClassVar[str]
    title: ClassVar[str]

    times: Times
    bit_rates: BitRates | None
    size_bytes: Distribution | None
    pattern: Pattern
    pauses: Pauses = field(repr=False)
    timeline: RowBins = field(repr=False)
    delays: Histogram = field(repr=False)

    def rate_over_time(self) -> tuple[Rates | None, str]:
        """Return the rate over time, and its unit: ``bit/s``, or ``rows/s`` where no size is known."""
        rates, known = self.timeline.rates(), self.bit_rates
        if rates is None or known is None:
            return rates, "rows/s"
        factor = 8.0 * (known.lldu_bytes or 1)
        return replace(
            rates, offered_per_s=factor * rates.offered_per_s, good_per_s=factor * rates.good_per_s
        ), "bit/s"

    def to_json(self) -> dict[str, Any]:
        """Return all figures as a JSON object; times in seconds, runs in rows."""
        return {"kind": self.kind, **self._shared(), **self._own()}

    def _shared(self) -> dict[str, Any]:
        sizes, pattern = self.size_bytes, self.pattern
        outage, pause = pattern.outage, self.pauses.longest
        rates, unit = self.rate_over_time()
        return {
            **asdict(self.times),
            "bit_rates": None if self.bit_rates is None else asdict(self.bit_rates),
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
            "longest_outage": None if outage is None else _span_s(outage) | {"rows": outage.slots},
            "longest_pause": None if pause is None else _span_s(pause),
            "pauses": [
                {"least_s": one.least_ns / NS_PER_S, "number": one.number, "share_of_time": one.share_of_time}
                for one in self.pauses.law()
            ],
        }

    def _own(self) -> dict[str, Any]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return single figures and means of distributions as a table."""
        rows = []
        for name, value in self.to_json().items():
            shown = value.get("mean") if isinstance(value, dict) else value
            if isinstance(shown, int | float):
                rows.append((f"{name}, mean" if isinstance(value, dict) else name, spelled_number(shown)))
        return html_table(self.title, rows)


def _span_s(span: Outage | Pause) -> dict[str, float]:
    return {"start_s": ns_to_seconds(span.start_ns), "duration_s": ns_to_seconds(span.duration_ns)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhySummary(TraceSummary):
    """A PHY trace: bad rows are erased slots; `es_n0_db` and `signal_levels` are None without Es/N0.

    `modes` is None without modes.
    """

    kind = "phy"
    title = "PHY trace"

    erased: int
    decode_time_s: Distribution
    es_n0_db: Distribution | None
    signal_levels: SignalLevels | None = field(repr=False)
    modes: ModeSummary | None = field(repr=False)

    @property
    def erasure_rate(self) -> float:
        """Share of the slots that is erased."""
        return self.erased / self.times.rows

    def _own(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "erased": self.erased,
            "erasure_rate": self.erasure_rate,
            "decode_time_s": asdict(self.decode_time_s),
        }
        if self.modes is not None:
            found["modes"] = self.modes.to_json()
        if self.es_n0_db is not None:  # a bin without a slot has null
            start_s, mean_db = self.timeline.mean_es_n0_db()
            found["es_n0_db"] = asdict(self.es_n0_db)
            found["es_n0_over_time"] = {
                "start_s": float(start_s[0]),
                "width_s": ns_to_seconds(self.timeline.width_ns),
                "mean_db": [None if isnan(mean) else mean for mean in mean_db.tolist()],
            }
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSummary(TraceSummary):
    """A link trace: bad rows are LLDUs that were given up; unsettled ones are neither good nor bad.

    `delay_s` and `loss_delay_s` last from the first transmission to delivery, and to giving up, without
    propagation; `recovery_delay_s` adds half of `rtt_s`, the round-trip propagation time. `persistency` is
    the most retransmissions of one LLDU. `slots_used` counts slots of the PHY trace, repair and
    retransmissions included. `byte_efficiency` is delivered bytes / bytes sent, retransmissions included,
    where rows have sizes. None means unknown. `timeline` marks the LLDUs that were lost or sent more than
    once.
    """

    kind = "link"
    title = "link trace"

    delivered: int
    lost: int
    unsettled: int
    delay_s: Distribution
    loss_delay_s: Distribution
    mean_transmissions: float
    persistency: int
    slots_used: int | None
    byte_efficiency: float | None
    rtt_s: float | None

    @property
    def loss_rate(self) -> float | None:
        """Share of the settled LLDUs that is lost."""
        settled = self.delivered + self.lost
        return self.lost / settled if settled else None

    @property
    def efficiency(self) -> float | None:
        """Throughput efficiency: delivered data LLDUs per used slot; in bytes where rows have sizes."""
        if self.size_bytes is not None:
            return self.byte_efficiency
        return self.delivered / self.slots_used if self.slots_used else None

    @property
    def recovery_delay_s(self) -> float | None:
        """Mean over delivered LLDUs of RTT/2 + delay; None without an RTT or without a delivered LLDU."""
        if self.rtt_s is None or self.delay_s.mean is None:
            return None
        return self.rtt_s / 2 + self.delay_s.mean

    def _own(self) -> dict[str, Any]:
        delays = {"delay_s": asdict(self.delay_s), "loss_delay_s": asdict(self.loss_delay_s)}
        fates = ("delivered", "lost", "unsettled", "loss_rate", *delays)
        costs = ("mean_transmissions", "persistency", "slots_used", "efficiency", "rtt_s", "recovery_delay_s")
        return {name: getattr(self, name) for name in (*fates, *costs)} | delays
