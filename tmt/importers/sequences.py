"""Sequence numbers of received packets: rounds of the counter, late and repeated ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.importers.clocks import Counter, CounterRangeError, about

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import Int64Array
    from tmt.importers.log_files import Row

_NUMBER = re.compile(r"[A-Za-z_#:= ]*([0-9]{1,18})(\.0*)?")
_SIZES = {2**bits for bits in (8, 12, 16, 24, 31, 32)}
_LATE = 64
"""Numbers by which a packet may be late where no counter is known; beyond that the sender began again."""


def counter_size(back: int) -> int | None:
    """Return the size of a usual counter that a step back of the sequence number is about as long as."""
    return about(back, _SIZES)


class Received(NamedTuple):
    """Numbers of received packets in order, and their rows."""

    number: Int64Array
    row: Int64Array
    notes: list[str]


def sequence_number(row: Row, name: str) -> int:
    """Return a sequence number, which letters may precede (InputError)."""
    found = _NUMBER.fullmatch(row[name])
    if found is None:
        text = shown(row[name]) or "empty"
        raise row.refused(f"{name} is {text}; a whole number, with letters before it or not, is needed")
    return int(found[1])


def received(
    path: str, name: str, numbers: Sequence[int], places: Sequence[int | str], wrap: int | None
) -> Received:
    """Return the packets in order of their numbers, each once: the first of those with one number.

    `wrap` is the size of the counter, None where it has no end. InputError where a number is beyond it, or,
    without it, further back than packets come late: with the option that tells it.
    """
    counter = None if wrap is None else Counter(wrap)
    rows: dict[int, int] = {}
    latest = -1
    for row, value in enumerate(numbers):
        number = value
        if counter is not None and wrap is not None:
            if value >= wrap:
                raise InputError(path, f"{name} is {value}; a counter of {wrap} ends before it", places[row])
            number = counter.whole(value)
        elif value < latest - _LATE:
            raise _stepped_back(path, name, value, latest, places[row])
        rows.setdefault(number, row)
        latest = max(latest, number)
    order = sorted(rows)
    notes = ["losses before the first and after the last received packet are unknown"]
    if twice := len(numbers) - len(rows):
        notes.append(f"{twice:,} rows repeat a number of {name} and are left out")
    if counter is not None and counter.rounds:
        notes.append(f"{name} begins again {counter.rounds:,} times")
    return Received(np.array(order, np.int64), np.array([rows[number] for number in order], np.int64), notes)


def _stepped_back(path: str, name: str, value: int, latest: int, place: int | str) -> CounterRangeError:
    size = counter_size(latest - value)
    example = size or "SIZE"
    range_of = f", about the range of a counter of {size}" if size else ""
    reason = f"{name} is {value} after {latest}{range_of}"
    advice = f"--wrap {name}={example} says where it begins again"
    return CounterRangeError(path, f"{reason}: {advice}; a file must hold one sequence", place)
