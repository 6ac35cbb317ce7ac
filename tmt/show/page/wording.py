"""The report's text: facts at the top, findings, settings, and the meaning of each measure."""

from __future__ import annotations

import json
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.core.words.values import ack_notes, counted, no_loss_notes
from tmt.results.cells import Cell, Summary, best
from tmt.results.dataset import matches
from tmt.results.statistics import seeds_needed
from tmt.results.values import COLUMNS, NO_VALUE, texts, three_digits
from tmt.show.charts.style import tcp_label
from tmt.show.page.page import Record, fact, finding, headed_tables
from tmt.show.page.views import cell_name

if TYPE_CHECKING:
    from tmt.results.dataset import Results
    from tmt.results.measures import Measure

UNTOLD = frozenset(
    {
        *("attempt", "command", "experiment", "finished_at", "key", "message", "records", "status"),
        *("forward_trace", "scheme", "scheme_name", "seed", "tcp"),
    }
)
"""Columns that the page shows elsewhere, or that differ from run to run."""

WISHED = 0.05
"""Target half width of intervals, relative to the largest mean, for the recommended number of seeds."""

MOST_POINTS = 4
"""Largest number of grid points with a finding each; in a larger grid, only the first and the last point."""

MOST_VALUES, MOST_CHARACTERS = 12, 160
"""Number, and total length, of the values of a setting that are shown; the others open on demand."""


def facts(results: Results, summary: Summary) -> list[Record]:
    """Return the few numbers at the head of the page."""
    runs, failed = results.runs, len(results.failures)
    simulated_h = float(runs["simulated_s"].sum()) / 3600 if len(runs) else 0.0
    points = [fact("points of the grid", len(summary.points))] if results.axes else []
    return [
        fact("finished runs", len(runs)),
        fact("failed runs", failed, alarm=failed > 0),
        fact("TCP variants", len(summary.tcps)),
        fact("link schemes", len(summary.schemes)),
        *points,
        fact("seeds", runs["seed"].nunique() if len(runs) else 0),
        fact("simulated", f"{simulated_h:.2g} h" if simulated_h >= 1 else f"{simulated_h * 60:.2g} min"),
    ]


def findings(results: Results, summary: Summary) -> list[Record]:
    """Return sentences on the best cells, the number of seeds and the deviation from published values."""
    points = list(range(len(summary.points)))
    if len(points) > MOST_POINTS:
        points = [points[0], points[-1]]
    shown = {measure.column: measure for measure in summary.measures}
    wanted = [("goodput_bps", "delivers most")]
    if len(points) == 1:
        wanted.append(("delay_p95_s", "has the lowest 95th percentile of delay"))
    sentences = []
    for point in points:
        cells = [cell for cell in summary.cells if cell.point == point]
        for column, verb in wanted:
            if column in shown and len(cells) > 1:
                sentences.extend(_finding(results, summary, cells, shown[column], verb))
    plain = _precision(summary) + _deviation(results, summary)
    plain += _without_losses(results, summary) + _full_of_acks(results)
    return sentences + [finding(text) for text in plain]


def _finding(
    results: Results, summary: Summary, cells: list[Cell], measure: Measure, verb: str
) -> list[Record]:
    """Return a sentence on the best cell and those not significantly worse, if any has a value."""
    winner = best(results.runs, cells, measure)
    if winner is None:
        return []
    cell, tied = winner
    interval = cell.intervals[measure.column]
    place = summary.point_label(cell.point)
    where = f"With {place}, " if place else ""
    sentence = f"{where}{cell_name(summary, cell)} {verb}: {three_digits(interval.mean)} {measure.unit}"
    if interval.count < 2:
        return [finding(f"{sentence}, in a single run, which does not show the effect of chance.")]
    sentence += f" ({three_digits(interval.low)} to {three_digits(interval.high)})"
    if not tied:
        return [finding(f"{sentence}.")]
    names, tail = [cell_name(summary, other) for other in tied], "not significantly worse."
    sentence += f"; {', '.join(names[:2])}"
    if len(names) > 2:
        return [finding(sentence, names[2:], f" are {tail}")]
    return [finding(f"{sentence} {'is' if len(names) == 1 else 'are'} {tail}")]


