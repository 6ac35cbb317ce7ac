"""The report of a campaign: its page, and the figures for print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.io.atomic import make_folder, write_text
from tmt.results.cells import summarise
from tmt.results.published import matches
from tmt.show.page.campaign_page import campaign_page
from tmt.show.page.page_parts import CHARTS_LEAD, Section
from tmt.show.page.print_figures import print_figures
from tmt.show.page.tables import differences_table, published_table, runs_table
from tmt.show.page.views import views
from tmt.show.page.wording import facts, findings, setup_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results

PAGE = "report.html"

METHOD = (
    "Intervals are Student's t intervals at 95 % over the seeds of a cell. Differences are paired: both runs "
    "of a pair have the same seed and therefore the same channel. Holm's method corrects the p-values of all "
    "pairs of a group."
)

SECTIONS: tuple[Section, ...] = (
    ("compare", "TCP variants over link schemes", CHARTS_LEAD, ("compare-view",)),
    (
        "sweep",
        "Along the grid",
        "The same measure over one varied parameter. The other parameters are as chosen above.",
        ("sweep-view",),
    ),
    ("trade", "Goodput against delay", "A variant with more goodput often has more delay.", ("trade-view",)),
    (
        "paper",
        "Published values beside ours",
        "The published value and our mean with its 95 % interval.",
        ("paper-table",),
    ),
    (
        "delay",
        "Delay of packets",
        "Delays run from the sending to the receiving agent: queue, link-layer repairs and propagation.",
        ("delay-view", "distribution-view"),
    ),
    (
        "timeline",
        "Single runs over time",
        "Runs that kept their packet records, laid over each other on one time axis.",
        ("timeline-view",),
    ),
    (
        "channel",
        "The channel over time",
        "Erasures and capacity of the link without a scheme.",
        ("channel-view",),
    ),
    (
        "differences",
        "Paired differences",
        "Differences on the same seeds, TCP variants over one scheme and schemes under one "
        "variant, at the point of the grid chosen above.",
        ("differences-table",),
    ),
    (
        "runs",
        "Every run",
        "Sort by the head of a column. Filter by text, or by a bound such as >0.5. Columns that are equal"
        " in all runs stand under “Settings and programs”.",
        ("runs-table",),
    ),
    (
        "older",
        "Runs of earlier versions",
        "The programs, a trace or a setting has changed since. No number above counts these runs.",
        ("older-table",),
    ),
)
"""Sections of the report in order."""


def write_report(results: Results, folder: Path, *, figures: bool = True) -> Iterator[Path]:
    """Write the page, and the figures for print if wanted, into `folder`; give each path once it is there.

    Raises
    ------
    UsageError
        When a file is in the folder's place.
    OutputError
        When a file cannot be written; nothing half-written stays behind.
    """
    make_folder(folder)
    summary = summarise(results)
    write_text(folder / PAGE, render(results, summary))
    yield folder / PAGE
    if figures:
        yield from print_figures(results, summary, folder)


def render(results: Results, summary: Summary) -> str:
    """Return the page as text."""
    older, runs = results.older, runs_table(results, results.runs)
    tables = {
        "differences": differences_table(summary),
        "runs": runs,
        "older": None if older is None or older.empty else runs_table(results, older),
        "paper": published_table(summary, matches(results, summary)),
    }
    return campaign_page(
        results,
        summary,
        views(results, summary),
        tables,
        SECTIONS,
        kind="report",
        title=results.title,
        subtitle="TCP over link-layer schemes",
        description=results.description,
        facts=facts(results, summary),
        findings=findings(results, summary),
        warnings=[*results.warnings, *_cut(len(runs["rows"]), len(results.runs))],
        failures=results.failures,
        setup=setup_tables(results, summary),
        setup_lead="Everything that a repetition needs: settings, programs and traces.",
        scenario_text=results.scenario_text,
        method=METHOD,
    )


def _cut(shown: int, runs: int) -> list[str]:
    """Return a warning when not all runs fit into the table."""
    if shown == runs:
        return []
    return [
        f"The table of runs shows the first {shown} of {runs} runs, for the page's size; "
        "charts and means count all of them, and the results hold every one."
    ]
