"""The results of a campaign in memory: its runs, and what it varied (variants, schemes, other axes)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from tmt.core.schemes import SCHEMES
from tmt.core.words.html_table import Charted, ShownInNotebooks
from tmt.results.cells import summarise
from tmt.results.codes import codes_of, joined, spread
from tmt.results.values import COLUMNS, Axis, scalar
from tmt.spec.settings import SETTINGS
from tmt.spec.stacks import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt
    import xarray

    from tmt.results.cells import Cell, Summary
    from tmt.results.measures import Measure
    from tmt.results.over_time import RunRecords

_BEFORE_COMPUTED = (
    *("program", "backend", "stack", "rtt_s", "wired_rate_bps", "wired_delay_s", "wired_loss"),
    *("proxy", "proxy_tcp", "proxy_stack", "proxy_delay_s", "delayed_acks"),
    *("queue", "queue_packets", "window_packets", "proxy_buffer_packets", "in_order", "hold_s", "loop"),
    *("return_link", "return_rate_bps", "forward_lldu_bytes", "forward_packing", "forward_offset_s"),
)
"""Columns in which a later one may follow from an earlier one, as a computed queue follows from the RTT."""

_CANDIDATES = tuple(
    dict.fromkeys((*_BEFORE_COMPUTED, *(one.name for one in SETTINGS if one.name != "start_s")))
)
"""Columns that a scenario can vary."""

_DEFAULTS = {
    one.name: one.field.default for one in SETTINGS if not one.field.param.null and not one.field.is_required
}
"""Values of the settings that every run has; runs of an older version without a setting get its default."""

_LABELS = {one.name: one.label for one in SETTINGS} | {
    "return_link": "return link",
    "return_rate_bps": "return rate",
    "forward_lldu_bytes": "LLDU size",
    "forward_packing": "packing",
    "forward_offset_s": "start in the trace",
    "es_n0_db": "Es/N0",
}
"""Labels of columns and of a trace's parameters; others are labelled with their name, without its unit."""

_UNITS = {"db": "dB", "kmh": "km/h", "ghz": "GHz", "deg": "°", "m": "m", "ns": "ns"}
"""Units that end the names of a trace's parameters."""

_OWN_UNITS = {"margin": "dB", "step": "dB"}
"""Units of parameters of a trace's adaptation, whose names end without them."""

_IDENTITY = frozenset({"file", "sha256"})
"""Keys of `trace_parameters` that name a trace; they are shown as the label of the trace."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run without a result: its name, the reason, its command line and its last output."""

    name: str
    reason: str
    command: str
    output: str


@dataclass(frozen=True, slots=True)
class Published:
    """A published value for a cell of the grid, in the unit of the result column `column`.

    `levels` holds the cell's level on each axis, by column. `error` is the reading error of a value from a
    plot, 0 for a printed number. `source` names paper and place.
    """

    column: str
    tcp: str
    scheme: str
    levels: dict[str, Any]
    value: float
    error: float
    source: str


