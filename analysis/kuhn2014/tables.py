"""Tables of published numbers, of readings and of numbers left out of the fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

import pandas as pd

from analysis.kuhn2014 import published
from analysis.kuhn2014.campaigns import BY_REPAIR, INTERLEAVED, UP, code_rate, packet_rate_kbps
from analysis.kuhn2014.left_out import FREE, LeftOut, rms
from analysis.kuhn2014.published import Compared, Value, origin
from analysis.kuhn2014.readings import AS_HERE
from tmt.show.charts.style import TCP_STYLES
from tools.page_tables import markdown_table

PROBABILITY = "retransmission_ratio"
DELAYS = ("delay_p85_s", "delay_p99_s")
WITHIN = 0.30
MOST = "CUBIC's most retransmissions"
SHOWN = (
    *(AS_HERE, "window 750", "queue 1000", "stack mended", "delayed acknowledgements"),
    *("wired hop of 0.07 s", "decoded 72 ms later"),
)
"""Readings that the page shows."""


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


def of_distribution(readings: Readings) -> pd.DataFrame:
    """Return a row of text for each reading of the up-link."""
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
        row = {
            "reading": name,
            "table 1": " ".join(f"{100 * one:+.0f}" for one in probabilities),
            "table 2 within 30 %": f"{sum(abs(one) <= WITHIN for one in delays)}",
            "worst": f"{100 * max(delays, key=abs):+.0f}",
            "Westwood+": f"{100 * min(westwood):.0f} to {100 * max(westwood):.0f}",
            "New Reno": f"{newreno[0]:.0f} / {max(newreno[1:]):.0f}",
            "Hybla's window": f"{readings.value(name, 'cwnd_mean_packets', UP, 'hybla', 'ARQ'):.0f}",
            MOST: " ".join(f"{one:.1f}" for one in most),
            "CUBIC's least delay, s": f"{readings.value(name, 'delay_min_s', UP, 'cubic', 'ARQ'):.2f}",
        }
        rows.append(row)
    return pd.DataFrame(rows)


def short(readings: pd.DataFrame) -> str:
    """Return the table of the readings that the page speaks of."""
    chosen = readings[readings["reading"].isin(SHOWN)].drop(columns=MOST)
    return markdown_table(chosen, chosen.to_numpy())


def of_internet(readings: Readings) -> str:
    """Return the table of the readings of the Internet scenarios."""
    rows = []
    for name in (one for one in readings.names(INTERLEAVED, "hybla") if one in SHOWN):
        goodputs = readings.deviations(name, "goodput_bps")
        at_5_db = (INTERLEAVED, "hybla", "ARQ", 5.0)
        cells = [
            name,
            f"{100 * rms(goodputs):.1f}",
            f"{100 * max(goodputs, key=abs):+.0f}",
            f"{readings.value(name, 'goodput_bps', *at_5_db) / 1000:.0f}",
            f"{readings.value(name, 'delay_p99_s', *at_5_db):.0f}",
        ]
        rows.append(cells)
    return markdown_table(["reading", "rms", "worst", "Hybla, kbit/s", "Hybla, 99 %, s"], rows)


def of_left_out(left: Mapping[str, Sequence[LeftOut]]) -> pd.DataFrame:
    """Return a row of text for each number, with its three deviations in per cent."""
    heads = ("on this page", "fitted", "left out")
    return pd.DataFrame(
        _place(one.line.value)
        | dict(zip(heads, (f"{100 * each:+.0f}" for each in _deviations(one)), strict=True))
        for one in chain(*left.values())
    )


def rms_left_out(left: Mapping[str, Sequence[LeftOut]]) -> str:
    """Return a table of the rms of each channel's deviations, in per cent."""
    rows = []
    for channel, found in left.items():
        columns = zip(*map(_deviations, found), strict=True)
        shown = (f"{100 * rms(column):.1f}" for column in columns)
        rows.append([channel, ", ".join(FREE[channel]), str(len(found)), *shown])
    return markdown_table(
        ["channel", "free parameters", "numbers", "on this page", "fitted", "left out"], rows
    )


def _deviations(one: LeftOut) -> tuple[float, float, float]:
    return one.line.deviation, one.refitted, one.left_out


def of_published(lines: Sequence[Compared]) -> pd.DataFrame:
    """Return a row of text for each published number and ours."""
    rows = []
    for line in lines:
        value = line.value
        _, scale, unit, digits = published.UNITS[value.measure]
        half = (line.high - line.low) / 2 * scale
        row = {
            **_place(value),
            "unit": unit,
            "the paper's words": "" if value.is_exact else value.kind,
            "paper": f"{value.value * scale:.{digits}f}",
            "ours": f"{line.mean * scale:.{digits}f}",
            "ours_95": "" if math.isnan(half) else f"{half:.{digits}f}",
            "seeds": str(line.count),
            "deviation_percent": f"{100 * line.deviation:+.0f}" if value.is_exact else "",
            "ours is": origin(value),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _place(value: Value) -> dict[str, str]:
    """Return the columns that say which number of the paper a row has."""
    return {
        "where": value.place,
        "scenario": value.scenario,
        "Es/N0 (dB)": f"{value.es_n0_db:g}",
        "TCP": TCP_STYLES[value.tcp].label if value.tcp else "",
        "scheme": value.scheme,
        "measure": published.UNITS[value.measure][0],
    }


def capacity_bps(scheme: str) -> float:
    """Return the up-link's capacity for the scheme's first transmissions, in whole packets."""
    return 1000 * packet_rate_kbps(UP) * code_rate(scheme)
