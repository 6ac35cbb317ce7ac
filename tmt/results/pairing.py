"""Pairs of runs from two campaigns: the same place in the grid and the same seed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tmt.core.errors import UsageError
from tmt.results.axes import level_order, parameters
from tmt.results.measures import COLUMNS
from tmt.results.values import scalar, texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tmt.results.dataset import Axis, Results

    Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

MEASURED = frozenset({"delivery", "delay", "recovery", "window", "link", "proxy"})
"""Groups of columns with measured values."""

MEMBERS = ("tcp", "scheme")

_NO_SETTINGS = frozenset(
    {
        *("seed", "scheme_name", "scheme_parameters", "trace_parameters", "forward_trace", "return_trace"),
        *("script", "script_settings"),
    }
)
"""Scenario columns that are no settings: the seed, hashes as names, and JSON of which each entry is one."""

START = "forward_offset_s"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in which runs of some pairs differ: its values in the first and in the second campaign."""

    name: str
    unit: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    pairs: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Matched runs of two campaigns.

    Attributes
    ----------
    first, second
        The matched runs; row i of both is one pair.
    axes
        Axes of both grids, with the levels that pairs have.
    only_first, only_second
        Runs without a partner.
    settings
        Settings in which runs of some pairs differ.
    equal
        For each pair, whether everything that the runs measured is equal, bit by bit.
    same_channel
        For each pair, whether both runs start at the same place of the same slots.
    """

    first: pd.DataFrame
    second: pd.DataFrame
    axes: tuple[Axis, ...]
    only_first: pd.DataFrame
    only_second: pd.DataFrame
    settings: tuple[Setting, ...]
    equal: Flags
    same_channel: Flags


def pair_runs(first: Results, second: Results) -> Pairs:
    """Match the runs of two campaigns.

    Two runs match when they agree in their seed and in everything that either campaign varies: TCP variant,
    scheme and the axes of both grids. A setting that each campaign holds may differ; `settings` names it.

    Raises
    ------
    UsageError
        When no run has a partner; the message names the differing columns.
    """
    sides = (first.runs, second.runs)
    settings = [_settings(runs) for runs in sides]
    names = list(dict.fromkeys(str(name) for table in settings for name in table))
    settings = [table.reindex(columns=names) for table in settings]
    axes = {axis.column: axis for side in (second, first) for axis in side.axes}
    varied = [name for name in MEMBERS if any(len(runs[name].unique()) > 1 for runs in sides)]
    keys = [_keys(runs, table, [*varied, *axes]) for runs, table in zip(sides, settings, strict=True)]
    places = {key: row for row, key in enumerate(keys[1])}
    rows = sorted((places[key], row) for row, key in enumerate(keys[0]) if key in places)
    if not rows:
        raise UsageError(_no_pair(sides, settings, [*varied, *axes]))
    of_second, of_first = (list(column) for column in zip(*rows, strict=True))
    before, after = (_taken(runs, at) for runs, at in zip(sides, (of_first, of_second), strict=True))
    told = [_taken(table, at) for table, at in zip(settings, (of_first, of_second), strict=True)]
    differs = {name: _differ(told[0][name], told[1][name]) for name in names}
    for column in axes:
        after[column] = pd.Series([scalar(value) for value in told[1][column]], after.index, object)
    of_channel = [name for name in names if name.startswith("trace.") or name in {"trace", START}]
    return Pairs(
        before,
        after,
        tuple(_with_levels(axis, after[column]) for column, axis in axes.items()),
        sides[0].drop(sides[0].index[of_first]),
        sides[1].drop(sides[1].index[of_second]),
        _changed(differs, told),
        _equal(before, after).all(axis=1).to_numpy(),
        ~np.logical_or.reduce([np.zeros(len(rows), dtype=bool), *(differs[name] for name in of_channel)]),
    )


def _taken(table: pd.DataFrame, rows: list[int]) -> pd.DataFrame:
    return table.iloc[rows].reset_index(drop=True)


def differing_columns(pairs: Pairs) -> dict[str, int]:
    """Return the number of pairs that differ in each measured column in which any differs."""
    counts = (~_equal(pairs.first, pairs.second)).sum()
    return {str(name): int(count) for name, count in counts.items() if count}


def place_names(runs: pd.DataFrame, axes: Sequence[Axis]) -> list[str]:
    """Return the name of each run's cell: TCP variant, scheme and levels of the axes."""
    levels = [axis.named(runs[axis.column]) for axis in axes]
    return [
        ", ".join([f"{tcp} over {scheme}", *at])
        for tcp, scheme, *at in zip(runs["tcp"], runs["scheme"], *levels, strict=True)
    ]


