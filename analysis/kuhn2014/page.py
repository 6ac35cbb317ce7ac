"""Writes the page of the reproduction: `page.md.j2` filled with the results of the other modules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis import pages
from analysis.kuhn2014 import comparison, tables
from analysis.kuhn2014.conclusions import statements
from analysis.kuhn2014.contradictions import Bounds
from analysis.kuhn2014.facts import facts
from analysis.kuhn2014.left_out import FREE, left_out, rms
from analysis.kuhn2014.measures import Cells
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

    lines, said = comparison.lines(cells), statements(cells)
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
            (target, [line for line in lines if target.chosen(line.value)]) for target in comparison.TARGETS
        ],
        statements=said,
        held=count(said),
        partly=count(said, "in part"),
        judged=judged(said),
        worst=comparison.worst,
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
