"""The sections of a campaign's report: their order, titles and leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.report.page_parts import CHARTS_LEAD, Record, Section, sections

if TYPE_CHECKING:
    from tmt.results.dataset import Results

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
        "Significant differences",
        "Paired differences on the same seeds, TCP variants over one scheme and schemes under one "
        "variant, at the point of the grid chosen above.",
        ("differences-table",),
    ),
    (
        "runs",
        "Every run",
        "Sort by the head of a column. Filter by text, or by a bound such as >0.5. Columns that are equal"
        " in all runs stand under “What was run”.",
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


def report_sections(results: Results, data: Record) -> list[Record]:
    """Return the page's sections in order: those with a chart or a table that has rows."""
    there = {f"{view['name']}-view" for view in data["views"]}
    for name, table in data["tables"].items():
        if table is not None and (table["rows"] or name == "runs"):
            there.add(f"{name}-table")
    if not len(results.runs):
        there.clear()
    shown = [
        (name, title, lead, found)
        for name, title, lead, views in SECTIONS
        if (found := tuple(view for view in views if view in there))
    ]
    return sections(shown, failures=bool(results.failures))
