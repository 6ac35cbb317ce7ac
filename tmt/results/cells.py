"""Compute cells from runs: means and intervals over seeds, ranks, paired differences."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tmt.results.measures import COMPARED, Measure, measures
from tmt.results.statistics import LEVEL, Interval, compare_all, holm, paired_difference, rank, t_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd

    from tmt.results.dataset import Axis, Results

DELAY_QUANTILES = ("delay_min_s", "delay_median_s", "delay_p85_s", "delay_p95_s", "delay_p99_s")

Point = tuple[int, ...]
"""A point of the grid: for each axis the index of its value."""

Key = tuple[int, int, int]
"""TCP, scheme and point of a cell, as indexes into the lists of `Summary`."""


@dataclass(slots=True)
class Cell:
    """The runs of one TCP variant, scheme and grid point; values are in the measures' units.

    Attributes
    ----------
    tcp, scheme, point
        Indexes into the lists of `Summary`.
    single
        One value a run, by measure.
    capacity_bps
        TCP payload that full packets sent back to back would carry; NaN for a scheme that works online.
    letters
        By measure: significance letters among the TCP variants over this scheme (key ``tcp``), and among the
        schemes under this variant (key ``scheme``); in a comparison, a star for a significant difference.
    among_best
        By measure: whether no TCP variant over this scheme is significantly better.
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
    """First minus second on the same seeds, in the measure's unit: they differ in `among`, not in `held`."""

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
    """Name of each scheme in the registry; empty for a row of an old campaign that has none."""
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
        named = zip(self.axes, self.levels(point).values(), strict=True)
        return ", ".join(text for axis, level in named for text in axis.named([level]))

    def rows_at(self, point: int) -> tuple[list[int], dict[int, list[Cell | None]]]:
        """Return the TCP variants at a point, and for each scheme there its cells in their order."""
        cells = {(cell.scheme, cell.tcp): cell for cell in self.cells if cell.point == point}
        schemes, tcps = (sorted({key[place] for key in cells}) for place in (0, 1))
        return tcps, {scheme: [cells.get((scheme, tcp)) for tcp in tcps] for scheme in schemes}

    @property
    def rate_unit(self) -> tuple[str, float]:
        """Unit in which rates are shown, and its scale from bit/s."""
        units = (m for m in self.measures if m.column == "goodput_bps")
        return next(((m.unit, m.scale) for m in units), ("kbit/s", 1e-3))


def summarise(results: Results) -> Summary:
    """Return means, 95 % intervals and paired differences of all finished runs."""
    runs = results.runs
    shown = measures(runs) if len(runs) else []
    grid, rows = grid_of(results)
    cells = [_cell(runs, key, members, shown) for key, members in rows.items()]
    differences = [
        difference
        for measure in shown
        if measure.column in COMPARED
        for point in range(len(grid.points))
        for difference in _compare(runs, [c for c in cells if c.point == point], measure)
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
    table = _table(runs, order, measure)
    adjusted = holm([paired_difference(table[:, 0], other)[1] for other in table[:, 1:].T])
    tied = [cell for cell, p_value in zip(order[1:], adjusted, strict=True) if p_value > 1 - LEVEL]
    return order[0], tied


def grid_of(results: Results) -> tuple[Summary, dict[Key, list[int]]]:
    """Return the summary of a grid without its cells, and the rows of the runs of each cell in order."""
    runs = results.runs
    tcps, schemes = (list(dict.fromkeys(runs[name].astype(str))) for name in ("tcp", "scheme"))
    names = runs.drop_duplicates("scheme")["scheme_name"].fillna("").tolist()
    columns = [axis.places(runs) for axis in results.axes]
    of_run: list[Point] = list(zip(*columns, strict=True)) if columns else [()] * len(runs)
    points = sorted(set(of_run))
    number = {point: i for i, point in enumerate(points)}
    keys = [
        (tcps.index(str(tcp)), schemes.index(str(scheme)), number[point])
        for tcp, scheme, point in zip(runs["tcp"], runs["scheme"], of_run, strict=True)
    ]
    rows: dict[Key, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return Summary(tcps, schemes, names, points, [], [], [], keys, results.axes), dict(sorted(rows.items()))


def _cell(runs: pd.DataFrame, key: Key, rows: list[int], shown: Sequence[Measure]) -> Cell:
    """Return mean, interval and single values of the runs of one cell."""
    part = runs.iloc[rows]
    single = {m.column: numbers_of(part, m.column) * m.scale for m in shown}
    single = {column: values[np.isfinite(values)] for column, values in single.items()}
    values = {column: t_interval(numbers) for column, numbers in single.items() if len(numbers)}
    quantiles = [t_interval(numbers_of(part, name)).mean for name in DELAY_QUANTILES]
    capacity_bps = t_interval(numbers_of(part, "capacity_bps")).mean
    lists = {column: list(numbers) for column, numbers in single.items()}
    return Cell(*key, rows, values, lists, quantiles, capacity_bps)


def _compare(runs: pd.DataFrame, cells: Sequence[Cell], measure: Measure) -> list[Difference]:
    """Compare the cells of one point: TCP variants over each scheme, and schemes under each variant."""
    found: list[Difference] = []
    pairs: tuple[tuple[Literal["tcp", "scheme"], str], ...] = (("tcp", "scheme"), ("scheme", "tcp"))
    for among, held_name in pairs:
        for held in sorted({getattr(cell, held_name) for cell in cells}):
            group = [c for c in cells if getattr(c, held_name) == held and measure.column in c.intervals]
            if len(group) < 2 or max(len(cell.rows) for cell in group) < 2:
                continue
            table = _table(runs, group, measure)
            for ranked in rank(-table if measure.better == "less" else table):
                cell = group[ranked.column]
                cell.letters.setdefault(measure.column, {})[among] = ranked.letters
                if among == "tcp":
                    cell.among_best[measure.column] = ranked.among_best
            found.extend(
                Difference(
                    group[pair.first].point,
                    measure,
                    among,
                    held,
                    getattr(group[pair.first], among),
                    getattr(group[pair.second], among),
                    pair.difference,
                    pair.p_adjusted,
                )
                for pair in compare_all(table)
            )
    return found


def _table(runs: pd.DataFrame, cells: Sequence[Cell], measure: Measure) -> npt.NDArray[np.float64]:
    """Return seeds x cells of one measure; NaN where a cell has no run of that seed."""
    seed_of_row = runs["seed"].to_numpy()
    seeds = np.unique(np.concatenate([seed_of_row[cell.rows] for cell in cells]))
    table = np.full((len(seeds), len(cells)), np.nan)
    values = numbers_of(runs, measure.column) * measure.scale
    for column, cell in enumerate(cells):
        table[np.searchsorted(seeds, seed_of_row[cell.rows]), column] = values[cell.rows]
    return table


def numbers_of(runs: pd.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """Return a column as floats, NaN where it has no value."""
    return np.asarray(runs[column].astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan))
