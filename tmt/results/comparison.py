"""Two campaigns beside each other: paired differences, second minus first, of each cell and measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tmt.core.errors import UsageError
from tmt.core.words.html_table import ShownInNotebooks
from tmt.results.cells import Cell, Summary, grid_of, numbers_of
from tmt.results.dataset import Results
from tmt.results.measures import measures
from tmt.results.pairing import MEMBERS, pair_runs, place_names
from tmt.results.statistics import Interval, holm, paired_difference, t_interval
from tmt.results.values import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.measures import Measure
    from tmt.results.pairing import Pairs

ALPHA = 0.05
"""Level of the tests."""

PROGRAMS = ("tmt_version", "simulator", "sources")
"""Columns that name the programs that made a run."""


@dataclass(frozen=True, slots=True)
class CellDifference:
    """One measure of one cell on the seeds that both campaigns have, in the measure's unit.

    `difference` is second minus first, `values` that of each pair; `p_adjusted` is Holm's over all cells of
    the measure.
    """

    first: Interval
    second: Interval
    difference: Interval
    values: tuple[float, ...]
    p_adjusted: float

    @property
    def is_significant(self) -> bool:
        """Whether the difference is significant at `ALPHA`."""
        return self.p_adjusted <= ALPHA

    @property
    def relative(self) -> float:
        """Mean difference as a share of the first campaign's mean; NaN where that is 0."""
        return self.difference.mean / abs(self.first.mean) if self.first.mean else float("nan")


@dataclass(frozen=True, slots=True)
class PairedCampaigns(ShownInNotebooks):
    """Two campaigns beside each other.

    Attributes
    ----------
    first, second
        The campaigns.
    names
        What to call them.
    pairs
        Their matched runs.
    results
        The matched runs of the second campaign, with the axes of both.
    summary
        Its cells; the intervals and single values are those of the differences, second minus first.
    cells
        For each cell of the summary, its differences by measure.
    """

    first: Results
    second: Results
    names: tuple[str, str]
    pairs: Pairs
    results: Results
    summary: Summary
    cells: tuple[dict[str, CellDifference], ...]

    def differences_of(self, column: str) -> list[tuple[Cell, CellDifference]]:
        """Return the cells that have a measure, each with its difference."""
        cells = zip(self.summary.cells, self.cells, strict=True)
        return [(cell, by_measure[column]) for cell, by_measure in cells if column in by_measure]


def compare(first: Results, second: Results, names: tuple[str, str]) -> PairedCampaigns:
    """Match the runs of two campaigns and compute their paired differences.

    Raises
    ------
    UsageError
        When no run has a partner.
    """
    pairs = pair_runs(first, second)
    before, after = pairs.first, pairs.second
    runs = after.assign(**{name: _both(before[name], after[name]) for name in MEMBERS})
    results = Results(f"{names[1]} minus {names[0]}", "", runs, pairs.axes)
    grid, rows = grid_of(results)
    shown = measures(pd.concat([before, after], ignore_index=True))
    found = _differences(before, after, list(rows.values()), shown)
    cells = [
        Cell(
            *key,
            members,
            {column: one.difference for column, one in by_measure.items()},
            {column: list(one.values) for column, one in by_measure.items()},
            [],
            float("nan"),
            {
                column: dict.fromkeys(MEMBERS, "*" if one.is_significant else "")
                for column, one in by_measure.items()
            },
        )
        for (key, members), by_measure in zip(rows.items(), found, strict=True)
    ]
    summary = replace(grid, measures=shown, cells=cells)
    return PairedCampaigns(first, second, names, pairs, results, summary, tuple(found))


def earlier_runs(results: Results) -> Results:
    """Return a campaign with its runs of earlier programs or traces in place of the latest.

    Of several earlier runs at one place of the grid the last one counts.

    Raises
    ------
    UsageError
        When the campaign has no such runs.
    """
    older = results.older
    if older is None or not len(older):
        raise UsageError(
            "one campaign is compared with its runs of earlier programs or traces, and it has none; name two"
        )
    cell = [*MEMBERS, *(axis.column for axis in results.axes), "seed"]
    last = older.sort_values("finished_at", kind="stable").drop_duplicates(cell, keep="last").sort_index()
    return replace(results, runs=last.reset_index(drop=True), older=None, failures=())


