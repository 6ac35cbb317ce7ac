"""The data that a page carries: everything its pictures and tables show, ready to be selected from."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tmt.report.looks import Look, scheme_looks, tcp_looks
from tmt.report.tables import differences_table, published_table, runs_table
from tmt.results.course import LEVELS, delay_quantiles_s, panels
from tmt.results.measures import delay_unit
from tmt.results.published import Match, matches
from tmt.results.values import bounds, digits, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.cells import Cell, Summary
    from tmt.results.dataset import Results, RunRecords

Json = dict[str, Any]


def payload(results: Results, summary: Summary, file: str) -> Json:
    """Return what the page's script reads: plain dicts, lists, texts and numbers of five digits.

    Parameters
    ----------
    file
        Begin of the names of the files that a reader downloads.
    """
    unit, scale = delay_unit(results.runs)
    matched = matches(results, summary)
    distributions = [_distribution(summary, results, records, scale) for records in results.records]
    return {
        "file": file,
        "tcp": [_look(look) for look in tcp_looks(summary.tcps)],
        "scheme": [_look(look) for look in scheme_looks(summary.schemes)],
        "grid": [
            {
                "label": axis.label,
                "unit": axis.unit,
                "values": texts(axis.levels),
                "numbers": list(axis.levels) if axis.is_numeric else None,
            }
            for axis in results.axes
        ],
        "points": [list(point) for point in summary.points],
        "measures": [{"name": m.column, "label": m.label, "unit": m.unit} for m in summary.measures],
        "cells": [_cell(cell, scale, summary.rate_unit) for cell in summary.cells],
        "delayUnit": unit,
        "differences": differences_table(summary),
        "runs": runs_table(results, summary),
        "distributions": [item for item in distributions if item["x"]],
        "timelines": [_timeline(summary, results, records) for records in results.records],
        "liveliest": _liveliest(results),
        "paper": [_paper(match) for match in matched],
        "published": published_table(results, summary, matched),
    }


def _look(look: Look) -> Json:
    return {"label": look.label, "marker": look.marker, "dash": look.dash}


def _cell(cell: Cell, delay_scale: float, rate: tuple[str, float]) -> Json:
    known = all(math.isfinite(value) for value in cell.quantiles_s)
    return {
        "tcp": cell.tcp,
        "scheme": cell.scheme,
        "point": cell.point,
        "runs": len(cell.rows),
        "values": {column: bounds(interval) for column, interval in cell.intervals.items()},
        "seeds": {
            column: [digits(value) for value in values]
            for column, values in cell.single.items()
            if len(values) > 1
        },
        "quantiles": [digits(value * delay_scale) for value in cell.quantiles_s] if known else None,
        "ceiling": digits(cell.capacity_bps * rate[1]),
        "letters": cell.letters,
    }


def _paper(match: Match) -> Json:
    return {
        "tcp": match.cell.tcp,
        "scheme": match.cell.scheme,
        "point": match.cell.point,
        "measure": match.measure.column,
        "value": digits(match.value),
        "low": digits(match.value - match.error),
        "high": digits(match.value + match.error),
        "source": match.source,
    }


def _distribution(summary: Summary, results: Results, records: RunRecords, scale: float) -> Json:
    """Return the distribution of one run's delays, empty for a run that delivered nothing."""
    quantiles = [digits(value * scale) for value in delay_quantiles_s(records)]
    return {**_run(summary, results, records), "x": quantiles, "y": [digits(level) for level in LEVELS]}


def _timeline(summary: Summary, results: Results, records: RunRecords) -> Json:
    """Return the course of one run."""
    end_s = float(results.runs["simulated_s"].iloc[records.row])
    course = panels(records, end_s, summary.rate_unit, delay_unit(results.runs))
    for panel in course:
        for layer in panel.layers:
            layer.data[:] = _rounded(layer.data)
    return {**_run(summary, results, records), "end_s": end_s, "panels": [asdict(panel) for panel in course]}


def _rounded(data: Sequence[Any]) -> list[Any]:
    """Return nested lists of numbers with six significant digits."""
    return [_rounded(item) if isinstance(item, list) else float(f"{item:.6g}") for item in data]


def _liveliest(results: Results) -> int:
    """Return which of the recorded runs to show first: the one with the greatest goodput."""
    goodputs = [float(results.runs["goodput_bps"].iloc[records.row] or 0) for records in results.records]
    return goodputs.index(max(goodputs)) if goodputs else 0


def _run(summary: Summary, results: Results, records: RunRecords) -> Json:
    tcp, scheme, point = summary.keys[records.row]
    return {"tcp": tcp, "scheme": scheme, "point": point, "seed": int(results.runs["seed"].iloc[records.row])}
