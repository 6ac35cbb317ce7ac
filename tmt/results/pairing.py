"""Pairs of runs from two campaigns, or from a pack and its repetition: same point of the grid, same seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from tmt.campaign.columns import DONE
from tmt.campaign.database import frame
from tmt.core.errors import UsageError
from tmt.results.cells import MEMBERS
from tmt.results.codes import codes_of, joined, spread
from tmt.results.dataset import level_order, parameters
from tmt.results.reading import check_rows, results_of
from tmt.results.values import COLUMNS, WITH_GROUPS, scalar, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tmt.campaign.pack_reader import Pack
    from tmt.results.codes import Codes
    from tmt.results.dataset import Results
    from tmt.results.values import Axis

    Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

MEASURED = frozenset({"delivery", "delay", "recovery", "window", "link", "proxy"})
"""Groups of columns with measured values."""

PROGRAMS = ("tmt_version", "simulator", "sources")
"""Columns that name the programs that made a run."""

_NO_SETTINGS = frozenset(
    {
        *("seed", "scheme_name", "scheme_parameters", "trace_parameters", "forward_trace", "return_trace"),
        *("script", "script_settings"),
    }
)
"""Scenario columns that are not settings: the seed, hashes as names, and JSON, whose entries count."""

START = "forward_offset_s"


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A setting in which runs of some pairs differ: its values in the first and in the second campaign."""

    name: str
    unit: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    pairs: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Matched runs of two campaigns: row i of `first` and of `second` is one pair.

    `axes` are those of both grids, with the levels that pairs have. `only_first` and `only_second` are runs
    without a partner; `settings` are those in which the runs of some pairs differ. `equal` tells for each
    pair whether all measured values are equal, bit by bit; `same_channel` tells whether both runs start at
    the same place of the same slots.
    """

    first: pd.DataFrame
    second: pd.DataFrame
    axes: tuple[Axis, ...]
    only_first: pd.DataFrame
    only_second: pd.DataFrame
    settings: tuple[ChangedSetting, ...]
    equal: Flags
    same_channel: Flags


class _Coded(NamedTuple):
    """A setting of both campaigns: the index of each run's value, and the values."""

    first: Codes
    second: Codes
    values: list[Any]

    def texts_of(self, codes: Codes) -> tuple[str, ...]:
        """Return the distinct values with these indices as text, with enough digits to tell them apart."""
        values = [self.values[code] for code in np.unique(codes)]
        return tuple(sorted({f"{v:.12g}" if isinstance(v, float) else texts([v])[0] for v in values}))

    def taken(self, first: Codes, second: Codes) -> _Coded:
        """Return the setting of these rows of both campaigns."""
        return _Coded(self.first[first], self.second[second], self.values)


def pair_runs(first: Results, second: Results) -> Pairs:
    """Match the runs of two campaigns; UsageError, with the differing columns, when no run has a partner.

    Two runs match when they agree in their seed and in everything that either campaign varies: TCP variant,
    scheme and the axes of both grids. A setting that is constant in each campaign may differ; `settings`
    names it.
    """
    sides = (first.runs, second.runs)
    axes = {axis.column: axis for side in (second, first) for axis in side.axes}
    settings = _settings(sides, axes)
    place = {
        name: setting
        for name, setting in settings.items()
        if name in axes or (name in MEMBERS and max(len(set(setting.first)), len(set(setting.second))) > 1)
    }
    place["seed"] = _coded(sides[0]["seed"], sides[1]["seed"])
    both = joined(*(np.concatenate([one.first, one.second]) for one in place.values()))
    of_first, of_second = both[: len(sides[0])], both[len(sides[0]) :]
    # Of equal points in the second campaign the last one counts.
    row_of = np.full(both.max(initial=0) + 1, -1)
    row_of[of_second] = np.arange(len(of_second))
    rows = np.flatnonzero(row_of[of_first] >= 0)
    if not len(rows):
        raise UsageError(_no_pair(place))
    rows = rows[np.argsort(row_of[of_first[rows]], kind="stable")]
    others = row_of[of_first[rows]]
    paired = {name: one.taken(rows, others) for name, one in settings.items()}
    differs = {name: one.first != one.second for name, one in paired.items()}
    before, after = sides[0].iloc[rows].reset_index(drop=True), sides[1].iloc[others].reset_index(drop=True)
    for column in axes:
        levels = spread(paired[column].values, paired[column].second)
        after[column] = pd.Series(levels, after.index, object)
    of_channel = [name for name in settings if name.startswith("trace.") or name in {"trace", START}]
    changed = [
        ChangedSetting(
            name,
            COLUMNS[name].unit if name in COLUMNS else "",
            paired[name].texts_of(paired[name].first[differ]),
            paired[name].texts_of(paired[name].second[differ]),
            int(differ.sum()),
        )
        for name, differ in differs.items()
        if differ.any()
    ]
    no_flags = np.zeros(len(rows), dtype=bool)
    return Pairs(
        before,
        after,
        tuple(
            replace(axis, levels=tuple(sorted(set(after[column]), key=level_order)))
            for column, axis in axes.items()
        ),
        sides[0].drop(index=sides[0].index[rows]),
        sides[1].drop(index=sides[1].index[others]),
        tuple(changed),
        ~np.logical_or.reduce([no_flags, *_differing(before, after).values()]),
        ~np.logical_or.reduce([no_flags, *(differs[name] for name in of_channel)]),
    )


