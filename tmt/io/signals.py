"""What a series of a signal probably means if it is not read as written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.channels.snr.tables import SEPARATORS, read_signal_series, text_lines
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.channels.snr.tables import SignalSeries

_RATIO = re.compile(r"(?<![a-z])eb[_/]?n[0o](?![a-z])", re.IGNORECASE)
_HOLE = 5
"""Number of median steps between two samples that counts as a gap in a regular series."""


def signal_notes(path: str, length_ns: int, *, needs_es_n0: bool) -> list[str]:
    """Note a ratio in the header that is not the needed one, gaps, and a series shorter than the trace."""
    series = read_signal_series(path)
    notes = [*_of_header(path, needs_es_n0), *_of_holes(path, series)]
    if 0 < (ends_ns := int(series.time_ns[-1])) < length_ns:
        notes.append(f"{path} lasts {ends_ns / NS_PER_S:g} s; the signal then starts again")
    return notes


def _of_header(path: str, needs_es_n0: bool) -> Iterator[str]:
    _, first = next(text_lines(path))
    value = " ".join(SEPARATORS.split(first)[1:])
    if needs_es_n0 and _RATIO.search(value):
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
