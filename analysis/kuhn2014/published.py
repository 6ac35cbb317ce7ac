"""The paper's numbers, from `published.csv`, and ours beside them.

Each has its place and, if read off a plot, the reading error. The plots of figures 7 to 11 have no numbers;
these numbers are printed in the paper's tables and text. `Bounds` is the arithmetic of those that exclude
each other whatever the channel is.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.kuhn2014.campaigns import INTERLEAVED, LLDUS_PER_PACKET, RATE_KBPS
from analysis.kuhn2014.measures import Cells

FILE = Path(__file__).with_name("published.csv")

UNITS = {
    "goodput_bps": ("goodput", 1e-3, "kbit/s", 0),
    "completion_s": ("time for 0.1 MB", 1.0, "s", 1),
    "delay_min_s": ("least delay", 1.0, "s", 2),
    "delay_p85_s": ("delay, 85 %", 1.0, "s", 2),
    "delay_p99_s": ("delay, 99 %", 1.0, "s", 2),
    "retransmission_ratio": ("retransmission probability", 1.0, "", 5),
    "max_retransmissions": ("most retransmissions", 1.0, "", 1),
    "erasure_ratio": ("packet error rate", 1.0, "", 4),
}
"""Name, scale, unit and decimals of each measure that the paper gives numbers of."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number of the paper: the figure or table, what was measured with what, and the value in its unit.

    `tcp` may be empty. `error` is the reading error: 0 for a printed number, None where the text gives no
    exact one. `kind` is "number", or how the text puts it: "about ...", "less than".
    """

    place: str
    scenario: str
    measure: str
    tcp: str
    scheme: str
    es_n0_db: float
    value: float
    error: float | None
    kind: str
    source: str

    @property
    def is_exact(self) -> bool:
        """Whether a deviation from it means anything."""
        return self.kind == "number"


def read() -> list[Value]:
    """Return every published number."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Value(
                **{name: row[name] for name in ("place", "scenario", "tcp", "scheme", "kind", "source")},
                measure=row["column"],
                es_n0_db=float(row["Es/N0"]),
                value=float(row["value"]),
                error=float(row["error"]) if row["error"] else None,
            )
            for row in csv.DictReader(file)
        ]


@dataclass(frozen=True, slots=True)
class Compared:
    """A published number and our cell of the same place; `low` and `high` bound our mean's 95 % interval."""

    value: Value
    mean: float
    low: float
    high: float
    count: int

    @property
    def deviation(self) -> float:
        """Ours relative to the paper's, minus 1."""
        return self.mean / self.value.value - 1


@dataclass(frozen=True, slots=True)
class Target:
    """A group of published numbers, how far each and all may be off, and which tables show it."""

    name: str
    chosen: Callable[[Value], bool]
    worst: float
    rms: float | None


TARGETS = (
    Target("ten CUBIC goodputs (figures 10, 11)", lambda v: v.measure == "goodput_bps", 0.10, 0.04),
    Target("table 3, all 60 cells", lambda v: v.place == "table 3", 0.12, 0.05),
    Target("table 1, four probabilities", lambda v: v.measure == "retransmission_ratio", 0.25, None),
    Target("table 2, 85 % and 99 %", lambda v: v.measure in ("delay_p85_s", "delay_p99_s"), 0.30, None),
)
"""Groups of published numbers, with the wanted worst and rms deviations."""

SAME_AS_NEW_RENO = ("compound", "westwood")
"""Variants whose transfers are New Reno's: at 69 packets they differ from it by less than 1 %."""


def origin(value: Value) -> str:
    """Return if our number was fitted to the paper's, follows from one that was, or is predicted."""
    if value.measure in ("goodput_bps", "retransmission_ratio", "delay_p85_s", "delay_p99_s"):
        return "fitted"
    if value.measure == "completion_s" and value.tcp != "hybla":
        return "as New Reno" if value.tcp in SAME_AS_NEW_RENO else "fitted"
    return "predicted"


def lines(cells: Cells) -> list[Compared]:
    """Return every published number with our value; LookupError when a cell is missing."""
    found = []
    for value in read():
        place = {"es_n0_db": value.es_n0_db, "scheme": value.scheme, "tcp": value.tcp or None}
        cell = cells.one(value.scenario, value.measure, **place)
        found.append(Compared(value, cell["mean"], cell["low"], cell["high"], int(cell["count"])))
    return found


def worst(chosen: Sequence[Compared]) -> Compared:
    """Return the line that is furthest from the paper."""
    return max(chosen, key=lambda line: abs(line.deviation))


LINE_KBPS, PACKET_BYTES = RATE_KBPS[INTERLEAVED], 1500
LLDUS_OF_A_PACKET, LLDU_BYTES = LLDUS_PER_PACKET[INTERLEAVED]
WHOLE_BLOCK_LLDUS = 60
"""LLDUs of a packet over HARQ(10/12) in section 5.1: five whole blocks of twelve."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds that some of the paper's numbers set to others.

    `erasures` is the largest packet error rate with the retransmission probabilities of table 1,
    `whole_blocks_kbps` the largest goodput over HARQ(10/12) in the Internet scenarios if a packet took
    60 LLDUs. The gains are what HARQ(10/12) gives CUBIC over ARQ, as shares of the line.
    """

    erasures: float
    whole_blocks_kbps: float
    gain_5db: float
    gain_6db: float

    @classmethod
    def of(cls, lines: Sequence[Compared]) -> Bounds:
        """Return the bounds that follow from the paper's numbers."""
        values = [line.value for line in lines]
        ratio = {one.scheme: one.value for one in values if one.measure == "retransmission_ratio"}
        goodput = {
            (one.scheme, one.es_n0_db): one.value / 1000
            for one in values
            if one.measure == "goodput_bps" and one.scenario == INTERLEAVED
        }
        gains = [(goodput["HARQ(10/12)", es] - goodput["ARQ", es]) / LINE_KBPS for es in (5.0, 6.0)]
        return cls(
            most_erasures(ratio["ARQ"], ratio["HARQ(10/12)"], ratio["HARQ(10/15)"]),
            LINE_KBPS * PACKET_BYTES / (WHOLE_BLOCK_LLDUS * LLDU_BYTES),
            *gains,
        )


def most_erasures(arq: float, harq_12: float, harq_15: float) -> float:
    """Return the largest share of erased LLDUs, from the shares of packets that TCP sends again.

    TCP sends a packet again if the link delays it by a retransmission. So a packet that ARQ delays, and
    HARQ(10/12) does not, lies in blocks of twelve with at most two erasures each; one that HARQ(10/15) does
    not delay lies in blocks of fifteen with at most five. A packet touches one block more than it fills.
    """
    of_12, of_15 = (
        lost * (LLDUS_OF_A_PACKET / block + 1) / LLDUS_OF_A_PACKET for lost, block in ((2, 12), (5, 15))
    )
    return (arq - harq_12) * of_12 + (harq_12 - harq_15) * of_15 + harq_15
