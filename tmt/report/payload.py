"""The data that a page carries: rows and specifications of its charts, and its tables."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tmt.figures.style import BLUE, GREEN, MUTED, ORANGE, PURPLE, SKY, VERMILLION, MemberStyle
from tmt.figures.vega import INKS, configuration
from tmt.report.member_styles import page_record, scheme_styles, tcp_styles
from tmt.report.page_parts import columnar
from tmt.report.tables import differences_table, published_table, runs_table
from tmt.report.views import views
from tmt.results.published import matches
from tmt.results.values import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.report.views import View
    from tmt.results.cells import Summary
    from tmt.results.dataset import Results

Json = dict[str, Any]

PAGE_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'


RUNS = [MemberStyle("", colour, "o", "-") for colour in (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, MUTED)]
"""Colours of runs that lie over each other."""


def payload(results: Results, summary: Summary, file: str) -> Json:
    """Return the data of the page's script: plain dicts, lists, texts and numbers of five digits.

    Parameters
    ----------
    file
        Begin of the names of the files that a reader downloads.
    """
    older = results.older if results.older is not None and len(results.older) else None
    tables = {
        "differences": differences_table(summary),
        "runs": runs_table(results, results.runs),
        "older": None if older is None else runs_table(results, older),
        "paper": published_table(summary, matches(results, summary)),
    }
    return page_data(results, summary, views(results, summary), tables, file) | {
        "firstRuns": _first_runs(results, summary)
    }


def page_data(results: Results, summary: Summary, shown: Sequence[View], tables: Json, file: str) -> Json:
    """Return the data of a page that shows these views and tables."""
    members = {"tcp": tcp_styles(summary.tcps), "scheme": scheme_styles(summary.schemes)}
    return {
        "file": file,
        "members": {kind: [page_record(style) for style in styles] for kind, styles in members.items()},
        "configurations": {
            theme: configuration([], [], font=PAGE_FONT, scheme=theme) for theme in ("light", "dark")
        },
        "inks": INKS,
        "axes": [
            {
                "label": axis.label,
                "unit": axis.unit,
                "values": texts(axis.levels),
                "numeric": axis.is_numeric,
            }
            for axis in results.axes
        ],
        "points": [list(point) for point in summary.points],
        "places": [summary.point_label(point) for point in range(len(summary.points))],
        "measures": [{"name": m.column, "label": m.label, "unit": m.unit} for m in summary.measures],
        "rows": {_table_of(view.name): columnar(view.rows) for view in shown},
        "views": [
            {field.name: getattr(view, field.name) for field in fields(view)} | {"rows": _table_of(view.name)}
            for view in shown
        ],
        "runColours": {"light": [one.colour for one in RUNS], "dark": [one.dark_colour for one in RUNS]},
        "tables": tables,
    }


def _table_of(view: str) -> str:
    """Return the name of the rows of a view; the sweep shows the same cells as the comparison."""
    return "compare" if view == "sweep" else view


def _first_runs(results: Results, summary: Summary) -> list[int]:
    """Return the recorded run of greatest goodput, and one of another variant at the same place."""
    order = sorted(
        range(len(results.records)),
        key=lambda i: -float(results.runs["goodput_bps"].iloc[results.records[i].row] or 0),
    )
    keys = [summary.keys[records.row] for records in results.records]
    return (
        order[:1]
        + [i for i in order if keys[i][0] != keys[order[0]][0] and keys[i][1:] == keys[order[0]][1:]][:1]
    )