def _precision(summary: Summary) -> list[str]:
    """Return a sentence on how many seeds a precision of `WISHED` needs, if there are fewer."""
    measure = next((m for m in summary.measures if m.column == "goodput_bps"), None)
    spreads = [
        cell.single["goodput_bps"] for cell in summary.cells if len(cell.single.get("goodput_bps", [])) > 1
    ]
    if measure is None or not spreads:
        return []
    half_width = WISHED * max(float(np.mean(values)) for values in spreads)
    widest = max(spreads, key=lambda values: float(np.std(values, ddof=1)))
    needed, there = (seeds_needed(widest, half_width) if half_width > 0 else 0), len(widest)
    if needed <= there:
        return []
    return [
        f"To know every mean goodput to within {half_width:.2g} {measure.unit} ({100 * WISHED:g} % of the "
        f"largest), about {needed} seeds would be needed; there are {there}."
    ]


def _deviation(results: Results, summary: Summary) -> list[str]:
    """Return a sentence on how far TMT's means are from the published ones."""
    deviations = np.asarray([match.deviation for match in matches(results, summary)])
    if not len(deviations):
        return []
    rms, worst = np.sqrt(np.mean(deviations**2)), deviations[np.abs(deviations).argmax()]
    return [
        f"From {counted(len(deviations), 'published value')} ours deviate by "
        f"{100 * rms:.1f} % (root mean square), {100 * worst:+.0f} % at worst."
    ]


def _without_losses(results: Results, summary: Summary) -> list[str]:
    """Return a sentence for each trace over which TCP variants are compared and no scheme loses an LLDU."""
    if len(summary.tcps) < 2:
        return []
    lost = results.runs.groupby("trace", sort=False)["lldu_loss_ratio"].max()
    notes = (note for trace, most in lost.items() for note in no_loss_notes(f"The link over {trace}", most))
    return [f"{note}." for note in notes]


def _full_of_acks(results: Results) -> list[str]:
    """Return a sentence for each trace with a run whose acknowledgements fill or overflow the return link."""
    runs = results.runs[~results.runs["return_flows"].fillna(0).astype(bool)]
    worst = runs.groupby("trace", sort=False)[["return_ack_load", "return_queue_dropped"]].max().fillna(0)
    return [
        f"{note[:1].upper()}{note[1:]}."
        for trace, load, dropped in worst.itertuples()
        for note in ack_notes(f"the return link of {trace} in some runs", load or None, int(dropped))
    ]


def setup_tables(results: Results, summary: Summary) -> list[Record]:
    """Return varied and fixed parameters, and provenance, as tables of text."""
    runs = results.runs
    varied = [
        ["TCP variants", "", ", ".join(map(tcp_label, summary.tcps))],
        ["link schemes", "", ", ".join(summary.schemes)],
    ]
    varied += [[axis.label, axis.unit, ", ".join(texts(axis.levels))] for axis in results.axes]
    if len(runs):
        varied.append(["seeds", "", ", ".join(texts(sorted(runs["seed"].unique())))])
    axes = {axis.column for axis in results.axes}
    groups: dict[str, list[list[Any]]] = {"scenario": [], "provenance": []}
    for name, column in COLUMNS.items():
        if name not in runs or name in axes or name in UNTOLD or column.group not in groups:
            continue
        values = list(dict.fromkeys(texts(runs[name])))
        if not set(values) - {NO_VALUE}:
            continue
        groups[column.group].append([name, column.unit, _first_of(values), column.meaning])
    made = [[label, "", text, ""] for label, text in results.notes] + groups["provenance"]
    others = ["Column", "Unit", "Values", "Meaning"]
    return headed_tables(
        ("Varied settings", ["Setting", "Unit", "Values"], varied),
        ("Other settings, given or derived", others, groups["scenario"]),
        ("Programs and traces", ["Name", "Unit", "Value", "Meaning"], made),
    )


def _first_of(values: list[str]) -> str | Record:
    """Return values as text; those beyond the limits open on demand."""
    parts = [part for value in values for part in _parts(value)]
    parts[-1] = parts[-1][:-1]
    ends = accumulate(len(part) + 1 for part in parts)
    shown = max(1, sum(end <= MOST_CHARACTERS for end in islice(ends, MOST_VALUES)))
    first, more = " ".join(parts[:shown]), parts[shown:]
    return {"text": first, "more": more} if more else first


def _parts(value: str) -> list[str]:
    """Yield a value, or the members of a JSON object, each with its separator from the next."""
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return [f"{value},"]
    members = [f"{name} {_word(one)}," for name, one in found.items()]
    return [*members[:-1], f"{members[-1][:-1]};"] if members else ["none;"]


def _word(value: Any) -> str:
    return "not set" if value is None else value if isinstance(value, str) else json.dumps(value)
