"""`tmt compare`: two campaigns side by side, or one before and after a change."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import JSON, CampaignPath, json_text, output_option
from tmt.cli.progress import say, working
from tmt.cli.tables import print_parts, text_table
from tmt.cli.values import Values
from tmt.core.words.values import percent
from tmt.io.atomic import write_text
from tmt.show.charts.style import tcp_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.table import Table

    from tmt.results.dataset import Results

with imported_when_used():
    from tmt.campaign import pack_reader
    from tmt.results import comparison, groups, pairing, reading, values
    from tmt.show.page import comparison_page

CAMPAIGN = CampaignPath(or_pack=True)

UNPAIRED_SHOWN = 6
"""Number of listed cells without a partner; JSON and the page hold all of them."""


@click.command(cls=Values)
@click.argument("first", type=CAMPAIGN)
@click.argument("second", type=CAMPAIGN, required=False)
@JSON
@output_option("Write the comparison as one HTML page into this file.")
def command(first: Path, second: Path | None, as_json: bool, output: Path | None) -> None:
    """Compare the campaigns FIRST and SECOND run by run; each is a folder of results or a pack.

    Two runs are a pair if they have the same point in the grid and the same seed. The command prints the
    differences of each cell (second minus first) with their intervals and tests, the settings and programs
    that differ, and the runs that only one campaign has. Without SECOND, the latest runs of FIRST are
    compared with its runs of earlier programs or traces.

    \b
    Example:
      tmt compare scenarios/out/quickstart other/out/quickstart
      tmt compare scenarios/out/quickstart --output changes.html
      tmt compare quickstart.pack.zip scenarios/out/quickstart
    """
    with working("compares"):
        found = _read(first)
        if second is None:
            compared = comparison.compare(comparison.earlier_runs(found), found, ("earlier", "latest"))
        else:
            compared = comparison.compare(found, _read(second), names_of(first, second))
    if output is not None:
        write_text(output, comparison_page.render(compared))
    if as_json:
        say(_as_json(compared, output))
        return
    _print(compared)
    if output is not None:
        say(f"page: {output}")


def _read(campaign: Path) -> Results:
    if campaign.is_dir():
        return reading.read_rows(campaign)
    with pack_reader.unpacked(campaign) as pack:
        title = str(pack.manifest.get("title", campaign.stem))
        return reading.results_of(pairing.packed_rows(pack, campaign), title)


def names_of(first: Path, second: Path) -> tuple[str, str]:
    """Return the shortest endings that distinguish two folders' paths; FIRST and SECOND for one folder."""
    one, other = first.resolve().parts, second.resolve().parts
    for length in range(1, max(len(one), len(other)) + 1):
        if one[-length:] != other[-length:]:
            return "/".join(one[-length:]), "/".join(other[-length:])
    return "first", "second"


def _as_json(found: comparison.PairedCampaigns, page: Path | None) -> str:
    """Return the comparison as JSON; values have the units that `measures` names."""
    pairs, summary = found.pairs, found.summary
    content = {
        "first": _campaign(found.names[0], found.first),
        "second": _campaign(found.names[1], found.second),
        "pairs": len(pairs.first),
        "equal": int(pairs.equal.sum()),
        "same_channel": int(pairs.same_channel.sum()),
        "settings_that_differ": [asdict(setting) for setting in pairs.settings],
        "made_by": [
            dict(zip(("what", "first", "second"), row, strict=True)) for row in comparison.identities(found)
        ],
        "unpaired": [
            {"campaign": name, "cell": cell, "seeds": seeds}
            for name, cell, seeds in comparison.unpaired(found)
        ],
        "remarks": comparison.remarks(found),
        "measures": {measure.column: measure.unit for measure in summary.measures},
        "cells": _cells(found, "tcp"),
        "groups": [] if found.groups is None else _cells(found.groups, "group"),
        "page": None if page is None else str(page),
    }
    return json_text(content)


