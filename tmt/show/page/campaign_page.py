"""The page of one campaign, or of two side by side: the data of its script, its sections, its size."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tmt.results.values import slug, texts
from tmt.show.charts.style import COLOURS, MUTED, MemberStyle, scheme_styles, tcp_styles
from tmt.show.page.page import assemble, columnar, page_record, sections, term
from tmt.spec.stacks import DEFAULT_STACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.cells import Summary
    from tmt.results.dataset import Failure, Results
    from tmt.show.page.page import Record, Sections
    from tmt.show.page.views import View

SCRIPTS = ("dom.js", "latex.js", "table.js", "choices.js", "marks.js", "frame.js", "charts.js", "main.js")

RUNS = [MemberStyle("", colour, "o", "-") for colour in (*COLOURS, MUTED)]
"""Colours of overlaid runs."""


def campaign_page(
    results: Results,
    summary: Summary,
    views: Sequence[View],
    tables: Record,
    possible: Sections,
    *,
    title: str,
    failures: Sequence[Failure],
    warnings: Sequence[str],
    **more: Any,
) -> str:
    """Return a page with charts and tables; those of the `possible` sections that have no rows are left out.

    `tables` holds the sortable tables by their elements' names, None for a missing one; `more` holds further
    names of the template.
    """
    data = _data(results, summary, views, tables) | {"file": slug(title)}
    left_out = fit(data)
    return assemble(
        SCRIPTS,
        data,
        title=title,
        has={"cells": bool(summary.cells)},
        sections=sections(possible, _elements(data), failures=bool(failures)),
        failures=failures,
        warnings=[*warnings, *left_out],
        terms=[term(one.column, one.label, one.unit) for one in summary.measures],
        **more,
    )


def _data(results: Results, summary: Summary, views: Sequence[View], tables: Record) -> Record:
    """Return the data of the page's script: plain dicts, lists, texts and numbers of five digits."""
    schemes = scheme_styles(summary.schemes, summary.scheme_names)
    members = {"tcp": tcp_styles(summary.tcps), "scheme": schemes}
    # The sweep shows the same cells as the comparison.
    shown = [("compare" if view.name == "sweep" else view.name, view) for view in views]
    return {
        "members": {kind: [page_record(style) for style in styles] for kind, styles in members.items()},
        "axes": [
            {"label": axis.label, "unit": axis.unit, "values": texts(axis.levels), "numeric": axis.is_numeric}
            for axis in results.axes
        ],
        "points": [list(point) for point in summary.points],
        "opens": _opening_point(summary),
        "places": [summary.point_label(point) for point in range(len(summary.points))],
        "measures": [{"name": m.column, "label": m.label, "unit": m.unit} for m in summary.measures],
        "rows": {table: columnar(view.rows) for table, view in shown},
        "views": [
            {field.name: getattr(view, field.name) for field in fields(view)} | {"rows": table}
            for table, view in shown
        ],
        "runColours": {"light": [one.colour for one in RUNS], "dark": [one.dark_colour for one in RUNS]},
        "firstRuns": _first_runs(results, summary),
        "tables": tables,
    }


def _opening_point(summary: Summary) -> int:
    """Return the first point with the default stack; the first point if the stack does not vary."""
    points = range(len(summary.points))
    return next((at for at in points if summary.levels(at).get("stack") == DEFAULT_STACK), 0)


def _first_runs(results: Results, summary: Summary) -> list[int]:
    """Return the recorded run with the greatest goodput, and one of another variant at the same point."""
    order = sorted(
        range(len(results.records)),
        key=lambda i: -float(results.runs["goodput_bps"].iloc[results.records[i].row] or 0),
    )
    if not order:
        return []
    keys = [summary.keys[records.row] for records in results.records]
    tcp, *place = keys[order[0]]
    others = [i for i in order if keys[i][0] != tcp and [*keys[i][1:]] == place]
    return [order[0], *others[:1]]


def _elements(data: Record) -> set[str]:
    """Return the names of the charts and tables that have rows."""
    there = {f"{view['name']}-view" for view in data["views"] if data["rows"][view["rows"]]["rows"]}
    return there | {f"{name}-table" for name, table in data["tables"].items() if table and table["rows"]}


MOST_CHARACTERS = 4_400_000
"""Upper bound on the characters of a page's data; text, style and scripts take 1.5 MB of 6 MB."""


def fit(data: Record, most: int = MOST_CHARACTERS) -> list[str]:
    """Remove parts of the page's data, the least important first, until it fits; return warnings."""
    warnings = []
    for drop in (_drop_single_values, _drop_differences, _drop_courses, _drop_points):
        excess = _size(data) - most
        if excess <= 0:
            break
        warnings.append(f"{drop(data, excess)}, for the page's size.")
    return warnings


def _size(content: Any) -> int:
    return len(json.dumps(content, separators=(",", ":")))


def _drop_single_values(data: Record, _: int) -> str:
    cells = data["rows"]["compare"]
    place = cells["names"].index("seeds")
    for row in cells["rows"]:
        row[place] = []
    return "The charts show no single runs"


def _drop_differences(data: Record, _: int) -> str:
    data["tables"]["differences"].update(rows=[], keys=[])
    return "The paired differences are left out"


def _drop_courses(data: Record, _: int) -> str:
    for name in {"distribution", "timeline", "channel"} & data["rows"].keys():
        data["rows"][name]["rows"] = []
    return "Single runs over time are left out"


def _drop_points(data: Record, excess: int) -> str:
    """Keep the first points of the grid that fit, and at least one."""
    total = kept = len(data["points"])
    tables = [
        (table, table["names"].index("point")) for table in data["rows"].values() if "point" in table["names"]
    ]
    sizes = [0] * total
    for table, place in tables:
        for row in table["rows"]:
            sizes[row[place]] += _size(row) + 1
    while kept > 1 and excess > 0:
        kept -= 1
        excess -= sizes[kept]
    data["points"] = data["points"][:kept]
    for table, place in tables:
        table["rows"] = [row for row in table["rows"] if row[place] < kept]
    return f"The charts show the first {kept} of {total} points of the grid"
