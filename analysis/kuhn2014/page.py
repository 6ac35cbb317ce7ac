"""Writes the page of the reproduction: `page.md.j2` filled with the results of the other modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis import pages
from analysis.kuhn2014 import published, tables
from analysis.kuhn2014.campaigns import BY_REPAIR, HARQS, INTERLEAVED, TRANSFERS, UP
from analysis.kuhn2014.conclusions import kbps, statements
from analysis.kuhn2014.left_out import FREE, left_out, rms
from analysis.kuhn2014.measures import Cells
from analysis.kuhn2014.published import LINE_KBPS, Bounds, Compared
from analysis.kuhn2014.tables import DELAYS, PROBABILITY, WITHIN, Readings, capacity_bps
from analysis.statements import count, frame, judged
from tmt.core.channels.base import Profile
from tmt.core.channels.lms.profiles import PROFILES as LMS
from tmt.core.channels.shadows import Shadows

CELLS, READINGS, PAGE = "reproduction.csv", "reproduction-readings.csv", "reproduction.md"
"""Names of the files: means and intervals, means of other readings, and the page that is made from them."""

TEMPLATE = Path(__file__).with_name("page.md.j2")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The page as Markdown, its whole tables by their file's ending, and sentences that do not hold."""

    text: str
    tables: dict[str, pd.DataFrame]
    left_out: list[str]


def render(cells: Cells, others: pd.DataFrame) -> RenderedPage:
    """Fill the page from the cells of its scenarios and the means of other readings."""
    false: list[str] = []

    def claim(sentence: str, holds: bool) -> str:
        """Return a sentence if it holds."""
        if not holds:
            false.append(sentence)
        return sentence if holds else ""

    def bps(scenario: str, scheme: str, **place: object) -> float:
        """Return CUBIC's goodput at 5 dB."""
        return cells.mean(scenario, "goodput_bps", scheme=scheme, tcp="cubic", es_n0_db=5.0, **place)

    def seeds(scenario: str, measure: str = "goodput_bps") -> int:
        """Return the number of runs of a cell."""
        return int(cells.find(scenario, measure)["count"].max())

    lines, said = published.lines(cells), statements(cells)
    readings = tables.Readings(others)
    left = {channel: left_out(lines, others, channel) for channel in FREE}
    whole = {
        "published": tables.of_published(lines),
        "statements": frame(said),
        "other-readings": tables.of_distribution(readings),
        "left-out": tables.of_left_out(left),
    }
    text = pages.render(
        TEMPLATE,
        claim=claim,
        targets=[
            (target, [line for line in lines if target.chosen(line.value)]) for target in published.TARGETS
        ],
        statements=said,
        held=count(said),
        partly=count(said, "in part"),
        judged=judged(said),
        worst=published.worst,
        rms=lambda lines: rms([line.deviation for line in lines]),
        mean=cells.mean,
        seeds=seeds,
        bps=bps,
        effort=lambda measure: float(cells.table.loc[cells.table["measure"] == measure, "mean"].sum()),
        percent=lambda value: f"{100 * value:.1f} %",
        stacks=_stacks(cells),
        free={"Internet": _fitted(LMS["internet"]) + 1, "Distribution": len(FREE["Distribution"])},
        bounds=Bounds.of(lines),
        readings=readings,
        **facts(cells, lines, readings),
        of_distribution=tables.short(whole["other-readings"]),
        of_internet=tables.of_internet(readings),
        left_out=tables.rms_left_out(left),
        shadows=Shadows(),
    )
    return RenderedPage(text, whole, false)


def _fitted(profile: Profile) -> int:
    """Return the number of a profile's values that were fitted."""
    return sum(one.origin.kind == "fitted" for one in profile.values.values())  # noqa: PD011


def _stacks(cells: Cells) -> str:
    """Return the stacks of all runs."""
    found = cells.table["stack"].dropna().unique()
    return ", ".join(f"`{stack}`" for stack in sorted(found))


