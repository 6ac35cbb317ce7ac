"""Means and intervals of the scenarios `today-*.toml`, by place, variant, scheme and stack."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.kuhn2014.campaigns import HARQS, PAPER_TCPS
from analysis.selections import chosen, difference, interval, relative_difference
from tmt.results.statistics import Interval
from tmt.spec.stacks import LINUX, STACKS, VARIANTS

OLD, MODERN = "2009-as-shipped", "modern"
STACK_LABELS = {OLD: "TCP of 2009", MODERN: "today, ns-2", LINUX: "today, Linux 6.12"}
"""The stacks that are compared, and their names on the page."""

TCPS = (*PAPER_TCPS, "bbr")
SCHEMES = ("ARQ", *HARQS)

NO_ES_N0 = -1.0
"""Stands for Es/N0 where it does not vary."""


@dataclass(frozen=True, slots=True)
class Place:
    """A link of the paper: the scenario without its ending, Es/N0 where it varies, and a title."""

    scenario: str
    es_n0_db: float | None
    title: str


UP = Place("today-distribution-up", None, "Distribution, up, 14 dB")
DOWN = Place("today-distribution-down", None, "Distribution, down, 14 dB")
NOISY = Place("today-internet-interleaved", 5.0, "Internet, interleaved, 5 dB")
CLEAR = Place("today-internet-interleaved", 8.0, "Internet, interleaved, 8 dB")
SPLIT_NOISY = Place("today-internet-not-interleaved", 5.0, "Internet, not interleaved, 5 dB")
SPLIT = Place("today-internet-not-interleaved", 8.0, "Internet, not interleaved, 8 dB")
SPLIT_CLEAR = Place("today-internet-not-interleaved", 12.0, "Internet, not interleaved, 12 dB")

PLACES = (NOISY, CLEAR, SPLIT_NOISY, SPLIT, SPLIT_CLEAR, UP, DOWN)
SCENARIOS = tuple(dict.fromkeys(place.scenario for place in PLACES))


def label(tcp: str) -> str:
    """Return the variant's name in tables."""
    return VARIANTS[tcp].label


def tcps_of(stack: str, among: tuple[str, ...] = TCPS) -> list[str]:
    """Return the variants that a stack has."""
    return [tcp for tcp in among if tcp in STACKS[stack]]


class StackCells:
    """Rows of results by cell; `scenario` names a run's scenario, and a constant `es_n0_db` is missing."""

    def __init__(self, runs: pd.DataFrame) -> None:
        self.runs = runs
        keys = [runs["scenario"], runs["es_n0_db"].astype(float).fillna(NO_ES_N0), runs["stack"]]
        keys += [runs["tcp"], runs["scheme"], runs["transfer_bytes"].notna()]
        self._cells = {place: part.sort_values("seed") for place, part in runs.groupby(keys)}

    def of(self, place: Place, stack: str, tcp: str, scheme: str, *, transfer: bool = False) -> pd.DataFrame:
        """Return the runs of one cell: flows without end, or transfers; none where there are none."""
        es_n0_db = NO_ES_N0 if place.es_n0_db is None else place.es_n0_db
        return self._cells.get((place.scenario, es_n0_db, stack, tcp, scheme, transfer), self.runs[:0])

    def kbps(self, place: Place, stack: str, tcp: str, scheme: str) -> Interval:
        """Return the goodput in kbit/s."""
        return interval(self.of(place, stack, tcp, scheme), "goodput_bps", 1e-3)

    def mean(
        self, column: str, place: Place, stack: str, tcp: str, scheme: str, *, transfer: bool = False
    ) -> float:
        """Return the mean of a column of results."""
        return interval(self.of(place, stack, tcp, scheme, transfer=transfer), column).mean

    def gain(self, place: Place, stack: str, tcp: str, scheme: str, over: str) -> Interval:
        """Return a scheme's gain in goodput over another, as a share of the other's mean."""
        own, other = (self.of(place, stack, tcp, one) for one in (scheme, over))
        return relative_difference(own, other, "goodput_bps")

    def best(self, place: Place, stack: str, tcp: str, among: tuple[str, ...] = SCHEMES) -> str:
        """Return the scheme with the largest mean goodput."""
        return max(among, key=lambda scheme: self.kbps(place, stack, tcp, scheme).mean)

    def choice(self, place: Place, stack: str, tcp: str) -> list[str]:
        """Return the best scheme, and those whose paired difference from it may be 0."""
        best = self.best(place, stack, tcp)
        own = self.of(place, stack, tcp, best)
        rest = [scheme for scheme in SCHEMES if scheme != best]
        differences = {
            scheme: difference(own, self.of(place, stack, tcp, scheme), "goodput_bps") for scheme in rest
        }
        return [best, *(scheme for scheme, found in differences.items() if not found.low > 0)]

    def capacity_kbps(self, place: Place, scheme: str) -> float:
        """Return the TCP payload rate of full packets, back to back, under a scheme."""
        found = chosen(self.runs, scenario=place.scenario, es_n0_db=place.es_n0_db, scheme=scheme)
        return interval(found, "capacity_bps", 1e-3).mean
