"""What a campaign varied, in order: TCP variants, schemes, and the other columns, its axes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from tmt.core.schemes.registry import SCHEMES
from tmt.results.dataset import Axis
from tmt.results.measures import COLUMNS
from tmt.results.values import scalar
from tmt.spec.columns import SETTINGS
from tmt.spec.tcp import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BEFORE_COMPUTED = (
    "backend",
    "stack",
    "rtt_s",
    "wired_rate_bps",
    "wired_delay_s",
    "wired_loss",
    "proxy",
    "proxy_tcp",
    "proxy_stack",
    "proxy_delay_s",
    "delayed_acks",
    "queue_packets",
    "window_packets",
    "proxy_buffer_packets",
    "in_order",
    "hold_s",
    "loop",
    "return_link",
    "return_rate_bps",
    "forward_lldu_bytes",
    "forward_packing",
    "forward_offset_s",
)
"""Columns of which later ones may follow from earlier ones, as a computed queue follows from the RTT."""

CANDIDATES = tuple(
    dict.fromkeys(
        (*_BEFORE_COMPUTED, *(one.name for one in SETTINGS if one.name not in {"tcp", "seed", "start_s"}))
    )
)
"""Columns that a scenario can vary."""

_LABELS = {one.name: one.label for one in SETTINGS} | {
    "return_link": "return link",
    "return_rate_bps": "return rate",
    "forward_lldu_bytes": "LLDU size",
    "forward_packing": "packing",
    "forward_offset_s": "start in the trace",
    "es_n0_db": "Es/N0",
}
"""Labels of columns and of a trace's parameters; of others, the name itself without its unit."""

_UNITS = {"db": "dB", "kmh": "km/h", "ghz": "GHz", "deg": "°", "m": "m", "ns": "ns"}
"""Units that end the names of a trace's parameters."""

_IDENTITY = frozenset({"file", "sha256"})
"""Keys of `trace_parameters` that name a trace; the label of the trace stands for them."""


def tcp_order(names: Iterable[str]) -> list[str]:
    """Return TCP variants in the order of their declaration, then others by name."""
    known = list(VARIANTS)
    return sorted(set(names), key=lambda name: (known.index(name) if name in known else len(known), name))


def scheme_order(runs: pd.DataFrame) -> list[str]:
    """Return the labels of the runs' schemes: by name in the registry's order, then by parameters.

    Schemes of rows without a name, or with one that is not in the registry, come last.
    """
    members = runs.drop_duplicates("scheme")
    sets = [values for name, values in parameters(members, "scheme").items() if name != "rtt_ns"]
    places = {}
    for row, (label, name) in enumerate(zip(members["scheme"], members["scheme_name"], strict=True)):
        known = list(SCHEMES).index(name) if name in SCHEMES else len(SCHEMES)
        places[label] = known, [level_order(_level(values[row])) for values in sets], label
    return sorted(places, key=places.__getitem__)


def find_axes(runs: pd.DataFrame) -> tuple[Axis, ...]:
    """Return the axes of a campaign; `runs` gains a column for each parameter that varies between its traces.

    A column is an axis when it varies between runs that have all else in common: TCP variant, scheme, seed
    and the axes found before it.
    """
    of_traces = _add_trace_parameters(runs)
    found: list[Axis] = []
    for column in (*of_traces, "trace", *CANDIDATES):
        common = ["tcp", "scheme", "seed", *(axis.column for axis in found)]
        if column not in runs or runs[column].nunique(dropna=False) < 2:
            continue
        levels = runs.groupby(common, dropna=False)[column].nunique(dropna=False)
        if levels.max() > 1:
            found.append(_axis(runs, column, *(of_traces.get(column) or _label_and_unit(column))))
    return tuple(found)


def _add_trace_parameters(runs: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Add a column for each parameter of the traces that varies; return label and unit of each column."""
    added = {}
    for name, found in parameters(runs, "trace").items():
        values = [_level(value) for value in found]
        if name not in _IDENTITY and len(set(values)) > 1:
            runs[f"trace.{name}"] = pd.Series(values, runs.index, object)
            added[f"trace.{name}"] = _parameter_label_and_unit(name)
    return added


def parameters(runs: pd.DataFrame, kind: Literal["trace", "scheme"]) -> dict[str, list[Any]]:
    """Return each parameter of the runs' traces or schemes: its value in each run, None where it has none."""
    texts = runs.get(f"{kind}_parameters", pd.Series(None, runs.index, object))
    known = {text: json.loads(text) for text in texts.dropna().unique()}
    names = dict.fromkeys(name for values in known.values() for name in values)
    return {name: [known.get(text, {}).get(name) for text in texts] for name in names}


def _level(value: Any) -> Any:
    """Return a value of JSON as a level of an axis; lists and objects stand as their text."""
    return json.dumps(value) if isinstance(value, list | dict) else value


def _label_and_unit(column: str) -> tuple[str, str]:
    return _LABELS.get(column, column), COLUMNS[column].unit


def _parameter_label_and_unit(name: str) -> tuple[str, str]:
    stem, _, suffix = name.rpartition("_")
    unit = _UNITS.get(suffix, "") if stem else ""
    return _LABELS.get(name, (stem if unit else name).replace("_", " ")), unit


def _axis(runs: pd.DataFrame, column: str, label: str, unit: str) -> Axis:
    levels: Sequence[Any] = [scalar(value) for value in runs[column].unique()]
    # A column of objects keeps None; one of numbers would turn it into NaN, which is no level.
    runs[column] = pd.Series([scalar(value) for value in runs[column]], runs.index, object)
    return Axis(column, label, unit, tuple(sorted(levels, key=level_order)))


def level_order(level: Any) -> tuple[bool, bool, Any]:
    """Return the sort key of a level: numbers by size, then texts, then None."""
    return level is None, isinstance(level, str), 0 if level is None else level