BITS_OF_A_PACKET = 12_000
TABLE_1_WITHIN = 0.25
UNIFORM = "uniform route"
"""Reading of the Internet channel without a slow level: the fit to the goodputs alone."""


def facts(cells: Cells, lines: Sequence[Compared], readings: Readings) -> dict[str, object]:
    """Return them by the names that the page's template has."""
    names = readings.names(UP, "cubic")

    def at_5_db(scheme: str) -> float:
        return kbps(cells, INTERLEAVED, "cubic", scheme, 5.0)

    return {
        "hybla_99": _hybla_packets(lines, "delay_p99_s"),
        "hybla_least": _hybla_packets(lines, "delay_min_s"),
        "courses": readings.count(UP),
        "internet_courses": readings.count(INTERLEAVED),
        "within_30": sum(abs(line.deviation) <= WITHIN for line in lines if line.value.measure in DELAYS),
        "goodput_rms": lambda name: rms(readings.deviations(name, "goodput_bps")),
        "uniform": {es: _arq_time(readings, UNIFORM, es) for es in (5.0, 6.0, 7.0)},
        "most_over_arq": max(
            readings.value(name, "max_retransmissions", UP, "cubic", "ARQ")
            for name in names
            if abs(_arq_probability(readings, name)) <= TABLE_1_WITHIN
        ),
        "arq_times_tilt": _times_tilt(lines),
        "ranking_holds": _ranking_holds(cells),
        "newreno_prefers_harq": [_newreno_prefers_harq(readings, name) for name in names],
        "our_gain": (at_5_db("HARQ(10/12)") - at_5_db("ARQ")) / LINE_KBPS,
    }


def _arq_time(readings: Readings, reading: str, es_n0_db: float) -> float:
    """Return the relative deviation from the paper of the time of CUBIC's transfers over ARQ."""
    place = {"scenario": TRANSFERS, "tcp": "cubic", "scheme": "ARQ", "es_n0_db": es_n0_db}
    [found] = readings.deviations(reading, "completion_s", **place)
    return found


def _arq_probability(readings: Readings, reading: str) -> float:
    """Return by how much the probability over ARQ deviates from table 1."""
    return readings.deviations(reading, PROBABILITY, scheme="ARQ")[0]


def _hybla_packets(lines: Sequence[Compared], measure: str) -> tuple[float, float]:
    """Return the least and the most packets that the paper's delays of Hybla mean at each scheme's rate.

    Delays are counted from the least one that we have: that of an empty queue.
    """
    of_hybla = [line for line in lines if line.value.tcp == "hybla"]
    empty_s = min(line.mean for line in of_hybla if line.value.measure == "delay_min_s")
    packets = [
        (line.value.value - empty_s) * capacity_bps(line.value.scheme) / BITS_OF_A_PACKET
        for line in of_hybla
        if line.value.measure == measure
    ]
    return min(packets), max(packets)


def _times_tilt(lines: Sequence[Compared]) -> bool:
    """Whether transfers over ARQ, Hybla's excepted, are too slow at 5 dB and too fast at 6 and 7 dB."""
    chosen = [
        line
        for line in lines
        if line.value.scenario == TRANSFERS and line.value.scheme == "ARQ" and line.value.tcp != "hybla"
    ]
    return all(
        line.deviation > 0 if line.value.es_n0_db == 5.0 else line.deviation < 0
        for line in chosen
        if line.value.es_n0_db < 8.0
    )


def _ranking_holds(cells: Cells) -> bool:
    slow = [kbps(cells, UP, tcp, "ARQ", 14.0) for tcp in ("newreno", "compound")]
    fast = [kbps(cells, UP, tcp, "ARQ", 14.0) for tcp in ("westwood", "hybla", "cubic")]
    return max(slow) < min(fast)


def _newreno_prefers_harq(readings: Readings, name: str) -> bool:
    goodput = {scheme: readings.value(name, "goodput_bps", UP, "newreno", scheme) for scheme in BY_REPAIR}
    return goodput["ARQ"] < max(goodput[scheme] for scheme in HARQS)
