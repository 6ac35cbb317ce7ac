"""What a series probably means if it is not read as written: units in the names of columns, dates, gaps."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.channels.snr.tables import is_number, read_signal_series, text_lines
from tmt.core.errors import InputError
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.channels.snr.tables import SignalSeries

_UNIT = re.compile(
    r"(?<![a-z])(?:(?P<ms>ms|msec|millis\w*)|(?P<us>us|usec|[\u00b5\u03bc]s)|(?P<ns>ns|nsec)|(?P<min>min|minutes?)"
    r"|(?P<h>h|hours?))\W*$",
    re.IGNORECASE,
)
_RATIO = re.compile(r"(?<![a-z])(eb|c)[_/]?n[0o](?![a-z])", re.IGNORECASE)
_DATE = re.compile(r"\d{1,4}[-/.:]\d{1,2}[-/.:]\d")
_HOLE = 5
"""Number of median steps between two samples that counts as a gap in a regular series."""


def unit_in(name: str) -> str:
    """Return the unit at the end of a column's name: ms, us, ns, min or h; empty without one."""
    found = _UNIT.search(name)
    return found.lastgroup or "" if found else ""


def signal_notes(path: str, length_ns: int, *, needs_es_n0: bool) -> list[str]:
    """Note units and ratios in the header, gaps, and a series shorter than the trace.

    InputError if times are dates, or if it is a trace.
    """
    if path.endswith((".parquet", ".npy")):
        raise InputError(path, f"a trace is no series of text: tmt export {path} OUT --for signal makes one")
    lines = list(islice(text_lines(path), 2))
    for number, text in lines:
        if _DATE.match(text):
            reason = (
                "this time is a date; seconds are needed: tmt import table FILE phy.parquet --time NAME:date "
                "--es-n0 NAME, then tmt export phy.parquet OUT --for signal"
            )
            raise InputError(path, reason, number)
    series = read_signal_series(path)
    notes = [*_of_header(path, lines[0][1], needs_es_n0), *_of_holes(path, series)]
    if 0 < (ends_ns := int(series.time_ns[-1])) < length_ns:
        notes.append(f"{path} lasts {ends_ns / NS_PER_S:g} s; the signal then starts again")
    return notes


def _of_header(path: str, header: str, needs_es_n0: bool) -> Iterator[str]:
    time, *rest = (field for field in re.split(r"[\s,;]+", header) if field)
    if is_number(time):
        return
    if unit_in(time):
        yield f"{path}: its header says {time}; the times are read as seconds"
    value = " ".join(rest)
    if (found := _RATIO.search(value)) and (needs_es_n0 or found[1].lower() == "c"):
        yield f"{path}: its header says {value}; the values are read as Es/N0"


def _of_holes(path: str, series: SignalSeries) -> Iterator[str]:
    steps_ns = np.diff(series.time_ns)
    usual_ns = np.median(steps_ns) if len(steps_ns) else 0
    holes = np.flatnonzero(steps_ns > _HOLE * usual_ns)
    if len(holes) and np.mean(np.abs(steps_ns - usual_ns) <= usual_ns / 2) > 0.75:
        longest = holes[np.argmax(steps_ns[holes])]
        begin, length = series.time_ns[longest] / NS_PER_S, steps_ns[longest] / NS_PER_S
        more = f" ({len(holes)} holes, this is the longest)" if len(holes) > 1 else ""
        yield (
            f"{path}: no sample from {begin:g} s on for {length:g} s{more}; values between samples are "
            "interpolated: if the signal was lost, add samples that say so"
        )
