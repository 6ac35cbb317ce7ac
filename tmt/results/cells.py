"""Compute cells from runs: means and intervals over seeds, ranks, paired differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from tmt.results.codes import codes_of, places_of
from tmt.results.measures import Measure, measures, numbers_of, possible
from tmt.results.statistics import LEVEL, Interval, compare_all, holm, paired_difference, rank, t_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tmt.results.values import Axis

MEMBERS: tuple[Literal["tcp", "scheme"], ...] = ("tcp", "scheme")

DELAY_QUANTILES = ("delay_min_s", "delay_median_s", "delay_p85_s", "delay_p95_s", "delay_p99_s")

Point = tuple[int, ...]
"""A point of the grid: for each axis the index of its value."""

Key = tuple[int, int, int]
"""TCP, scheme and point of a cell, as indexes into the lists of `Summary`."""


@dataclass(slots=True)
class Cell:
    """The runs of one TCP variant, scheme and grid point; values are in the measures' units.

    `tcp`, `scheme` and `point` are indexes into the lists of `Summary`. `single` holds one value per run, by
    measure. `capacity_bps` is the TCP payload that full packets sent back to back would carry; NaN for an
    online scheme. `letters` holds by measure the significance letters among the TCP variants over this scheme
    (key ``tcp``), and among the schemes under this variant (key ``scheme``); in a comparison, a star marks a
    significant difference. `among_best` tells by measure whether no TCP variant over this scheme is
    significantly better.
    """

    tcp: int
    scheme: int
    point: int
    rows: list[int]
    intervals: dict[str, Interval]
    single: dict[str, list[float]]
    quantiles_s: list[float]
    capacity_bps: float
    letters: dict[str, dict[str, str]] = field(default_factory=dict)
    among_best: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """First minus second on the same seeds, in the measure's unit; the two differ in `among` and agree in
    `held`.
    """

    point: int
    measure: Measure
    among: Literal["tcp", "scheme"]
    held: int
    first: int
    second: int
    difference: Interval
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class Summary:
    """All cells of a campaign, and the lists that their indexes refer to."""

    tcps: list[str]
    schemes: list[str]
    """Labels of the schemes."""
    scheme_names: list[str]
    """Name of each scheme in the registry; empty for rows of old campaigns without one."""
    points: list[Point]
    measures: list[Measure]
    cells: list[Cell]
    differences: list[Difference]
    keys: list[Key]
    """TCP, scheme and point of each run."""
    axes: tuple[Axis, ...]
    """The axes of the grid, in the order of the indexes of a point."""

    def levels(self, point: int) -> dict[str, Any]:
        """Return the values of a point, by the column of each axis."""
        named = zip(self.axes, self.points[point], strict=True)
        return {axis.column: axis.levels[level] for axis, level in named}

    def point_label(self, point: int) -> str:
        """Return a point of the grid as text, such as ``Es/N0 5 dB``; empty for a grid of one point."""
        named = list(zip(self.axes, self.levels(point).values(), strict=True))
        if any(axis.column == "trace" for axis, _ in named):  # its name replaces missing parameters
            named = [one for one in named if not (one[0].column.startswith("trace.") and one[1] is None)]
        return ", ".join(text for axis, level in named for text in axis.named([level]))

    def rows_at(self, point: int) -> tuple[list[int], dict[int, list[Cell | None]]]:
        """Return the TCP variants at a point, and the cells of each scheme there in their order."""
        cells = {(cell.scheme, cell.tcp): cell for cell in self.cells if cell.point == point}
        schemes, tcps = (sorted({key[place] for key in cells}) for place in (0, 1))
        return tcps, {scheme: [cells.get((scheme, tcp)) for tcp in tcps] for scheme in schemes}

    @property
    def rate_unit(self) -> tuple[str, float]:
        """Unit in which rates are shown, and its scale from bit/s."""
        units = (m for m in self.measures if m.column == "goodput_bps")
        return next(((m.unit, m.scale) for m in units), ("kbit/s", 1e-3))

    def place_of(self, cell: Cell) -> dict[str, Any]:
        """Return TCP variant, scheme, its name, and the level on each axis by the axis's column."""
        names = {"tcp": self.tcps[cell.tcp], "scheme": self.schemes[cell.scheme]}
        return names | {"scheme_name": self.scheme_names[cell.scheme]} | self.levels(cell.point)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each cell and measure, in the measure's unit.

        Columns: `tcp`, `scheme`, `scheme_name`, one for each axis, `measure`, `unit`, `mean`, `low` and
        `high` of its 95 % interval, `runs`; `tcp_letters` and `scheme_letters`: two variants over one scheme,
        or two schemes under one variant, that share a letter do not differ significantly; `among_best`:
        whether no variant over this scheme is significantly better.
        """
        rows = [
            self.place_of(cell)
            | {"measure": measure.column, "unit": measure.unit}
            | {"mean": one.mean, "low": one.low, "high": one.high, "runs": one.count}
            | {f"{among}_letters": cell.letters.get(measure.column, {}).get(among) for among in MEMBERS}
            | {"among_best": cell.among_best.get(measure.column)}
            for cell in self.cells
            for measure in self.measures
            if (one := cell.intervals.get(measure.column)) is not None
        ]
        return pd.DataFrame(rows)


def summarise(runs: pd.DataFrame, axes: tuple[Axis, ...]) -> Summary:
    """Return means, 95 % intervals and paired differences of all finished runs."""
    shown = measures(runs) if len(runs) else []
    grid, rows = grid_of(runs, axes)
    members = list(rows.values())
    cells = [Cell(*key, own, {}, {}, [], math.nan) for key, own in rows.items()]
    for measure in shown:
        for number, one, kept in _intervals(measure.of(runs), members):
            cells[number].single[measure.column] = kept
            if kept:
                cells[number].intervals[measure.column] = possible(one, measure.column, measure.scale)
    for name in DELAY_QUANTILES:
        for number, one, _ in _intervals(numbers_of(runs, name), members):
            cells[number].quantiles_s.append(one.mean)
    for number, one, _ in _intervals(numbers_of(runs, "capacity_bps"), members):
        cells[number].capacity_bps = one.mean
    points: list[list[Cell]] = [[] for _ in grid.points]
    for cell in cells:
        points[cell.point].append(cell)
    differences = [
        difference
        for measure in shown
        if measure.is_compared
        for values in [measure.of(runs)]
        for of_point in points
        for difference in _compare(runs["seed"].to_numpy(), values, of_point, measure)
    ]
    return replace(grid, measures=shown, cells=cells, differences=differences)


def best(runs: pd.DataFrame, cells: Sequence[Cell], measure: Measure) -> tuple[Cell, list[Cell]] | None:
    """Return the best of several cells and those not significantly worse; None when no cell has a value.

    Only pairs with the best cell are tested, with Holm's correction over these pairs.
    """
    valued = [cell for cell in cells if measure.column in cell.intervals]
    if not valued:
        return None
    sign = -1 if measure.better == "less" else 1
    order = sorted(valued, key=lambda cell: -sign * cell.intervals[measure.column].mean)
    table = _table(runs["seed"].to_numpy(), measure.of(runs), order).T
    adjusted = holm([paired_difference(table[0], other)[1] for other in table[1:]])
    tied = [cell for cell, p_value in zip(order[1:], adjusted, strict=True) if p_value > 1 - LEVEL]
    return order[0], tied


def grid_of(runs: pd.DataFrame, axes: tuple[Axis, ...]) -> tuple[Summary, dict[Key, list[int]]]:
    """Return the summary of a grid without its cells, and for each cell in order the rows of its runs."""
    (tcp_of, tcps), (scheme_of, schemes) = (codes_of(runs[name]) for name in MEMBERS)
    names = runs.drop_duplicates("scheme")["scheme_name"].fillna("").tolist()
    levels = np.stack(
        [*(places_of(runs[axis.column], axis.levels) for axis in axes), np.zeros(len(runs), np.intp)], axis=1
    )
    points, point_of = np.unique(levels, axis=0, return_inverse=True)
    keys = np.stack([tcp_of, scheme_of, point_of.ravel()], axis=1)
    order = np.lexsort(keys.T[::-1])
    begins = np.flatnonzero(np.diff(keys[order], axis=0, prepend=-1).any(axis=1))
    rows = {
        (tcp, scheme, point): members.tolist()
        for (tcp, scheme, point), members in zip(
            keys[order][begins].tolist(), np.split(order, begins)[1:], strict=True
        )
    }
    of_run: list[Key] = list(map(tuple, keys.tolist()))
    found: list[Point] = list(map(tuple, points[:, : len(axes)].tolist()))
    return Summary([*map(str, tcps)], [*map(str, schemes)], names, found, [], [], [], of_run, axes), rows


def equal_sizes(
    groups: Sequence[Sequence[int]], counts: npt.NDArray[np.bool_]
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Yield groups of rows as tables of equal size, without the rows that do not count.

    Each item holds the numbers of the groups, [n_groups], and their rows, [n_groups, n_rows].
    """
    rows = np.concatenate([np.asarray(group, dtype=np.intp) for group in groups])
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    rows, owner = rows[counts[rows]], owner[counts[rows]]
    sizes = np.bincount(owner, minlength=len(groups))
    begins = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        found = np.flatnonzero(sizes == size)
        yield found, rows[begins[found][:, None] + np.arange(size)]