def _settings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the settings of each run; a parameter of its trace or scheme has a column of its own."""
    declared = [
        column.name
        for column in COLUMNS.values()
        if column.group == "scenario" and column.name not in _NO_SETTINGS
    ]
    table = {name: [_exact(value) for value in runs[name]] for name in declared if name in runs}
    for kind in ("trace", "scheme"):
        for name, values in parameters(runs, kind).items():
            table[f"{kind}.{name}"] = [_exact(value) for value in values]
    return pd.DataFrame(table, runs.index, dtype=object)


def _keys(runs: pd.DataFrame, settings: pd.DataFrame, names: Sequence[str]) -> list[Hashable]:
    columns = [[_exact(value) for value in settings[name]] for name in names]
    return list(zip(*columns, [int(seed) for seed in runs["seed"]], strict=True))


def _differ(first: pd.Series, second: pd.Series) -> Flags:
    pairs = zip(first, second, strict=True)
    return np.array([_exact(one) != _exact(other) for one, other in pairs], dtype=bool)


def _exact(value: Any) -> Hashable:
    """Return a value of Python, None where it is missing."""
    if scalar(value) is None:
        return None
    exact: Hashable = value.item() if hasattr(value, "item") else value
    return exact if isinstance(exact, str | int | float) else json.dumps(exact)


def _spelled(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the distinct values as text, with the digits in which they may differ."""
    spelled = (f"{one:.12g}" if isinstance(one, float) else texts([one])[0] for one in map(_exact, values))
    return tuple(sorted(set(spelled)))


def _equal(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return for each pair and measured column whether both values are equal; two missing values are."""
    there = set(first) & set(second)
    names = [name for name, column in COLUMNS.items() if column.group in MEASURED and name in there]
    one, other = (runs[names].astype(object) for runs in (first, second))
    return (one == other) | (one.isna() & other.isna())


def _changed(differs: dict[str, Flags], told: Sequence[pd.DataFrame]) -> tuple[Setting, ...]:
    found = []
    for name, differ in differs.items():
        if differ.any():
            first, second = (_spelled(table[name][differ]) for table in told)
            unit = COLUMNS[name].unit if name in COLUMNS else ""
            found.append(Setting(name, unit, first, second, int(differ.sum())))
    return tuple(found)


def _with_levels(axis: Axis, values: pd.Series) -> Axis:
    return replace(axis, levels=tuple(sorted(set(values), key=level_order)))


def _no_pair(sides: Sequence[pd.DataFrame], settings: Sequence[pd.DataFrame], names: Sequence[str]) -> str:
    """Say in which columns the two campaigns have no value in common."""
    columns = {name: [_spelled(table[name]) for table in settings] for name in names}
    columns["seed"] = [_spelled(runs["seed"]) for runs in sides]
    apart = [
        f"{name} ({', '.join(first[:3])} and {', '.join(second[:3])})"
        for name, (first, second) in columns.items()
        if not set(first) & set(second)
    ]
    why = f"they have nothing in common in {'; '.join(apart)}" if apart else "no place of the grid is in both"
    return f"no run of the first campaign has a partner in the second: {why}"
