"""Writes the page of the reproduction: `page.md.j2` filled with the results of the other modules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analysis import pages
from analysis.kuhn2014 import comparison, reading_table
from analysis.kuhn2014.conclusions import statements
from analysis.kuhn2014.contradictions import Bounds
from analysis.kuhn2014.facts import facts
from analysis.kuhn2014.left_out import FREE
from analysis.kuhn2014.published import UNITS
from tmt.core.channels.lms.profiles import PROFILES as LMS
from tmt.core.channels.shadows import Shadows
from tmt.show.charts.style import TCP_STYLES
from tools.page_tables import markdown_row

if TYPE_CHECKING:
    import pandas as pd

    from analysis.kuhn2014.comparison import Compared
    from analysis.kuhn2014.measures import Cells
    from tmt.core.profile import Profile

CELLS, READINGS, PAGE = "reproduction.csv", "reproduction-readings.csv", "reproduction.md"
"""Names of the files: means and intervals, means of other readings, and the page that is made from them."""

TEMPLATE = Path(__file__).with_name("page.md.j2")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The page as Markdown, and its sentences that were left out because they do not hold."""

    text: str
    left_out: list[str]


def render(cells: Cells, others: pd.DataFrame) -> RenderedPage:
    """Fill the page.

    Parameters
    ----------
    cells
        Means and intervals of the page's scenarios.
    others
        Means of other readings.
    """
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

    lines = comparison.lines(cells)
    readings = reading_table.Readings(others)
    text = pages.render(
        TEMPLATE,
        claim=claim,
        lines=lines,
        targets=[
            (target, [line for line in lines if target.chosen(line.value)]) for target in comparison.TARGETS
        ],
        statements=statements(cells),
        worst=comparison.worst,
        rms=comparison.rms,
        mean=cells.mean,
        seeds=seeds,
        bps=bps,
        effort=lambda measure: float(cells.table.loc[cells.table["measure"] == measure, "mean"].sum()),
        row=_row,
        describe=_describe,
        percent=lambda value: f"{100 * value:.1f} %",
        stacks=_stacks(cells),
        free={"Internet": _fitted(LMS["internet"]) + 1, "Distribution": len(FREE["Distribution"])},
        bounds=Bounds.of(lines),
        readings=readings,
        **facts(cells, lines, readings),
        of_distribution=reading_table.of_distribution(readings),
        of_internet=reading_table.of_internet(readings),
        left_out={channel: reading_table.of_left_out(lines, others, channel) for channel in FREE},
        left_out_parameters=FREE,
        shadows=Shadows.of(),
    )
    return RenderedPage(text, false)


def _fitted(profile: Profile) -> int:
    """Return the number of a profile's values that were fitted."""
    return sum(one.origin.kind == "fitted" for one in profile.values.values())  # noqa: PD011


def _stacks(cells: Cells) -> str:
    """Return the stacks of all runs."""
    found = cells.table["stack"].dropna().unique()
    return ", ".join(f"`{stack}`" for stack in sorted(found))


def _row(line: Compared) -> str:
    value = line.value
    name, scale, unit, digits = UNITS[value.measure]
    half = (line.high - line.low) / 2 * scale
    paper = f"{value.value * scale:.{digits}f}"
    deviation = f"{100 * line.deviation:+.0f} %"
    if not value.is_exact:
        paper, deviation = f"{value.kind} {paper}", ""
    ours = f"{line.mean * scale:.{digits}f}" + (f" ± {half:.{digits}f}" if half == half else "")  # noqa: PLR0124
    tcp = TCP_STYLES[value.tcp].label if value.tcp else ""
    cells = [value.place, comparison.origin(value), value.scenario, f"{value.es_n0_db:g}", tcp, value.scheme]
    cells += [f"{name}{', ' + unit if unit else ''}", paper, ours, str(line.count), deviation]
    return markdown_row(cells)


def _describe(line: Compared) -> str:
    value = line.value
    tcp = f"{TCP_STYLES[value.tcp].label}, " if value.tcp else ""
    name, scale, unit, digits = UNITS[value.measure]
    ours, paper = f"{line.mean * scale:.{digits}f}", f"{value.value * scale:.{digits}f}"
    return (
        f"{tcp}{value.scheme}, {value.scenario.lower()}, {value.es_n0_db:g} dB, {name}: "
        f"{ours} for {paper} {unit}".rstrip()
    )