def _intervals(
    values: npt.NDArray[np.float64], groups: Sequence[Sequence[int]]
) -> Iterator[tuple[int, Interval, list[float]]]:
    """Yield each group of rows with the interval of its finite values, and these values."""
    for numbers, rows in equal_sizes(groups, np.isfinite(values)) if groups else ():
        table = values[rows]
        yield from zip(numbers.tolist(), t_intervals(table), table.tolist(), strict=True)


def _compare(
    seeds: npt.NDArray[np.int64], values: npt.NDArray[np.float64], cells: Sequence[Cell], measure: Measure
) -> list[Difference]:
    """Compare the cells of one point: TCP variants over each scheme, and schemes under each variant."""
    found: list[Difference] = []
    for among, held_name in zip(MEMBERS, reversed(MEMBERS), strict=True):
        groups: dict[int, list[Cell]] = {}
        for cell in cells:
            if measure.column in cell.intervals:
                groups.setdefault(getattr(cell, held_name), []).append(cell)
        for held, group in sorted(groups.items()):
            if len(group) < 2 or max(len(cell.rows) for cell in group) < 2:
                continue
            table = _table(seeds, values, group)
            compared = compare_all(table)
            for ranked in rank(-table if measure.better == "less" else table, compared):
                cell = group[ranked.column]
                cell.letters.setdefault(measure.column, {})[among] = ranked.letters
                if among == "tcp":
                    cell.among_best[measure.column] = ranked.among_best
            for pair in compared:
                first, second = (getattr(group[at], among) for at in (pair.first, pair.second))
                one = Difference(
                    group[0].point, measure, among, held, first, second, pair.difference, pair.p_adjusted
                )
                found.append(one)
    return found


def _table(
    seeds: npt.NDArray[np.int64], values: npt.NDArray[np.float64], cells: Sequence[Cell]
) -> npt.NDArray[np.float64]:
    """Return seeds x cells of one measure of all runs; NaN where a cell has no run of that seed."""
    found = np.unique(np.concatenate([seeds[cell.rows] for cell in cells]))
    table = np.full((len(found), len(cells)), np.nan)
    for column, cell in enumerate(cells):
        table[np.searchsorted(found, seeds[cell.rows]), column] = values[cell.rows]
    return table
