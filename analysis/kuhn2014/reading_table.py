"""Rows of the page's tables of readings and of numbers left out of the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.kuhn2014 import published
from analysis.kuhn2014.campaigns import BY_REPAIR, INTERLEAVED, UP, code_rate, packet_rate_kbps
from analysis.kuhn2014.left_out import left_out, rms
from analysis.kuhn2014.readings import AS_HERE
from tmt.show.charts.style import TCP_STYLES
from tools.page_tables import markdown_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from analysis.kuhn2014.comparison import Compared

PROBABILITY = "retransmission_ratio"
DELAYS = ("delay_p85_s", "delay_p99_s")
WITHIN = 0.30


class Readings:
    """Means of every reading; a reading that leaves a cell as it is has the page's there."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._names = table.groupby(["scenario", "tcp"], sort=False)["reading"].unique()
        rows = table.set_index(["reading", "scenario", "es_n0_db", "tcp", "scheme"])
        self._rows = rows.to_dict("index")

    def names(self, scenario: str, tcp: str) -> list[str]:
        """Return the readings of a scenario that have runs of a variant, the page's first."""
        return [*self._names[scenario, tcp]]

    def count(self, scenario: str) -> int:
        """Return the number of courses of a scenario's readings."""
        counts = {row["count"] for key, row in self._rows.items() if key[1] == scenario}
        return min(counts)

    def value(
        self, reading: str, measure: str, scenario: str, tcp: str, scheme: str, es_n0_db: float = 14.0
    ) -> float:
        """Return one mean."""
        place = (scenario, es_n0_db, tcp, scheme)
        row = self._rows.get((reading, *place)) or self._rows[AS_HERE, *place]
        return float(row[measure])

    def deviations(self, reading: str, *measures: str, **place: object) -> list[float]:
        """Return ours over the paper's, minus 1, for the numbers of these measures at a place."""
        return [
            self.value(reading, one.measure, one.scenario, one.tcp, one.scheme, one.es_n0_db) / one.value - 1
            for one in published.read()
            if one.measure in measures and all(getattr(one, name) == at for name, at in place.items())
        ]


def of_distribution(readings: Readings) -> list[str]:
    """Return a row of Markdown for each reading of the up-link."""
    rows = []
    for name in readings.names(UP, "cubic"):
        probabilities = [
            deviation
            for scheme in BY_REPAIR
            for deviation in readings.deviations(name, PROBABILITY, scheme=scheme)
        ]
        delays = readings.deviations(name, *DELAYS)
        goodput = {
            tcp: [readings.value(name, "goodput_bps", UP, tcp, scheme) for scheme in BY_REPAIR]
            for tcp in ("westwood", "newreno")
        }
        capacities = [capacity_bps(scheme) for scheme in BY_REPAIR]
        westwood = [one / most for one, most in zip(goodput["westwood"], capacities, strict=True)]
        newreno = [one / 1000 for one in goodput["newreno"]]
        most = [readings.value(name, "max_retransmissions", UP, "cubic", scheme) for scheme in BY_REPAIR]
        cells = [
            name,
            " ".join(f"{100 * one:+.0f}" for one in probabilities),
            f"{sum(abs(one) <= WITHIN for one in delays)}",
            f"{100 * max(delays, key=abs):+.0f}",
            f"{100 * min(westwood):.0f} to {100 * max(westwood):.0f}",
            f"{newreno[0]:.0f} / {max(newreno[1:]):.0f}",
            f"{readings.value(name, 'cwnd_mean_packets', UP, 'hybla', 'ARQ'):.0f}",
            " ".join(f"{one:.1f}" for one in most),
            f"{readings.value(name, 'delay_min_s', UP, 'cubic', 'ARQ'):.2f}",
        ]
        rows.append(markdown_row(cells))
    return rows


def of_internet(readings: Readings) -> list[str]:
    """Return a row of Markdown for each reading of the Internet scenarios."""
    rows = []
    for name in readings.names(INTERLEAVED, "hybla"):
        goodputs = readings.deviations(name, "goodput_bps")
        at_5_db = (INTERLEAVED, "hybla", "ARQ", 5.0)
        cells = [
            name,
            f"{100 * rms(goodputs):.1f}",
            f"{100 * max(goodputs, key=abs):+.0f}",
            f"{readings.value(name, 'goodput_bps', *at_5_db) / 1000:.0f}",
            f"{readings.value(name, 'delay_p99_s', *at_5_db):.0f}",
        ]
        rows.append(markdown_row(cells))
    return rows


def of_left_out(
    lines: Sequence[Compared], readings: pd.DataFrame, channel: str
) -> tuple[list[str], list[float]]:
    """Return a row of Markdown for each number, and the rms of the three columns of deviations."""
    rows, columns = [], []
    for one in left_out(lines, readings, channel):
        value = one.line.value
        deviations = (one.line.deviation, one.refitted, one.left_out)
        columns.append(deviations)
        cells = [value.place, value.scenario, f"{value.es_n0_db:g}", TCP_STYLES[value.tcp].label]
        cells += [value.scheme, published.UNITS[value.measure][0]]
        rows.append(markdown_row([*cells, *(f"{100 * each:+.0f}" for each in deviations)]))
    return rows, [rms(column) for column in zip(*columns, strict=True)]


def capacity_bps(scheme: str) -> float:
    """Return the up-link's capacity for the scheme's first transmissions, in whole packets."""
    return 1000 * packet_rate_kbps(UP) * code_rate(scheme)
