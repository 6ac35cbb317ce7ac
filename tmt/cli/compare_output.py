"""Output of `tmt compare`: tables of paired differences, or JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from tmt.cli.json_output import json_text
from tmt.cli.tables import print_parts, text_table
from tmt.core.words.values import percent
from tmt.results.comparison import ALPHA, identities, remarks, unpaired
from tmt.results.values import COMPARED, interval_text
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.table import Table

    from tmt.results.comparison import CellDifference, PairedCampaigns
    from tmt.results.dataset import Results

UNPAIRED_SHOWN = 6
"""Cells without a partner that are listed; JSON and the page hold all of them."""


def as_json(comparison: PairedCampaigns, page: Path | None) -> str:
    """Return the comparison for programs; values in the units that `measures` names."""
    pairs, summary = comparison.pairs, comparison.summary
    content = {
        "first": _campaign(comparison.names[0], comparison.first),
        "second": _campaign(comparison.names[1], comparison.second),
        "pairs": len(pairs.first),
        "equal": int(pairs.equal.sum()),
        "same_channel": int(pairs.same_channel.sum()),
        "settings_that_differ": [asdict(setting) for setting in pairs.settings],
        "made_by": [
            dict(zip(("what", "first", "second"), row, strict=True)) for row in identities(comparison)
        ],
        "unpaired": [
            {"campaign": name, "cell": cell, "seeds": seeds} for name, cell, seeds in unpaired(comparison)
        ],
        "remarks": remarks(comparison),
        "measures": {measure.column: measure.unit for measure in summary.measures},
        "cells": [
            {
                "tcp": summary.tcps[cell.tcp],
                "scheme": summary.schemes[cell.scheme],
                "point": summary.levels(cell.point),
                "measures": {
                    column: asdict(one) | {"relative": one.relative} for column, one in by_measure.items()
                },
            }
            for cell, by_measure in zip(summary.cells, comparison.cells, strict=True)
        ],
        "page": None if page is None else str(page),
    }
    return json_text(content)


def _campaign(name: str, results: Results) -> dict[str, Any]:
    return {"name": name, "title": results.title, "runs": len(results.runs), "failed": len(results.failures)}


def print_comparison(comparison: PairedCampaigns) -> None:
    """Print the pairs, their different settings and programs, and the differences."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    pairs = comparison.pairs
    for name, results in zip(comparison.names, (comparison.first, comparison.second), strict=True):
        console.print(f"{name}: {results.title}, {len(results.runs)} runs")
    console.print(f"{len(pairs.first)} pairs of runs: the same place in the grid, the same seed")
    _print_unpaired(console, comparison)
    if pairs.settings:
        rows = ((one.name, _few(one.first), _few(one.second), str(one.pairs)) for one in pairs.settings)
        print_parts(_table("Settings that differ", ("setting", *comparison.names, "pairs"), rows))
    made = [(what, _short(first), _short(second)) for what, first, second in identities(comparison)]
    print_parts(_table("Made by", ("", *comparison.names), made))
    for remark in remarks(comparison):
        console.print(f"note: {remark}")
    if pairs.equal.all():
        console.print("All pairs are equal in everything that they measured, bit by bit.")
        return
    for table in _differences(comparison):
        print_parts(table)
    console.print(
        f"{int(pairs.equal.sum())} pairs are equal in everything that they measured, bit by bit.\n"
        "Intervals: Student's t at 95 % over the seeds that both have; differences are paired.\n"
        f"* differs: paired t test at {percent(ALPHA)}, with Holm's correction over the cells of a measure."
    )


def _print_unpaired(console: Console, comparison: PairedCampaigns) -> None:
    alone = unpaired(comparison)
    for name, cell, seeds in alone[:UNPAIRED_SHOWN]:
        console.print(f"only in {name}: {cell}, {_seeds(seeds)}")
    if len(alone) > UNPAIRED_SHOWN:
        console.print(f"and {len(alone) - UNPAIRED_SHOWN} more cells in one campaign only")


def _differences(comparison: PairedCampaigns) -> Iterable[Table]:
    """Give a table for each compared measure."""
    summary = comparison.summary
    for measure in summary.measures:
        if measure.column not in COMPARED:
            continue
        rows = []
        for cell, one in comparison.differences_of(measure.column):
            label, place = tcp_label(summary.tcps[cell.tcp]), summary.point_label(cell.point)
            rows.append((label, summary.schemes[cell.scheme], place, *_values(one)))
        first, second = comparison.names
        header = ("TCP", "scheme", "", first, second, "difference", "", "pairs", "p (Holm)")
        yield _table(f"{measure.label} in {measure.unit}, difference {second} minus {first}", header, rows)


def _values(one: CellDifference) -> tuple[str, ...]:
    mark = "*" if one.is_significant else " "
    relative = "" if math.isnan(one.relative) else f"{one.relative:+.1%}"
    return (
        interval_text(one.first),
        interval_text(one.second),
        f"{interval_text(one.difference, signed=True)}{mark}",
        relative,
        str(one.difference.count),
        f"{one.p_adjusted:.2g}",
    )


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    kept = list(rows)
    words = {i for row in kept for i, text in enumerate(row) if text[:1] not in "+-0123456789"}
    return text_table(title, header, kept, words)


def _few(values: Sequence[str]) -> str:
    return ", ".join(values[:3]) + (f" and {len(values) - 3} more" if len(values) > 3 else "")


def _short(text: str) -> str:
    """Return a text with hashes cut to 16 digits."""
    return ", ".join(part[:16] if len(part) == 64 else part for part in text.split(", "))


def _seeds(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    is_range = list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"seeds {seeds[0]} to {seeds[-1]}" if is_range else f"{len(seeds)} seeds"
