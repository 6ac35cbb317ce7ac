"""The page of two campaigns side by side: paired differences as charts and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.core.words.values import percent
from tmt.results.comparison import ALPHA, identities, remarks, unpaired
from tmt.results.groups import shown_measures
from tmt.results.values import bounds, digits, scalar, three_digits
from tmt.show.charts import campaign as charts
from tmt.show.charts.style import tcp_label
from tmt.show.page import views
from tmt.show.page.campaign_page import campaign_page
from tmt.show.page.page import (
    CHARTS_LEAD,
    GROUPS_LEAD,
    Record,
    Sections,
    columns,
    fact,
    finding,
    headed_tables,
    unit_columns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.results.cells import Cell
    from tmt.results.comparison import PairedCampaigns
    from tmt.results.measures import Measure
    from tmt.show.charts.style import Row

METHOD = (
    "Two runs are a pair when they have the same place in the grid and the same seed. A difference is the "
    "mean over a cell's pairs, with Student's t interval at 95 %. Holm's method corrects the p-values of the "
    "paired t tests over all cells of a measure."
)


def render(comparison: PairedCampaigns) -> str:
    """Return the page as text."""
    groups = comparison.groups
    tables = {
        "differences": differences_table(comparison),
        "groups": None if groups is None else groups_table(groups),
        "runs": pairs_table(comparison),
    }
    return campaign_page(
        comparison.results,
        comparison.summary,
        _views(comparison),
        tables,
        SECTIONS,
        kind="comparison",
        title=f"{comparison.names[0]} and {comparison.names[1]}",
        subtitle="paired differences of two campaigns",
        description=_description(comparison),
        facts=_facts(comparison),
        findings=[finding(text) for text in _findings(comparison)],
        warnings=remarks(comparison),
        failures=(*comparison.first.failures, *comparison.second.failures),
        setup=setup_tables(comparison),
        setup_lead="Settings and programs of the paired runs, and the runs without a partner.",
        scenario_text="",
        method=METHOD,
    )


def _description(comparison: PairedCampaigns) -> str:
    sides = zip(comparison.names, (comparison.first, comparison.second), strict=True)
    titles = " ".join(f"{name}: {results.title}." for name, results in sides)
    return f"{titles} Differences are {comparison.results.title}."


def _facts(comparison: PairedCampaigns) -> list[Record]:
    pairs = comparison.pairs
    return [
        fact("pairs of runs", len(pairs.first)),
        fact("equal bit by bit", int(pairs.equal.sum())),
        fact("cells", len(comparison.summary.cells)),
        fact(f"runs only in {comparison.names[0]}", len(pairs.only_first)),
        fact(f"runs only in {comparison.names[1]}", len(pairs.only_second)),
        fact("settings that differ", len(pairs.settings)),
    ]


def _findings(comparison: PairedCampaigns) -> list[str]:
    """Return a sentence on each compared measure: how many cells differ, and which differs most."""
    if comparison.pairs.equal.all():
        return ["All pairs are equal in everything that they measured, bit by bit."]
    found = []
    for measure in comparison.summary.measures:
        if not measure.is_compared:
            continue
        cells = comparison.differences_of(measure.column)
        differing = [pair for pair in cells if pair[1].is_significant]
        sentence = f"{measure.label} differs significantly in {len(differing)} of {len(cells)} cells"
        if differing:
            cell, one = max(differing, key=lambda pair: abs(pair[1].difference.mean))
            place = comparison.summary.point_label(cell.point)
            where = ", ".join(filter(None, (views.cell_name(comparison.summary, cell), place)))
            change = one.difference
            sentence += (
                f", most in {where}: {three_digits(change.mean, signed=True)} {measure.unit} "
                f"({three_digits(change.low)} to {three_digits(change.high)}; "
                f"from {three_digits(one.first.mean)} to {three_digits(one.second.mean)})"
            )
        found.append(f"{sentence}.")
    return found


def _views(comparison: PairedCampaigns) -> list[views.View]:
    results, summary = comparison.results, comparison.summary
    place, value = views.place_heads(results), views.mean_heads("pairs")
    what = f"{{measure}}, {results.title}"
    rows = views.cell_rows(results, summary)
    possible = [
        views.View(
            "compare",
            rows,
            views.both_ways(summary, charts.compare, zero=True),
            ("measure", "point"),
            (*place, *value),
            f"{what}{{where}}: mean over pairs with its 95 % interval. Small dots: single pairs. Dashed "
            "line: no difference. A star marks a significant difference (paired t test, Holm's correction).",
        ),
        views.View(
            "before",
            _both_rows(comparison),
            views.both_ways(summary, charts.before_and_after),
            ("measure", "point"),
            (*place, ("first", comparison.names[0]), ("second", comparison.names[1])),
            f"{{measure}}{{where}}: means over the same seeds. Hollow: {comparison.names[0]}. "
            f"Full: {comparison.names[1]}.",
        ),
        views.View(
            "sweep",
            rows,
            views.sweeps(results, summary, zero=True),
            ("measure", "line"),
            (*place, *value),
            f"{what} over {{axis}}: mean over pairs with its 95 % interval.",
        ),
    ]
    return views.with_rows(possible)


def _both_rows(comparison: PairedCampaigns) -> list[Row]:
    summary = comparison.summary
    return [
        views.place_of(summary, cell)
        | {"column": column, "first": digits(one.first.mean), "second": digits(one.second.mean)}
        for cell, by_measure in zip(summary.cells, comparison.cells, strict=True)
        for column, one in by_measure.items()
    ]


SECTIONS: Sections = {
    "compare-view": ("Differences", CHARTS_LEAD),
    "before-view": ("Both campaigns", "The same measure in both campaigns."),
    "sweep-view": (
        "Along the grid",
        "The differences over one varied parameter. The other parameters are as chosen above.",
    ),
    "differences-table": ("Every difference", "All measures at the point of the grid chosen above."),
    "groups-table": (
        "Differences of groups of flows",
        f"At every point of the grid. {GROUPS_LEAD}",
    ),
    "runs-table": ("Every pair", "Sort by the head of a column. Filter by text, or by a bound such as >0.5."),
}
"""Sections of the page in order."""


MOST_PAIRS = 5000
"""Rows of the table of pairs."""


def differences_table(comparison: PairedCampaigns) -> Record:
    """Return every difference; `keys` holds point, TCP variants and schemes of each row."""
    summary = comparison.summary
    rows, keys = [], []
    for cell, measure, values in _differences(comparison, summary.measures):
        tcp, scheme = views.cell_members(summary, cell)
        keys.append([cell.point, [tcp], [scheme]])
        rows.append([measure.label, tcp, scheme, *values])
    heads = columns("Measure", "TCP", "Scheme")
    return {"columns": heads + _difference_heads(comparison), "rows": rows, "keys": keys}


def groups_table(groups: PairedCampaigns) -> Record:
    """Return the differences of the groups of flows at every point of the grid."""
    summary = groups.summary
    rows = [
        [measure.label, *views.cell_members(summary, cell), *levels, *values]
        for cell, measure, values in _differences(groups, shown_measures(summary))
        for levels in [map(scalar, summary.levels(cell.point).values())]
    ]
    heads = columns("Measure", "Group", "Scheme") + unit_columns(summary.axes) + _difference_heads(groups)
    return {"columns": heads, "rows": rows}


def _differences(
    comparison: PairedCampaigns, measures: Sequence[Measure]
) -> Iterator[tuple[Cell, Measure, list[Any]]]:
    """Yield each cell and measure with the values of `_difference_heads`."""
    for cell, by_measure in zip(comparison.summary.cells, comparison.cells, strict=True):
        for measure in measures:
            if (one := by_measure.get(measure.column)) is not None:
                means = [digits(one.first.mean), digits(one.second.mean), *bounds(one.difference)]
                about = [
                    *(measure.unit, digits(100 * one.relative), one.difference.count),
                    *(digits(one.p_adjusted), "yes" if one.is_significant else "no"),
                ]
                yield cell, measure, means + about


def _difference_heads(comparison: PairedCampaigns) -> list[Record]:
    first, second = comparison.names
    return columns(
        (first, "mean over the seeds of the pairs"),
        (second, "mean over the same seeds"),
        ("Difference", f"{second} minus {first}, mean over the pairs"),
        ("Low", "lower end of its 95 % interval"),
        ("High", "upper end of its 95 % interval"),
        "Unit",
        ("Change (%)", f"difference relative to the mean of {first}"),
        ("Pairs", "seeds that both have"),
        ("p (Holm)", "p-value of the paired t test, corrected over all cells of the measure"),
        ("Differs", f"significantly, at a level of {percent(ALPHA)}"),
    )


def pairs_table(comparison: PairedCampaigns) -> Record:
    """Return the first pairs with both values of each compared measure."""
    pairs, runs, axes = comparison.pairs, comparison.results.runs, comparison.results.axes
    shown = [measure for measure in comparison.summary.measures if measure.is_compared]
    before, after = ([{"label": label} for label in two] for two in (("TCP", "Scheme"), ("Seed", "Equal")))
    heads = before + unit_columns(axes) + after
    for measure in shown:
        heads += [{"label": f"{measure.label}, {name}", "unit": measure.unit} for name in comparison.names]
    rows, keys = [], []
    for i in range(min(len(runs), MOST_PAIRS)):
        tcp, scheme = tcp_label(runs["tcp"].iloc[i]), runs["scheme"].iloc[i]
        values = [
            scalar(side[measure.column].iloc[i] * measure.scale)
            for measure in shown
            for side in (pairs.first, pairs.second)
        ]
        levels = [scalar(runs[axis.column].iloc[i]) for axis in axes]
        equal = "yes" if pairs.equal[i] else "no"
        rows.append([tcp, scheme, *levels, int(runs["seed"].iloc[i]), equal, *values])
        keys.append([tcp, scheme])
    return {"columns": heads, "rows": rows, "keys": keys}


def setup_tables(comparison: PairedCampaigns) -> list[Record]:
    """Return the settings that differ, the programs that made the runs, and the runs without a partner."""
    names, pairs = list(comparison.names), comparison.pairs
    settings = [
        [one.name, one.unit, ", ".join(one.first), ", ".join(one.second), str(one.pairs)]
        for one in pairs.settings
    ]
    alone = [
        [name, cell, ", ".join(map(str, seeds)), str(len(seeds))]
        for name, cell, seeds in unpaired(comparison)
    ]
    return headed_tables(
        ("Settings that differ in pairs", ["Setting", "Unit", *names, "Pairs"], settings),
        ("Programs and traces of the paired runs", ["Name", *names], identities(comparison)),
        ("Runs in one campaign only", ["Campaign", "Cell", "Seeds", "Runs"], alone),
    )
