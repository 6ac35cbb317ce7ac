"""Writes the page of the reproduction: `page.md.j2` filled with what `comparison` and `conclusions` find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis import pages
from analysis.kuhn2014 import comparison, reading_table
from analysis.kuhn2014.campaigns import PAPER
from analysis.kuhn2014.conclusions import statements
from tmt.figures.style import TCP_STYLES

if TYPE_CHECKING:
    from analysis.kuhn2014.comparison import Line
    from analysis.kuhn2014.measures import Cells

CELLS, PAGE = "reproduction.csv", "reproduction.md"
"""Names of the files: means and intervals, and the page that is made from them."""

TEMPLATE = Path(__file__).with_name("page.md.j2")

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


def render(cells: Cells) -> str:
    """Return the page as Markdown."""
    lines = comparison.lines(cells)
    return pages.render(
        TEMPLATE,
        lines=lines,
        targets=[
            (target, [line for line in lines if target.chosen(line.value)]) for target in comparison.TARGETS
        ],
        statements=statements(cells),
        worst=comparison.worst,
        rms=comparison.rms,
        mean=lambda scenario, measure, **place: float(cells.one(scenario, measure, **place)["mean"]),
        row=_row,
        describe=_describe,
        percent=lambda value: f"{100 * value:.1f} %",
        stacks=_stacks(cells),
        readings=(readings := reading_table.readings()),
        deviations_of_first=readings[0].split("|")[3].strip(),
        left_out=reading_table.left_out(),
    )


def _stacks(cells: Cells) -> str:
    """Return which stack the cells of each of the paper's scenarios come from."""
    found = [f"{title}: {cells.find(title, 'goodput_bps')['stack'].iloc[0]}" for title in PAPER.values()]
    return "; ".join(found)


def _row(line: Line) -> str:
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
    return (
        "| "
        + " | ".join(
            [*cells, f"{name}{', ' + unit if unit else ''}", paper, ours, str(line.count), deviation]
        )
        + " |"
    )


def _describe(line: Line) -> str:
    value = line.value
    tcp = f"{TCP_STYLES[value.tcp].label}, " if value.tcp else ""
    name, scale, unit, digits = UNITS[value.measure]
    ours, paper = f"{line.mean * scale:.{digits}f}", f"{value.value * scale:.{digits}f}"
    return (
        f"{tcp}{value.scheme}, {value.scenario.lower()}, {value.es_n0_db:g} dB, {name}: "
        f"{ours} for {paper} {unit}".rstrip()
    )
