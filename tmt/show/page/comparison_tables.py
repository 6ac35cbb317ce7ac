"""Tables of two campaigns beside each other: differences, pairs, settings, programs, unpaired runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.words.display_units import percent
from tmt.results.comparison import ALPHA, identities, unpaired
from tmt.results.measures import COMPARED
from tmt.results.values import bounds, digits, scalar
from tmt.show.charts.style import tcp_label
from tmt.show.page.page_parts import Record, columns, headed_table

if TYPE_CHECKING:
    from tmt.results.comparison import PairedCampaigns

MOST_PAIRS = 5000
"""Rows of the table of pairs."""


def differences_table(comparison: PairedCampaigns) -> Record:
    """Return every difference; `keys` holds point, TCP variants and schemes of each row."""
    summary = comparison.summary
    rows, keys = [], []
    for cell, by_measure in zip(summary.cells, comparison.cells, strict=True):
        tcp, scheme = tcp_label(summary.tcps[cell.tcp]), summary.schemes[cell.scheme]
        for measure in summary.measures:
            one = by_measure.get(measure.column)
            if one is None:
                continue
            keys.append([cell.point, [tcp], [scheme]])
            rows.append(
                [
                    *(measure.label, tcp, scheme, digits(one.first.mean), digits(one.second.mean)),
                    *bounds(one.difference),
                    *(measure.unit, digits(100 * one.relative), one.difference.count, digits(one.p_adjusted)),
                    "yes" if one.is_significant else "no",
                ]
            )
    first, second = comparison.names
    heads = (
        ("Measure", ""),
        ("TCP", ""),
        ("Scheme", ""),
        (first, "mean over the seeds of the pairs"),
        (second, "mean over the same seeds"),
        ("Difference", f"{second} minus {first}, mean over the pairs"),
        ("Low", "lower end of its 95 % interval"),
        ("High", "upper end of its 95 % interval"),
        ("Unit", ""),
        ("Change (%)", f"difference relative to the mean of {first}"),
        ("Pairs", "seeds that both have"),
        ("p (Holm)", "p-value of the paired t test, corrected over all cells of the measure"),
        ("Differs", f"significantly, at a level of {percent(ALPHA)}"),
    )
    return {"columns": columns(heads), "rows": rows, "keys": keys}


def pairs_table(comparison: PairedCampaigns) -> Record:
    """Return the first pairs with both values of each compared measure."""
    pairs, runs, axes = comparison.pairs, comparison.results.runs, comparison.results.axes
    shown = [measure for measure in comparison.summary.measures if measure.column in COMPARED]
    heads = [{"label": "TCP"}, {"label": "Scheme"}]
    heads += [{"label": axis.label, "unit": axis.unit} for axis in axes]
    heads += [{"label": "Seed"}, {"label": "Equal"}]
    heads += [
        {"label": f"{measure.label}, {name}", "unit": measure.unit}
        for measure in shown
        for name in comparison.names
    ]
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
    """Return the settings that differ, what made the runs, and the runs without a partner."""
    names, pairs = list(comparison.names), comparison.pairs
    settings = [
        [one.name, one.unit, ", ".join(one.first), ", ".join(one.second), str(one.pairs)]
        for one in pairs.settings
    ]
    alone = [
        [name, cell, ", ".join(map(str, seeds)), str(len(seeds))]
        for name, cell, seeds in unpaired(comparison)
    ]
    tables = [
        headed_table("Settings that differ in pairs", ["Setting", "Unit", *names, "Pairs"], settings),
        headed_table("Programs and traces of the paired runs", ["Name", *names], identities(comparison)),
        headed_table("Runs in one campaign only", ["Campaign", "Cell", "Seeds", "Runs"], alone),
    ]
    return [table for table in tables if table["rows"]]
