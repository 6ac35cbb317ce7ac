"""TCP over the contenders: means, intervals and paired differences of the runs of `scenarios/ntn-*.toml`."""

from __future__ import annotations

import pandas as pd

from analysis.ntn.contenders import HARQ_NO_STALLS, OPTIONS, names_by_label
from analysis.selections import change, difference, interval
from tmt.results.statistics import Interval
from tmt.spec.stacks import LINUX

MODERN = "modern"
STACKS = {MODERN: "ns-2", LINUX: "Linux 6.12"}
TCPS = ("cubic", "bbr")

GOODPUT, COMPLETION = "goodput_bps", "completion_s"


class Flows:
    """Rows of results by cell: endless flows and transfers; `orbit` names each run's scenario."""

    def __init__(self, runs: pd.DataFrame) -> None:
        self.runs = runs.assign(name=runs["scheme"].map(names_by_label()))
        keys = ["orbit", "trace", "stack", "tcp", "name"]
        by = [*(self.runs[key] for key in keys), self.runs["transfer_bytes"].notna()]
        self._cells = {place: part.sort_values("seed") for place, part in self.runs.groupby(by)}

    def short_of_seeds(self) -> tuple[int, int]:
        """Return the number of cells that lack seeds because runs were not valid, and that of all cells."""
        counts = [(place[-1], len(cell)) for place, cell in self._cells.items()]
        most = {kind: max(count for other, count in counts if other == kind) for kind, _ in counts}
        return sum(count < most[kind] for kind, count in counts), len(counts)

    def of(
        self, orbit: str, channel: str, stack: str, tcp: str, name: str, *, transfer: bool = False
    ) -> pd.DataFrame:
        """Return the runs of one cell: flows without end, or transfers; none where there are none."""
        return self._cells.get((orbit, channel, stack, tcp, name, transfer), self.runs[:0])

    def kbps(self, *place: str) -> Interval:
        """Return the goodput of flows without end in kbit/s."""
        return interval(self.of(*place), GOODPUT, 1e-3)

    def delay_p95_s(self, *place: str) -> float:
        """Return the mean 95th percentile of the packets' delay, of flows without end."""
        return interval(self.of(*place), "delay_p95_s").mean

    def completion_s(self, *place: str) -> Interval:
        """Return the completion time of transfers."""
        return interval(self.of(*place, transfer=True), COMPLETION)

    def change_by_stalls(self, *place: str) -> Interval:
        """Return the change in goodput against HARQ without stalls, seed by seed."""
        return change(self.of(*place), self.of(*place[:-1], HARQ_NO_STALLS), GOODPUT)

    def delay_of_stalls_s(self, *place: str) -> Interval:
        """Return by how much longer transfers take than over HARQ without stalls."""
        other = self.of(*place[:-1], HARQ_NO_STALLS, transfer=True)
        return difference(self.of(*place, transfer=True), other, COMPLETION)

    def choice(self, orbit: str, channel: str, stack: str, tcp: str, *, transfer: bool = False) -> list[str]:
        """Return the option with most goodput, or the fastest transfers; and those that may be as good.

        These are the options of which the mean change against the best, seed by seed, may be 0.
        """
        column, sign = (COMPLETION, -1.0) if transfer else (GOODPUT, 1.0)
        cells = {name: self.of(orbit, channel, stack, tcp, name, transfer=transfer) for name in OPTIONS}
        means = {name: sign * interval(cell, column).mean for name, cell in cells.items() if len(cell)}
        best = max(means, key=means.__getitem__)
        rest = sorted((name for name in means if name != best), key=lambda name: -means[name])
        worse = {name: change(cells[name], cells[best], column) for name in rest}
        return [best, *(name for name in rest if not _differs(worse[name]))]


def _differs(change_found: Interval) -> bool:
    return change_found.low > 0 or change_found.high < 0