@dataclass(frozen=True)
class Results(Charted, ShownInNotebooks):
    """The results of one campaign.

    `runs` are finished runs, one row each: the columns of `tmt.campaign.columns.COLUMNS` and those of the
    axes. All runs of a cell have the same version; `older` are finished runs of earlier versions of a cell.
    `notes` are pairs of label and text about how the results were made.
    """

    title: str
    description: str
    runs: pd.DataFrame
    axes: tuple[Axis, ...] = ()
    older: pd.DataFrame | None = None
    failures: tuple[Failure, ...] = ()
    records: tuple[RunRecords, ...] = ()
    published: tuple[Published, ...] = ()
    scenario_text: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @cached_property
    def cells(self) -> Summary:
        """Means, 95 % intervals and paired differences of the runs at each point of the grid."""
        return summarise(self.runs, self.axes)

    @cached_property
    def groups(self) -> Results | None:
        """The groups of flows of these runs as results (`tmt.results.groups`); None without groups."""
        from tmt.results.groups import groups_of  # noqa: PLC0415  (it makes results)

        return groups_of(self)

    @cached_property
    def users(self) -> Results | None:
        """The users of each shared line as one result (`tmt.results.groups`); None without such lines."""
        from tmt.results.groups import users_of  # noqa: PLC0415  (it makes results)

        return users_of(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the finished runs, one row each; times are seconds, rates bit/s (``docs/metrics.md``)."""
        return self.runs.copy()

    def to_xarray(self) -> xarray.Dataset:
        """Return the measured columns of the runs as labelled arrays of xarray, in seconds and bit/s.

        Dimensions are `tcp`, `scheme`, the column of each axis, and `seed`; a combination without a run is
        NaN. Attributes give unit, meaning and what is counted. UsageError without the extra ``xarray``.
        """
        from tmt.results.arrays import arrays_of  # noqa: PLC0415  (an extra)

        return arrays_of(self)


@dataclass(frozen=True, slots=True)
class Match:
    """A published value and the matching cell; `value` and `error` are in the measure's unit."""

    cell: Cell
    measure: Measure
    value: float
    error: float
    source: str

    @property
    def deviation(self) -> float:
        """Mean of the cell relative to the published value, minus 1."""
        return self.cell.intervals[self.measure.column].mean / self.value - 1


def matches(results: Results, summary: Summary) -> list[Match]:
    """Return the published values for which the results have a cell with that measure.

    A value that names no level of an axis applies to every level of it.
    """
    measures = {measure.column: measure for measure in summary.measures}
    return [
        Match(cell, measures[item.column], item.value * scale, item.error * scale, item.source)
        for item in results.published
        if item.column in measures and item.value != 0
        for scale in [measures[item.column].scale]
        for cell in summary.cells
        if (summary.tcps[cell.tcp], summary.schemes[cell.scheme]) == (item.tcp, item.scheme)
        and item.column in cell.intervals
        and all(
            level == item.levels.get(column, level) for column, level in summary.levels(cell.point).items()
        )
    ]


def tcp_order(names: Iterable[str]) -> list[str]:
    """Return TCP variants in the order of their declaration, then others by name."""
    return sorted(set(names), key=lambda name: (_place(name, VARIANTS), name))


def _place(name: str, known: Iterable[str]) -> int:
    """Return the index of a name among the known ones; other names come last."""
    order = list(known)
    return order.index(name) if name in order else len(order)


def scheme_order(runs: pd.DataFrame) -> list[str]:
    """Return the labels of the runs' schemes: by name in the registry's order, then by parameters.

    Schemes of rows without a name, or with one that is not in the registry, come last.
    """
    members = runs.drop_duplicates("scheme")
    sets = [values for name, values in parameters(members, "scheme").items() if name != "rtt_ns"]
    places = [
        (_place(name, SCHEMES), [level_order(values[row]) for values in sets], label)
        for row, (label, name) in enumerate(zip(members["scheme"], members["scheme_name"], strict=True))
    ]
    return [label for *_, label in sorted(places)]


def find_axes(runs: pd.DataFrame) -> tuple[Axis, ...]:
    """Return the axes of a campaign; `runs` gains a column for each parameter that varies between its traces.

    A column is an axis when it varies between runs that have all else in common: TCP variant, scheme, seed
    and the axes found before it.
    """
    of_traces = _add_trace_parameters(runs)
    found: list[Axis] = []
    common = joined(*(codes_of(runs[name])[0] for name in ("tcp", "scheme", "seed")))
    for column in (*of_traces, "trace", *_CANDIDATES):
        codes, values = codes_of(_settled(runs, column)) if column in runs else (common, [])
        if len(values) < 2:
            continue
        divided = joined(common, codes)
        if divided.max() > common.max():
            common, levels = divided, [scalar(value) for value in values]
            # A column of objects keeps None; a column of numbers would turn it into NaN, which is not a
            # level.
            runs[column] = pd.Series(spread(levels, codes), runs.index, object)
            label, unit = of_traces.get(column) or (_LABELS.get(column, column), COLUMNS[column].unit)
            found.append(Axis(column, label, unit, tuple(sorted(set(levels), key=level_order))))
    return tuple(found)


def _settled(runs: pd.DataFrame, column: str) -> pd.Series:
    """Return a column, with its default in runs of a version that did not know it."""
    default, values = _DEFAULTS.get(column), runs[column]
    if default is None or isinstance(default, tuple) or not values.hasnans:
        return values
    return values.astype(object).where(values.notna(), default)


def _add_trace_parameters(runs: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Add a column for each parameter of the traces that varies; return label and unit of each column."""
    added = {}
    for name, values in parameters(runs, "trace").items():
        if name not in _IDENTITY and len(codes_of(values)[1]) > 1:
            runs[f"trace.{name}"] = pd.Series(values, runs.index, object)
            stem, _, suffix = name.rpartition("_")
            unit = _UNITS.get(suffix, "") if stem else ""
            label = _LABELS.get(name, (stem if unit else name).replace("_", " "))
            added[f"trace.{name}"] = label, _OWN_UNITS.get(name, unit)
    return added


def parameters(runs: pd.DataFrame, kind: Literal["trace", "scheme"]) -> dict[str, npt.NDArray[np.object_]]:
    """Return each parameter of the runs' traces or schemes: its value in each run, None where it is missing.

    Lists and objects are their JSON text.
    """
    if f"{kind}_parameters" not in runs:
        return {}
    codes, found = codes_of(runs[f"{kind}_parameters"])
    sets = [{} if text is None else json.loads(text) for text in found]
    names = dict.fromkeys(name for values in sets for name in values)
    levels = {name: [values.get(name) for values in sets] for name in names}
    return {
        name: spread([json.dumps(one) if isinstance(one, list | dict) else one for one in own], codes)
        for name, own in levels.items()
    }


def level_order(level: Any) -> tuple[bool, bool, Any]:
    """Return the sort key of a level: numbers by size, then texts, then None."""
    return level is None, isinstance(level, str), 0 if level is None else level


def trace_uses(runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return each trace of finished runs and a sentence on its use; then the traces of return links."""
    found = []
    for direction, suffix in (("forward", ""), ("return", ", return link")):
        offset, repeated = f"{direction}_offset_s", f"{direction}_trace_repeats"
        used = runs[["trace", offset, repeated]].dropna(subset=offset)
        found += [
            (f"{trace}{suffix}", f"{_starts(members[offset])}; {_repeats(members[repeated])}")
            for trace, members in used.groupby("trace", sort=False)
        ]
    return found


_OUTCOME = ("forward_offset_s", "goodput_bps", "segments_sent", "delay_median_s")
"""Columns that differ between runs even if the results are equal."""


def equal_seeds_warning(runs: pd.DataFrame) -> str | None:
    """Return a warning when runs of several seeds have equal results, so that intervals over them mean
    nothing.
    """
    cells = joined(*(codes_of(runs[name])[0] for name in ("experiment", "trace") if name in runs))
    outcomes = joined(cells, *(codes_of(runs[name])[0] for name in _OUTCOME))
    _, first = np.unique(outcomes, return_index=True)
    several = np.bincount(cells) > 1
    equal = several & (np.bincount(cells[first]) == 1)
    if not equal.any():
        return None
    if (equal == several).all():
        found = (
            "All seeds gave the same results: nothing in these runs is drawn by the seed, so that intervals "
            "over seeds mean nothing."
        )
    else:
        found = (
            f"{equal.sum()} of {several.sum()} cells have the same results with every seed: their intervals "
            "and comparisons hold for this one start only."
        )
    return f'{found} With offset = "drawn" in [[trace]] each seed starts elsewhere in the trace.'


def _starts(starts_s: pd.Series) -> str:
    least, most = starts_s.min(), starts_s.max()
    if most == 0:
        return "every run starts at the beginning"
    if least == most:
        return f"every run starts at {least:.6g} s"
    return f"runs start at {starts_s.nunique()} places from {least:.6g} to {most:.6g} s"


def _repeats(repeats: pd.Series) -> str:
    known = repeats.dropna()
    if not len(known) or not known.max():
        return "no run repeats it"
    least, most = int(known.min()), int(known.max())
    if most == 1:
        return f"it repeats {'once' if least else 'at most once'} in a run"
    return f"it repeats {most if least == most else f'{least} to {most}'} times in a run"
