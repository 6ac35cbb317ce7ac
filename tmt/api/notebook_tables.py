"""Tables in HTML by which notebooks show campaigns, comparisons and searches."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from tmt.core.words.html_table import html_table, notebook_html
from tmt.results.comparison import PairedCampaigns
from tmt.results.dataset import Results
from tmt.results.tune.tuning import Tuning
from tmt.results.tune.wording import certainty, finalist_table, headline, setting_words
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from tmt.results.cells import Cell
    from tmt.results.statistics import Interval

GOODPUT = "goodput_bps"


@notebook_html.register(Results)
def goodput_table(results: Results) -> str:
    """Return a table for each point of the grid: schemes by TCP variants, means with 95 % intervals."""
    summary = results.cells
    unit = summary.rate_unit[0]
    tables = []
    for point in range(len(summary.points)):
        tcps, cells = summary.rows_at(point)
        header = ("", *(tcp_label(summary.tcps[tcp]) for tcp in tcps))
        rows = [(summary.schemes[scheme], *map(_spelled, row)) for scheme, row in cells.items()]
        title = summary.point_label(point)
        caption = ", ".join(part for part in (results.title, title, f"goodput in {unit}") if part)
        tables.append(html_table(caption, rows, header))
    ended = f"<p>{len(results.runs)} runs done, {len(results.failures)} failed</p>"
    return "".join([*tables, ended])


@notebook_html.register(PairedCampaigns)
def difference_table(comparison: PairedCampaigns) -> str:
    """Return a table of the goodputs of two campaigns and their paired differences."""
    summary, (first, second) = comparison.summary, comparison.names
    rows = []
    for cell, one in comparison.differences_of(GOODPUT):
        place = summary.point_label(cell.point)
        name = f"{summary.tcps[cell.tcp]} over {summary.schemes[cell.scheme]}"
        values = (one.first, one.second, one.difference)
        verdict = "yes" if one.is_significant else "no"
        rows.append((", ".join(filter(None, [name, place])), *map(_interval, values), verdict))
    caption = f"{comparison.results.title}, goodput in {summary.rate_unit[0]}"
    table = html_table(caption, rows, ("", first, second, "difference", "differs"))
    changed = ", ".join(one.name for one in comparison.pairs.settings) or "none"
    pairs = comparison.pairs
    counted = f"{len(pairs.first)} pairs of runs, {int(pairs.equal.sum())} equal bit by bit"
    return f"{table}<p>{counted}; settings that differ: {escape(changed)}</p>"


@notebook_html.register(Tuning)
def search_table(found: Tuning) -> str:
    """Return the recommendation, its certainty and the finalists."""
    winner = found.recommendation.winner
    if winner is None:
        return html_table("No candidate could be judged", [])
    header, rows = finalist_table(found)
    notes = [("", sentence) for sentence in certainty(found)]
    settings = html_table(f"{headline(found)} ({setting_words(winner.settings)})", notes)
    return settings + html_table("Finalists", rows, header)


def _spelled(cell: Cell | None) -> str:
    if cell is None or GOODPUT not in cell.intervals:
        return ""
    return _interval(cell.intervals[GOODPUT])


def _interval(interval: Interval) -> str:
    spread = "" if math.isnan(interval.low) else f" ± {interval.half_width:.2g}"
    return f"{interval.mean:.4g}{spread}"