def place_names(runs: pd.DataFrame, axes: Sequence[Axis]) -> list[str]:
    """Return the name of each run's cell: TCP variant, scheme and levels of the axes."""
    levels = [axis.named(runs[axis.column]) for axis in axes]
    return [
        ", ".join([f"{tcp} over {scheme}", *at])
        for tcp, scheme, *at in zip(runs["tcp"], runs["scheme"], *levels, strict=True)
    ]


def _settings(sides: tuple[pd.DataFrame, pd.DataFrame], axes: Iterable[str]) -> dict[str, _Coded]:
    """Return the settings of both campaigns; each parameter of trace or scheme is a separate entry.

    Axes are compared by their levels, so a campaign in which one is constant needs its exact value.
    """
    declared = [
        name
        for name, column in WITH_GROUPS.items()
        if column.group == "scenario" and name not in _NO_SETTINGS
    ]
    first, second = (
        {name: runs[name] for name in declared if name in runs}
        | {f"trace.{name}": values for name, values in parameters(runs, "trace").items()}
        | {f"scheme.{name}": values for name, values in parameters(runs, "scheme").items()}
        for runs in sides
    )
    none, nothing = (np.full(len(runs), None) for runs in sides)
    return {
        name: _coded(first.get(name, none), second.get(name, nothing), by_level=name in axes)
        for name in first | second
    }


def _coded(first: Any, second: Any, *, by_level: bool = False) -> _Coded:
    """Number the values of a column in two tables, so that equal values have equal numbers."""
    (first_codes, values), (second_codes, others) = codes_of(first), codes_of(second)
    number: dict[Any, int] = {}
    translated = [
        np.array(
            [number.setdefault(value, len(number)) for value in (map(scalar, side) if by_level else side)],
            np.intp,
        )
        for side in (values, others)
    ]
    return _Coded(translated[0][first_codes], translated[1][second_codes], list(number))


def _differing(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Flags]:
    """Return for each measured column the pairs whose values differ; two missing values are equal."""
    found = {}
    for name, column in COLUMNS.items():
        if column.group in MEASURED and name in first and name in second:
            one, other = first[name], second[name]
            is_equal = one.to_numpy() == other.to_numpy()
            found[name] = ~np.asarray(is_equal | (one.isna() & other.isna()).to_numpy(), dtype=bool)
    return found


def _no_pair(settings: dict[str, _Coded]) -> str:
    """Say in which columns the two campaigns have no value in common."""
    columns = {name: (one.texts_of(one.first), one.texts_of(one.second)) for name, one in settings.items()}
    apart = [
        f"{name} ({', '.join(first[:3])} and {', '.join(second[:3])})"
        for name, (first, second) in columns.items()
        if not set(first) & set(second)
    ]
    why = f"they have nothing in common in {'; '.join(apart)}" if apart else "no place of the grid is in both"
    return f"no run of the first campaign has a partner in the second: {why}"


@dataclass(frozen=True, slots=True)
class Repetition:
    """Results of a pack and of its repetition.

    `pack` is its name as the user typed it, `packed` the number of results in it. The repetition has `equal`
    results that agree bit by bit, `different` ones with other values, and lacks the `missing` ones. `columns`
    counts the results that differ in each column. `programs` differ: column, values in the pack, values here.
    """

    pack: str
    packed: int
    equal: int
    different: int
    missing: int
    columns: dict[str, int]
    programs: list[tuple[str, str, str]]

    @property
    def is_equal(self) -> bool:
        """Whether the repetition has every result bit by bit."""
        return self.equal == self.packed


def packed_rows(pack: Pack, file: Path) -> pd.DataFrame:
    """Return the rows of a pack, checked as `check_rows` does; `file` is the pack's name."""
    rows = frame(pack.results)
    check_rows(rows, file)
    return rows


def repetition(pack: str, packed: pd.DataFrame, repeated: pd.DataFrame) -> Repetition:
    """Compare the rows of a pack with those of its repetition, run by run."""
    first, second = (results_of(rows, "") for rows in (packed, repeated))
    count = int((packed["status"] == DONE).sum())
    try:
        pairs = pair_runs(first, second)
    except UsageError:
        return Repetition(pack, count, 0, 0, count, {}, [])
    programs = []
    for column in PROGRAMS:
        there, here = (", ".join(sorted(set(runs[column].dropna()))) for runs in (pairs.first, pairs.second))
        if there != here:
            programs.append((column, there, here))
    counts = {name: int(differ.sum()) for name, differ in _differing(pairs.first, pairs.second).items()}
    columns = {name: number for name, number in counts.items() if number}
    equal, paired = int(pairs.equal.sum()), len(pairs.equal)
    return Repetition(pack, count, equal, paired - equal, count - paired, columns, programs)
