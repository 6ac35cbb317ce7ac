"""The report of a campaign: its page with its tables, and the figures for print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.words.values import percent
from tmt.io.atomic import make_folder, write_text
from tmt.results.comparison import ALPHA
from tmt.results.dataset import matches
from tmt.results.groups import shown_measures
from tmt.results.values import COLUMNS, bounds, digits, interval_text, scalar
from tmt.show.charts.style import tcp_label
from tmt.show.page.campaign_page import campaign_page
from tmt.show.page.page import CHARTS_LEAD, GROUPS_LEAD, Record, Sections, columns, titled, unit_columns
from tmt.show.page.print_figures import print_figures
from tmt.show.page.table_files import write_tables
from tmt.show.page.views import cell_members, views
from tmt.show.page.wording import facts, findings, setup_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from tmt.results.cells import Summary
    from tmt.results.dataset import Match, Results
    from tmt.results.measures import Measure
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
    """Write the page, and on request figures and tables for print; yield each path once it is written.

    Raises UsageError when a file has the folder's name, OutputError when a file cannot be written.
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


RUN_CHARACTERS = 2_500_000
"""Upper bound on the characters of a table of runs, as JSON."""

HIDDEN = frozenset(
    {
        *("attempt", "command", "experiment", "finished_at", "forward_sha256", "forward_trace", "key"),
        *("message", "records", "return_sha256", "scheme_name", "scheme_parameters", "sources"),
        *("trace_parameters",),
    }
)
"""Columns that no table of runs shows; the results hold them."""

MAIN = (
    *("goodput_bps", "completion_s", "delay_median_s", "delay_p95_s", "retransmission_ratio"),
    *("timeouts", "forward_utilisation"),
)
"""Columns of runs that are first and always shown; the others are shown on demand."""


def runs_table(results: Results, runs: pd.DataFrame) -> Record:
    """Return runs: the columns in which they differ, and as many rows as fit.

    `keys` holds the TCP variant's label and the scheme of each row.
    """
    axes = {axis.column: axis for axis in results.axes}
    first = ["tcp", "scheme", *axes, "seed"]
    others = [name for name in COLUMNS if name not in {*first, *HIDDEN}]
    main = [name for name in MAIN if runs[name].notna().any()]
    varying = [name for name in others if name not in main and len(runs[name].unique()) > 1]
    names = [*first, *main, *varying]
    shown = [
        {
            "label": axes[name].label if name in axes else name,
            "unit": axes[name].unit if name in axes else COLUMNS[name].unit if name in COLUMNS else "",
            "meaning": COLUMNS[name].meaning if name in COLUMNS else "",
            "extra": name in varying,
        }
        for name in names
    ]
    rows = _rows_that_fit(runs, names)
    keys = [[tcp_label(tcp), scheme] for tcp, scheme in zip(runs["tcp"], runs["scheme"], strict=True)]
    return {"columns": shown, "rows": rows, "keys": keys[: len(rows)]}


def _rows_that_fit(runs: pd.DataFrame, names: Sequence[str]) -> list[list[Any]]:
    """Return the first rows that fit into `RUN_CHARACTERS`."""
    rows: list[list[Any]] = []
    room = RUN_CHARACTERS
    for values in zip(*(runs[name] for name in names), strict=True):
        row = [scalar(value) for value in values]
        room -= sum(len(str(value)) + 3 for value in row)
        if room < 0:
            break
        rows.append(row)
    return rows


def differences_table(summary: Summary) -> Record:
    """Return the paired differences; `keys` holds point, TCP variants and schemes of each row."""
    labels = {"tcp": [tcp_label(tcp) for tcp in summary.tcps], "scheme": summary.schemes}
    rows, keys = [], []
    for item in summary.differences:
        among, other = labels[item.among], labels["scheme" if item.among == "tcp" else "tcp"]
        pair, held = [among[item.first], among[item.second]], other[item.held]
        keys.append([item.point, pair, [held]] if item.among == "tcp" else [item.point, [held], pair])
        means = [*bounds(item.difference), item.measure.unit, item.difference.count, digits(item.p_adjusted)]
        differs = "yes" if item.p_adjusted <= ALPHA else "no"
        rows.append([item.measure.label, held, *pair, *means, differs])
    shown = columns(
        "Measure",
        ("Both have", "TCP variant or scheme that both have"),
        *("First", "Second"),
        ("First minus second", "mean of the differences on the same seed"),
        ("Low", "lower end of the 95 % interval"),
        ("High", "upper end of the 95 % interval"),
        "Unit",
        ("Pairs", "seeds that both have"),
        ("p (Holm)", "p-value of the paired t test, corrected for all pairs of the group"),
        ("Differ", f"significantly, at a level of {percent(ALPHA)}"),
    )
    return {"columns": shown, "rows": rows, "keys": keys}


def printed_differences(summary: Summary) -> Record:
    """Return the paired differences at every point: as texts like the means, and as numbers for CSV."""
    table = differences_table(summary)
    levels = [list(map(scalar, summary.levels(key[0]).values())) for key in table["keys"]]
    heads = unit_columns(summary.axes) + table["columns"]
    at = next(i for i, one in enumerate(heads) if one["label"] == "Low")
    numbers = [[*there, *row] for there, row in zip(levels, table["rows"], strict=True)]
    texts = [interval_text(one.difference, signed=True) for one in summary.differences]
    rows = [[*row[: at - 1], text, *row[at + 2 :]] for row, text in zip(numbers, texts, strict=True)]
    names = [titled(one["label"], one.get("unit", "")) for one in heads]
    return {"columns": heads[:at] + heads[at + 2 :], "rows": rows, "plain": (names, numbers)}


def groups_table(groups: Summary) -> Record:
    """Return means and intervals of the groups of flows, one row for each group, scheme and point."""
    return means_table(groups, shown_measures(groups), "Group")


def means_table(summary: Summary, measures: Sequence[Measure], first: str = "TCP") -> Record:
    """Return means and intervals as text, one row for each cell; the first column has the heading `first`."""
    rows = []
    for cell in summary.cells:
        means = [cell.intervals.get(one.column) for one in measures]
        texts = [None if one is None else interval_text(one) for one in means]
        rows.append([*cell_members(summary, cell), *map(scalar, summary.levels(cell.point).values()), *texts])
    members = [{"label": label} for label in (first, "Scheme")]
    return {"columns": members + unit_columns([*summary.axes, *measures]), "rows": rows}


def published_table(summary: Summary, matched: Sequence[Match]) -> Record:
    """Return the published values beside TMT's."""
    rows = [
        [
            *(match.measure.label, *cell_members(summary, match.cell)),
            *map(scalar, summary.levels(match.cell.point).values()),
            *(digits(match.value), digits(match.error)),
            *bounds(match.cell.intervals[match.measure.column]),
            *(match.measure.unit, digits(100 * match.deviation), match.source),
        ]
        for match in matched
    ]
    shown = [
        *({"label": label} for label in ("Measure", "TCP", "Scheme")),
        *unit_columns(summary.axes),
        *columns(
            ("Paper", "the published value"),
            ("±", "reading error of a value taken from a plot"),
            ("Ours", "mean over seeds"),
            ("Low", "lower end of its 95 % interval"),
            ("High", "upper end of its 95 % interval"),
            "Unit",
            ("Deviation (%)", "ours relative to the published value"),
            "Source",
        ),
    ]
    return {"columns": shown, "rows": rows}
