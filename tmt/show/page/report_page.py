"""The report of a campaign: its page with its tables, and the figures for print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.io.atomic import make_folder, write_text
from tmt.results.dataset import matches
from tmt.results.values import scalar
from tmt.show.page.campaign_page import campaign_page
from tmt.show.page.page import CHARTS_LEAD, GROUPS_LEAD, Sections
from tmt.show.page.print_figures import print_figures
from tmt.show.page.report_tables import (
    differences_table,
    groups_table,
    means_table,
    printed_differences,
    published_table,
    runs_table,
)
from tmt.show.page.table_files import write_tables
from tmt.show.page.views import views
from tmt.show.page.wording import facts, findings, setup_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results
    from tmt.show.page.page import Record

PAGE = "report.html"

METHOD = (
    "Intervals are Student's t intervals at 95 % over the seeds of a cell. Differences are paired: both runs "
    "of a pair have the same seed and therefore the same channel. Holm's method corrects the p-values of all "
    "pairs of a group. An interval is about one pair alone; it may exclude 0 where the test finds nothing."
)

SECTIONS: Sections = {
    "compare-view": ("TCP variants over link schemes", CHARTS_LEAD),
    "sweep-view": (
        "Along the grid",
        "The same measure over one varied parameter. The other parameters are as chosen above.",
    ),
    "trade-view": ("Goodput against delay", "A variant with more goodput often has more delay."),
    "paper-table": (
        "Published values beside ours",
        "The published value and our mean with its 95 % interval.",
    ),
    "delay-view distribution-view": (
        "Delay of packets",
        "Delays run from the sending to the receiving agent: queue, link-layer repairs and propagation.",
    ),
    "timeline-view": (
        "Single runs over time",
        "Runs that kept their packet records, laid over each other on one time axis.",
    ),
    "channel-view": ("The channel over time", "Erasures and capacity of the link without a scheme."),
    "groups-table": ("Groups of flows beside each other", GROUPS_LEAD),
    "differences-table": (
        "Paired differences",
        "Differences on the same seeds, TCP variants over one scheme and schemes under one "
        "variant, at the point of the grid chosen above.",
    ),
    "runs-table": (
        "Every run",
        "Sort by the head of a column. Filter by text, or by a bound such as >0.5. Columns that are equal"
        " in all runs stand under “Settings and programs”.",
    ),
    "older-table": (
        "Runs of earlier versions",
        "The programs, a trace or a setting has changed since. No number above counts these runs.",
    ),
}
"""Sections of the report in order."""


def write_report(
    results: Results, folder: Path, *, figures: bool = True, latex: bool = False
) -> Iterator[Path]:
    """Write the page, and figures and tables for print if wanted; give each path once it is there.

    Raises UsageError when a file is in the folder's place, OutputError when a file cannot be written.
    """
    make_folder(folder)
    summary = results.cells
    write_text(folder / PAGE, render(results, summary))
    yield folder / PAGE
    if figures:
        yield from print_figures(results, summary, folder)
    if latex:
        yield from write_tables(print_tables(results, summary), make_folder(folder / "tables"))


def print_tables(results: Results, summary: Summary) -> dict[str, Record | None]:
    """Return the tables for print by name: those of the page at every point of the grid, and the means."""
    groups = results.groups
    return {
        "means": means_table(summary, summary.measures) | _numbers(summary),
        "differences": printed_differences(summary),
        "groups": None if groups is None else groups_table(groups.cells) | _numbers(groups.cells),
        "published": published_table(summary, matches(results, summary)),
        "runs": runs_table(results, results.runs),
    }


def _numbers(summary: Summary) -> Record:
    """Return means and intervals as numbers, for CSV."""
    frame = summary.to_frame()
    rows = [[scalar(value) for value in row] for row in frame.itertuples(index=False)]
    return {"plain": (list(frame.columns), rows)}


def render(results: Results, summary: Summary) -> str:
    """Return the page as text."""
    older, runs = results.older, runs_table(results, results.runs)
    warnings = list(results.warnings)
    if len(runs["rows"]) < len(results.runs):
        warnings.append(
            f"The table of runs shows the first {len(runs['rows'])} of {len(results.runs)} runs, for the "
            "page's size; charts and means count all of them, and the results hold every one."
        )
    tables = {
        "differences": differences_table(summary),
        "runs": runs,
        "older": None if older is None or older.empty else runs_table(results, older),
        "groups": None if results.groups is None else groups_table(results.groups.cells),
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
        warnings=warnings,
        failures=results.failures,
        setup=setup_tables(results, summary),
        setup_lead="Everything that a repetition needs: settings, programs and traces.",
        scenario_text=results.scenario_text,
        method=METHOD,
    )