def _cells(found: comparison.PairedCampaigns, member: str) -> list[dict[str, Any]]:
    """Return the differences of each cell, with its TCP variant or group under the name `member`."""
    summary = found.summary
    return [
        {
            member: summary.tcps[cell.tcp],
            "scheme": summary.schemes[cell.scheme],
            "point": summary.levels(cell.point),
            "measures": {
                column: asdict(one) | {"relative": one.relative} for column, one in by_measure.items()
            },
        }
        for cell, by_measure in zip(summary.cells, found.cells, strict=True)
    ]


def _campaign(name: str, results: Results) -> dict[str, Any]:
    return {"name": name, "title": results.title, "runs": len(results.runs), "failed": len(results.failures)}


def _print(found: comparison.PairedCampaigns) -> None:
    pairs = found.pairs
    for name, results in zip(found.names, (found.first, found.second), strict=True):
        say(f"{name}: {results.title}, {len(results.runs)} runs")
    say(f"{len(pairs.first)} pairs of runs: the same place in the grid, the same seed")
    alone = comparison.unpaired(found)
    for name, cell, seeds in alone[:UNPAIRED_SHOWN]:
        say(f"only in {name}: {cell}, {_seeds(seeds)}")
    if len(alone) > UNPAIRED_SHOWN:
        say(f"and {len(alone) - UNPAIRED_SHOWN} more cells in one campaign only")
    if pairs.settings:
        rows = ((one.name, _few(one.first), _few(one.second), str(one.pairs)) for one in pairs.settings)
        print_parts(_table("Settings that differ", ("setting", *found.names, "pairs"), rows))
    made = [(what, _short(first), _short(second)) for what, first, second in comparison.identities(found)]
    print_parts(_table("Made by", ("", *found.names), made))
    for remark in comparison.remarks(found):
        say(f"note: {remark}")
    if pairs.equal.all():
        say("All pairs are equal in everything that they measured, bit by bit.")
        return
    compared = [one.column for one in found.summary.measures if one.is_compared]
    print_parts(*_differences(found, compared))
    if (of_groups := found.groups) is not None:
        print_parts(*_differences(of_groups, groups.BRIEF))
    say(
        f"{int(pairs.equal.sum())} pairs are equal in everything that they measured, bit by bit.\n"
        "Intervals: Student's t at 95 % over the seeds that both have; differences are paired.\n"
        f"* differs: paired t test at {percent(comparison.ALPHA)}, with Holm's correction over the cells "
        "of a measure."
    )


def _differences(found: comparison.PairedCampaigns, columns: Sequence[str]) -> Iterable[Table]:
    summary = found.summary
    for measure in summary.measures:
        if measure.column not in columns:
            continue
        rows = []
        for cell, one in found.differences_of(measure.column):
            label, place = tcp_label(summary.tcps[cell.tcp]), summary.point_label(cell.point)
            rows.append((label, summary.schemes[cell.scheme], place, *_values(one)))
        first, second = found.names
        header = ("TCP", "scheme", "", first, second, "difference", "", "pairs", "p (Holm)")
        yield _table(f"{measure.label} in {measure.unit}, difference {second} minus {first}", header, rows)


def _values(one: comparison.CellDifference) -> tuple[str, ...]:
    mark = "*" if one.is_significant else " "
    relative = "" if math.isnan(one.relative) else f"{one.relative:+.1%}"
    return (
        values.interval_text(one.first),
        values.interval_text(one.second),
        f"{values.interval_text(one.difference, signed=True)}{mark}",
        relative,
        str(one.difference.count),
        f"{one.p_adjusted:.2g}",
    )


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    kept = list(rows)
    words = {i for row in kept for i, text in enumerate(row) if text[:1] not in "+-0123456789"}
    return text_table(title, header, kept, words)


def _few(texts: Sequence[str]) -> str:
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


def _short(text: str) -> str:
    return ", ".join(part[:16] if len(part) == 64 else part for part in text.split(", "))


def _seeds(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    is_range = list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"seeds {seeds[0]} to {seeds[-1]}" if is_range else f"{len(seeds)} seeds"
