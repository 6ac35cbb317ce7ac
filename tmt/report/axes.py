"""What a campaign varied besides TCP, scheme and seed, found in its rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd

from tmt.report.measures import COLUMNS
from tmt.report.plain import plain
from tmt.report.results import Axis

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_UNIT = re.compile(r"\s?(dB|ms|s|%|bit/s|kbit/s|Mbit/s|km/h|Hz)(?![\w/])")

CANDIDATES = (
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
    "duration_s",
    "flows",
    "transfer_bytes",
    "packet_bytes",
    "start_spread_s",
    "code",
    "block_segments",
)
"""Columns that a scenario can vary; some follow from others, as a queue of one bandwidth-delay product."""

_LABELS = {
    "stack": "stack",
    "rtt_s": "RTT",
    "wired_rate_bps": "wired rate",
    "wired_delay_s": "wired delay",
    "wired_loss": "wired loss",
    "proxy": "proxy",
    "proxy_tcp": "proxy's TCP",
    "proxy_stack": "proxy's stack",
    "proxy_delay_s": "proxy's delay",
    "proxy_buffer_packets": "proxy's buffer",
    "delayed_acks": "delayed acknowledgements",
    "queue_packets": "queue",
    "window_packets": "window",
    "in_order": "in-order delivery",
    "hold_s": "hold time",
    "loop": "looped trace",
    "return_link": "return link",
    "return_rate_bps": "return rate",
    "duration_s": "duration",
    "flows": "flows",
    "transfer_bytes": "transfer",
    "packet_bytes": "packet size",
    "start_spread_s": "start spread",
    "code": "code",
    "block_segments": "block",
}


def find_axes(runs: pd.DataFrame) -> tuple[Axis, ...]:
    """Return the axes of a campaign; `runs` gains a column for each number that its trace names vary in.

    A column is an axis when it varies between runs that have all else in common: TCP variant, scheme, seed
    and the axes found so far.
    """
    found = _trace_axes(runs)
    for column in CANDIDATES:
        common = ["tcp", "scheme", "seed", *(axis.column for axis in found)]
        if column not in runs:
            continue
        levels = runs.groupby(common, dropna=False)[column].nunique(dropna=False)
        if levels.max() > 1:
            found.append(_axis(runs, column, _LABELS[column], COLUMNS[column].unit))
    return tuple(found)


def _trace_axes(runs: pd.DataFrame) -> list[Axis]:
    """Return the numbers in which the names of traces differ, or the names where they differ in more."""
    names = [str(name) for name in runs["trace"].unique()]
    if len(names) < 2:
        return []
    numbers = [list(_NUMBER.finditer(name)) for name in names]
    if len({_NUMBER.sub("#", name) for name in names}) > 1:
        return [_axis(runs, "trace", "trace", "")]
    axes = []
    for place, first in enumerate(numbers[0]):
        of_name = {name: _value(found[place][0]) for name, found in zip(names, numbers, strict=True)}
        if len(set(of_name.values())) == 1:
            continue
        label, unit = _words_around(names[0], first)
        column = f"trace: {label}"
        if column in runs:
            column = f"{column} {place}"
        runs[column] = [of_name[str(name)] for name in runs["trace"]]
        axes.append(_axis(runs, column, label, unit))
    return axes


def _words_around(name: str, number: re.Match[str]) -> tuple[str, str]:
    """Return what the number is called and its unit: ``Es/N0`` and ``dB`` for the 5 of ``Es/N0 5 dB``."""
    before = re.search(r"([A-Za-z_][\w/]*)\W*$", name[: number.start()])
    unit = _UNIT.match(name, number.end())
    return before[1] if before else "trace", unit[1] if unit else ""


def _value(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def _axis(runs: pd.DataFrame, column: str, label: str, unit: str) -> Axis:
    levels: Sequence[Any] = [plain(value) for value in runs[column].unique()]
    # Not as numbers or texts, among which no value at all would be NaN, which is no level.
    runs[column] = pd.Series([plain(value) for value in runs[column]], runs.index, object)
    return Axis(column, label, unit, tuple(sorted(levels, key=_order)))


def _order(level: Any) -> tuple[bool, bool, Any]:
    """Sort numbers by size, then texts, then what has no value."""
    return level is None, isinstance(level, str), 0 if level is None else level