def identities(comparison: PairedCampaigns) -> list[tuple[str, str, str]]:
    """Return the origin of the paired runs of each campaign: programs, link traces, times."""
    sides = (comparison.pairs.first, comparison.pairs.second)
    found = [(column, _listed(sides[0][column]), _listed(sides[1][column])) for column in PROGRAMS]
    for column, what in (("forward_sha256", "forward link traces"), ("return_sha256", "return link traces")):
        first, second = (runs[column].dropna() for runs in sides)
        if len(first) or len(second):
            shared = f"{len(set(first) & set(second))} of them in both"
            found.append((what, f"{first.nunique()}, {shared}", f"{second.nunique()}, {shared}"))
    found.append(("finished", _times(sides[0]), _times(sides[1])))
    return found


def unpaired(comparison: PairedCampaigns) -> list[tuple[str, str, list[int]]]:
    """Return campaign, cell and seeds of the runs that have no partner."""
    pairs = comparison.pairs
    sides = (
        (comparison.names[0], pairs.only_first, comparison.first),
        (comparison.names[1], pairs.only_second, comparison.second),
    )
    found: list[tuple[str, str, list[int]]] = []
    for name, runs, campaign in sides:
        seeds: dict[str, list[int]] = {}
        for place, seed in zip(place_names(runs, campaign.axes), runs["seed"], strict=True):
            seeds.setdefault(place, []).append(int(seed))
        found.extend((name, place, sorted(of_place)) for place, of_place in seeds.items())
    return found


def remarks(comparison: PairedCampaigns) -> list[str]:
    """Return the remarks that a reader needs to judge the differences."""
    pairs, found = comparison.pairs, []
    for name, campaign in zip(comparison.names, (comparison.first, comparison.second), strict=True):
        if campaign.failures:
            found.append(f"{name} has {len(campaign.failures)} failed runs; they are in no pair.")
    elsewhere = int((~pairs.same_channel).sum())
    if elsewhere:
        found.append(
            f"In {elsewhere} of {len(pairs.first)} pairs the two runs see other slots: other traces, or "
            "other places in them. Their differences include the channel's chance."
        )
    if all(len(cell.rows) < 2 for cell in comparison.summary.cells):
        found.append("Every cell has one pair only: its difference has no interval and no test.")
    return found


def _times(runs: pd.DataFrame) -> str:
    times = runs["finished_at"].dropna()
    return f"{times.min()} to {times.max()}" if len(times) else ""


def _listed(values: pd.Series) -> str:
    return ", ".join(sorted(set(texts(values.dropna()))))


def _both(first: pd.Series, second: pd.Series) -> list[str]:
    """Return the names of pairs: one name, or both where they differ."""
    pairs = zip(first.astype(str), second.astype(str), strict=True)
    return [one if one == other else f"{one} → {other}" for one, other in pairs]


def _differences(
    before: pd.DataFrame, after: pd.DataFrame, cells: Sequence[list[int]], shown: Sequence[Measure]
) -> list[dict[str, CellDifference]]:
    """Return the differences of each cell by measure; the cells of a measure are one family of tests."""
    found: list[dict[str, CellDifference]] = [{} for _ in cells]
    for measure in shown:
        first, second = (numbers_of(runs, measure.column) * measure.scale for runs in (before, after))
        has_both = np.isfinite(first - second)
        valued = [
            (place, pairs) for place, rows in enumerate(cells) if (pairs := [r for r in rows if has_both[r]])
        ]
        tests = [paired_difference(second[pairs], first[pairs]) for _, pairs in valued]
        adjusted = holm([p_value for _, p_value in tests])
        for (place, pairs), (difference, _), p_adjusted in zip(valued, tests, adjusted, strict=True):
            found[place][measure.column] = CellDifference(
                t_interval(first[pairs]),
                t_interval(second[pairs]),
                difference,
                tuple((second[pairs] - first[pairs]).tolist()),
                float(p_adjusted),
            )
    return found
