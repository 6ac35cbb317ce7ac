"""The report of a campaign: its page with its tables, and the figures for print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.words.values import percent
from tmt.io.atomic import make_folder, write_text
from tmt.results.comparison import ALPHA
from tmt.results.dataset import matches
from tmt.results.values import COLUMNS, bounds, digits, interval_text, scalar
from tmt.show.charts.style import tcp_label
from tmt.show.page.campaign_page import campaign_page
from tmt.show.page.page import CHARTS_LEAD, Record, Sections, columns
from tmt.show.page.print_figures import print_figures
from tmt.show.page.views import cell_members, views
from tmt.show.page.wording import facts, findings, setup_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from tmt.results.cells import Summary
    from tmt.results.dataset import Match, Results

PAGE = "report.html"

METHOD = (
    "Intervals are Student's t intervals at 95 % over the seeds of a cell. Differences are paired: both runs "
    "of a pair have the same seed and therefore the same channel. Holm's method corrects the p-values of all "
    "pairs of a group."
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
    "groups-table": (
        "Groups of flows beside each other",
        "Each group beside the others and alone. Share: of what all groups delivered while they were active "
        "together. Harm: the part of the measure alone that the other groups take (Ware and others, 2019).",
    ),
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


def write_report(results: Results, folder: Path, *, figures: bool = True) -> Iterator[Path]:
    """Write the page, and the figures for print if wanted, into `folder`; give each path once it is there.

    Raises UsageError when a file is in the folder's place, OutputError when a file cannot be written.
    """
    make_folder(folder)
    summary = results.cells
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
        warnings=[*results.warnings, *_cut(len(runs["rows"]), len(results.runs))],
        failures=results.failures,
        setup=setup_tables(results, summary),
        setup_lead="Everything that a repetition needs: settings, programs and traces.",
        scenario_text=results.scenario_text,
        method=METHOD,
    )


def _cut(shown: int, runs: int) -> list[str]:
    """Return a warning when not all runs fit into the table."""
    warning = (
        f"The table of runs shows the first {shown} of {runs} runs, for the page's size; "
        "charts and means count all of them, and the results hold every one."
    )
    return [] if shown == runs else [warning]


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
"""Columns of runs that stand first and are always shown; the others are shown on demand."""


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


GROUP_MEASURES = (
    *("share", "goodput_bps", "harm", "delay_p95_s", "harm_delay"),
    *("retransmission_ratio", "convergence_s"),
)


def groups_table(summary: Summary) -> Record:
    """Return means and intervals of the groups of flows, one row for each group, scheme and point."""
    measures = [one for name in GROUP_MEASURES for one in summary.measures if one.column == name]
    rows = []
    for cell in summary.cells:
        means = [cell.intervals.get(one.column) for one in measures]
        texts = [None if one is None else interval_text(one) for one in means]
        rows.append([*cell_members(summary, cell), *map(scalar, summary.levels(cell.point).values()), *texts])
    shown = [
        *({"label": label} for label in ("Group", "Scheme")),
        *({"label": axis.label, "unit": axis.unit} for axis in summary.axes),
        *({"label": one.label, "unit": one.unit} for one in measures),
    ]
    return {"columns": shown, "rows": rows}


def published_table(summary: Summary, matched: Sequence[Match]) -> Record:
    """Return the published values beside ours."""
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
        *({"label": axis.label, "unit": axis.unit} for axis in summary.axes),
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
