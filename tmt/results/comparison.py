"""Two campaigns side by side: paired differences, second minus first, of each cell and measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tmt.core.errors import UsageError
from tmt.core.words.html_table import ShownInNotebooks
from tmt.core.words.values import counted
from tmt.results.cells import MEMBERS, Cell, Summary, equal_sizes, grid_of
from tmt.results.codes import codes_of, joined, spread
from tmt.results.dataset import Results
from tmt.results.measures import measures, possible
from tmt.results.pairing import PROGRAMS, pair_runs, place_names
from tmt.results.statistics import Interval, holm, paired_differences, t_intervals
from tmt.results.values import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tmt.results.measures import Measure
    from tmt.results.pairing import Pairs

ALPHA = 0.05
"""Level of the tests."""


@dataclass(frozen=True, slots=True)
class CellDifference:
    """One measure of one cell on the seeds of both campaigns, in the measure's unit.

    `difference` is second minus first, `values` are the differences of the pairs; `p_adjusted` is Holm's over
    all cells of the measure.
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
    def excludes_zero(self) -> bool:
        """Whether the interval of the difference lies on one side of 0."""
        return self.difference.low > 0 or self.difference.high < 0

    @property
    def relative(self) -> float:
        """Mean difference as a share of the first campaign's mean; NaN where that is 0."""
        return self.difference.mean / abs(self.first.mean) if self.first.mean else float("nan")


@dataclass(frozen=True, slots=True)
class PairedCampaigns(ShownInNotebooks):
    """Two campaigns side by side, their names, and the pairs of their runs.

    `results` are the matched runs of the second campaign, with the axes of both; `summary` has its cells,
    with intervals and single values of the differences, second minus first. `cells` holds the differences by
    measure, for each cell of the summary.
    """

    first: Results
    second: Results
    names: tuple[str, str]
    pairs: Pairs
    results: Results
    summary: Summary
    cells: tuple[dict[str, CellDifference], ...]

    @property
    def groups(self) -> PairedCampaigns | None:
        """The groups of flows of both campaigns side by side; None without groups."""
        first, second = self.first.groups, self.second.groups
        return None if first is None or second is None else compare(first, second, self.names)

    def differences_of(self, column: str) -> list[tuple[Cell, CellDifference]]:
        """Return the cells that have a measure, each with its difference."""
        cells = zip(self.summary.cells, self.cells, strict=True)
        return [(cell, by_measure[column]) for cell, by_measure in cells if column in by_measure]

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each cell and measure, in the measure's unit.

        Columns: `tcp`, `scheme`, `scheme_name`, one for each axis, `measure`, `unit`, the means of the pairs
        in the `first` and the `second` campaign, `difference` with `low` and `high` of its 95 % interval,
        `relative` to the first, `pairs`, `p_adjusted` and `significant`.
        """
        rows = [
            self.summary.place_of(cell)
            | {"measure": measure.column, "unit": measure.unit}
            | {"first": one.first.mean, "second": one.second.mean, "difference": one.difference.mean}
            | {"low": one.difference.low, "high": one.difference.high, "relative": one.relative}
            | {"pairs": one.difference.count, "p_adjusted": one.p_adjusted}
            | {"significant": one.is_significant}
            for measure in self.summary.measures
            for cell, one in self.differences_of(measure.column)
        ]
        return pd.DataFrame(rows)


def compare(first: Results, second: Results, names: tuple[str, str]) -> PairedCampaigns:
    """Match the runs of two campaigns and compute their paired differences; errors as `pair_runs`."""
    pairs = pair_runs(first, second)
    before, after = pairs.first, pairs.second
    runs = after.assign(**{name: _both(before[name], after[name]) for name in MEMBERS})
    results = Results(f"{names[1]} minus {names[0]}", "", runs, pairs.axes)
    grid, rows = grid_of(runs, pairs.axes)
    shown = measures(before, after)
    found = _differences(before, after, list(rows.values()), shown)
    cells = []
    for (key, members), of_cell in zip(rows.items(), found, strict=True):
        intervals = {column: one.difference for column, one in of_cell.items()}
        single = {column: list(one.values) for column, one in of_cell.items()}
        stars: dict[str, dict[str, str]] = {
            column: dict.fromkeys(MEMBERS, "*" if one.is_significant else "")
            for column, one in of_cell.items()
        }
        cells.append(Cell(*key, members, intervals, single, [], float("nan"), stars))
    summary = replace(grid, measures=shown, cells=cells)
    return PairedCampaigns(first, second, names, pairs, results, summary, tuple(found))


def earlier_runs(results: Results) -> Results:
    """Return a campaign with its runs of earlier programs or traces in place of the latest.

    Of several earlier runs at one point of the grid the last one counts. UsageError when there are none.
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
    """Return the origin of each campaign's paired runs: programs, link traces, times."""
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
    """Return the notes that a reader needs to judge the differences."""
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
    differences = [one for by_measure in comparison.cells for one in by_measure.values()]
    apart = sum(one.excludes_zero and not one.is_significant for one in differences)
    if apart:
        found.append(
            f"In {apart} of {counted(len(differences), 'difference')} the interval excludes 0 and the test "
            "finds nothing significant: an interval is about its cell alone, the test corrects for all "
            "cells of the measure."
        )
    if all(len(cell.rows) < 2 for cell in comparison.summary.cells):
        found.append("Every cell has one pair only: its difference has no interval and no test.")
    return found


def _times(runs: pd.DataFrame) -> str:
    times = runs["finished_at"].dropna()
    return f"{times.min()} to {times.max()}" if len(times) else ""


def _listed(values: pd.Series) -> str:
    return ", ".join(sorted(set(texts(values.dropna()))))


def _both(first: pd.Series, second: pd.Series) -> npt.NDArray[np.object_]:
    """Return the names of pairs: one name, or both where they differ."""
    (one_of, one), (other_of, other) = codes_of(first), codes_of(second)
    pairs = joined(one_of, other_of)
    _, rows = np.unique(pairs, return_index=True)
    names = ((one[one_of[row]], other[other_of[row]]) for row in rows)
    return spread([a if a == b else f"{a} → {b}" for a, b in names], pairs)


def _differences(
    before: pd.DataFrame, after: pd.DataFrame, cells: Sequence[list[int]], shown: Sequence[Measure]
) -> list[dict[str, CellDifference]]:
    """Return the differences of each cell by measure; all cells of a measure are tested together."""
    found: list[dict[str, CellDifference]] = [{} for _ in cells]
    for measure in shown:
        first, second = (measure.of(runs) for runs in (before, after))
        tested: list[tuple[int, Interval, Interval, tuple[Interval, float], list[float]]] = []
        for numbers, rows in equal_sizes(cells, np.isfinite(first - second)):
            if rows.size:
                one, other = first[rows], second[rows]
                tests, values = paired_differences(other, one), (other - one).tolist()
                tested += zip(
                    numbers.tolist(), t_intervals(one), t_intervals(other), tests, values, strict=True
                )
        adjusted = holm([test[1] for *_, test, _ in tested]).tolist()
        for (place, *means, test, pairs), p_adjusted in zip(tested, adjusted, strict=True):
            before_mean, after_mean = (possible(one, measure.column, measure.scale) for one in means)
            found[place][measure.column] = CellDifference(
                before_mean, after_mean, test[0], tuple(pairs), p_adjusted
            )
    return found
