"""The page's tables as columns and rows: runs, paired differences, published values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tmt.report.looks import tcp_looks
from tmt.results.measures import COLUMNS
from tmt.results.values import bounds, digits, scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results
    from tmt.results.published import Match

Json = dict[str, Any]

RUN_CHARACTERS = 2_500_000
"""Room for the table of runs, in characters of JSON, so that the page stays under 6 MB."""

HIDDEN = frozenset(
    {
        "attempt",
        "command",
        "finished_at",
        "forward_sha256",
        "forward_trace",
        "key",
        "message",
        "records",
        "return_sha256",
        "scheme_name",
        "scheme_parameters",
    }
)
"""Columns that fill a table's width and help nobody to compare; the results hold them."""

ALPHA = 0.05


def runs_table(results: Results, summary: Summary) -> Json:
    """Return the finished runs: the columns that tell them apart, and as many rows as there is room for.

    `keys` holds TCP variant and scheme of each row.
    """
    runs = results.runs
    axes = {axis.column: axis for axis in results.axes}
    first = ["tcp", "scheme", *axes, "seed"]
    varying = [
        name
        for name in COLUMNS
        if name in runs and name not in {*first, *HIDDEN} and len(runs[name].unique()) > 1
    ]
    names = [*first, *varying]
    columns = [
        {
            "label": axes[name].label if name in axes else name,
            "unit": axes[name].unit if name in axes else COLUMNS[name].unit if name in COLUMNS else "",
            "meaning": COLUMNS[name].meaning if name in COLUMNS else "",
        }
        for name in names
    ]
    rows = _rows_that_fit(runs, names)
    return {"columns": columns, "rows": rows, "keys": [list(key[:2]) for key in summary.keys[: len(rows)]]}


def _rows_that_fit(runs: pd.DataFrame, names: Sequence[str]) -> list[list[Any]]:
    """Return the first rows, as many as `RUN_CHARACTERS` have room for."""
    rows: list[list[Any]] = []
    room = RUN_CHARACTERS
    for values in zip(*(runs[name] for name in names), strict=True):
        row = [scalar(value) for value in values]
        room -= sum(len(str(value)) + 3 for value in row)
        if room < 0:
            break
        rows.append(row)
    return rows


def differences_table(summary: Summary) -> Json:
    """Return the paired differences; `keys` holds point, TCP variants and schemes that a row is about."""
    labels = {"tcp": [look.label for look in tcp_looks(summary.tcps)], "scheme": summary.schemes}
    rows, keys = [], []
    for item in summary.differences:
        compared, held = [item.first, item.second], [item.held]
        keys.append([item.point, *((compared, held) if item.among == "tcp" else (held, compared))])
        rows.append(
            [
                item.measure.label,
                labels["scheme" if item.among == "tcp" else "tcp"][item.held],
                labels[item.among][item.first],
                labels[item.among][item.second],
                *bounds(item.difference),
                item.measure.unit,
                item.difference.count,
                digits(item.p_adjusted),
                "differ" if item.p_adjusted <= ALPHA else "cannot be told apart",
            ]
        )
    heads = (
        ("Measure", ""),
        ("Both have", "TCP variant or scheme that the two have in common"),
        ("First", ""),
        ("Second", ""),
        ("First minus second", "mean of the differences on the same seed"),
        ("Low", "lower end of the 95 % interval"),
        ("High", "upper end of the 95 % interval"),
        ("Unit", ""),
        ("Pairs", "seeds that both have"),
        ("p (Holm)", "p-value of the paired t test, corrected for all pairs of the group"),
        ("Verdict", f"at {ALPHA:.0%}"),
    )
    columns = [{"label": label, "meaning": meaning} for label, meaning in heads]
    return {"columns": columns, "rows": rows, "keys": keys}


def published_table(results: Results, summary: Summary, matched: Sequence[Match]) -> Json:
    """Return the published values beside ours."""
    labels = [look.label for look in tcp_looks(summary.tcps)]
    rows = [
        [
            match.measure.label,
            labels[match.cell.tcp],
            summary.schemes[match.cell.scheme],
            *(
                scalar(axis.levels[level])
                for axis, level in zip(results.axes, summary.points[match.cell.point], strict=True)
            ),
            digits(match.value),
            digits(match.error),
            *bounds(match.cell.intervals[match.measure.column]),
            match.measure.unit,
            digits(100 * match.deviation),
            match.source,
        ]
        for match in matched
    ]
    axes = [{"label": axis.label, "unit": axis.unit} for axis in results.axes]
    heads = (
        ("Paper", "the published value"),
        ("±", "reading error of a value taken from a plot"),
        ("Ours", "mean over seeds"),
        ("Low", "lower end of its 95 % interval"),
        ("High", "upper end of its 95 % interval"),
        ("Unit", ""),
        ("Deviation (%)", "ours relative to the published value"),
        ("Source", ""),
    )
    columns = [{"label": label} for label in ("Measure", "TCP", "Scheme")] + axes
    columns += [{"label": label, "meaning": meaning} for label, meaning in heads]
    return {"columns": columns, "rows": rows}
