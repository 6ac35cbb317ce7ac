"""Campaigns, comparisons and searches in notebooks: tables, charts, and a progress bar."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from tmt.api.figures import inspect_trace
from tmt.core.errors import UsageError
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.words.html_table import chart_of, html_table, notebook_html
from tmt.results.comparison import PairedCampaigns
from tmt.results.dataset import Results
from tmt.results.tune.tuning import Tuning
from tmt.results.tune.wording import certainty, finalist_table, verdict
from tmt.results.values import interval_text
from tmt.run.experiment import ExperimentResult
from tmt.show.charts.style import tcp_label
from tmt.theory.fit import FitReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from altair.typing import ChartType

    from tmt.campaign.engine import Progress, Watch
    from tmt.results.cells import Cell

GOODPUT = "goodput_bps"

LEAST_PAUSE_S = 0.2
"""Least time between two updates of the bar."""


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
        rows.append((", ".join(filter(None, [name, place])), *map(interval_text, values), verdict))
    caption = f"{comparison.results.title}, goodput in {summary.rate_unit[0]}"
    table = html_table(caption, rows, ("", first, second, "difference", "differs"))
    pairs = comparison.pairs
    changed = ", ".join(one.name for one in pairs.settings) or "none"
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
    settings = html_table(verdict(found), notes)
    return settings + html_table("Finalists", rows, header)


def _spelled(cell: Cell | None) -> str:
    return "" if cell is None or GOODPUT not in cell.intervals else interval_text(cell.intervals[GOODPUT])


Drawn = PhyTrace | LinkTrace | PhySummary | LinkSummary | FitReport | ExperimentResult | Results | Tuning


def chart(drawn: Drawn) -> ChartType:
    """Return the picture of a value as an Altair chart (UsageError when there is nothing to draw)."""
    import altair as alt  # noqa: PLC0415  (takes a fifth of the time that the other imports take)

    spec = _specification(drawn)
    if spec is None:
        raise UsageError("nothing to draw: no run has a result")
    kinds: dict[str, Any] = {
        "vconcat": alt.VConcatChart,
        "concat": alt.ConcatChart,
        "facet": alt.FacetChart,
        "layer": alt.LayerChart,
    }
    kind = next(kind for key, kind in kinds.items() if key in spec)
    found: ChartType = kind.from_dict(spec, validate=False)
    return found


def _specification(drawn: Drawn) -> dict[str, Any] | None:
    from tmt.show.charts import over_time, traces  # noqa: PLC0415
    from tmt.show.page import print_figures, tune_charts  # noqa: PLC0415

    match drawn:
        case PhyTrace() | LinkTrace():
            return _specification(inspect_trace(drawn))
        case PhySummary() | LinkSummary():
            return traces.summary_chart(drawn, drawn.title)
        case FitReport():
            return traces.fit_chart(drawn)
        case ExperimentResult():
            return over_time.run_chart(drawn)
        case Results():
            return print_figures.comparison_chart(drawn, drawn.cells)
        case Tuning():
            return tune_charts.finalists_chart(drawn)


for kind in Drawn.__args__:
    chart_of.register(kind, chart)


@contextmanager
def progress_shown() -> Iterator[Watch]:
    """Yield the engine's observer: in a notebook, a bar of the ended runs; otherwise nothing is shown."""
    display = _display()
    if display is None:
        yield lambda progress: None
        return
    handle = display.display(display.HTML(""), display_id=True)
    due_s = 0.0

    def watch(progress: Progress) -> None:
        nonlocal due_s
        if time.monotonic() >= due_s:
            handle.update(display.HTML(bar_of(progress)))
            due_s = time.monotonic() + LEAST_PAUSE_S

    try:
        yield watch
    finally:
        handle.update(display.HTML(""))


def _display() -> Any:
    """Return IPython's module of displays if this process runs a notebook, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython import display  # noqa: PLC0415  (only a notebook has it)

    return display


def bar_of(progress: Progress) -> str:
    """Return the bar as HTML."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    said = f"{progress.ended} of {progress.total} runs{failed}"
    return f'<progress value="{progress.ended}" max="{progress.total}"></progress> {said}'
