"""Sequence numbers of received packets: wraps of the counter, late and repeated packets."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tmt.core.errors import InputError
from tmt.core.words.refusals import shown
from tmt.core.words.values import counted
from tmt.importers.clocks import Counter, CounterRangeError, about
from tmt.importers.notes import ENDS_UNKNOWN, left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.trace import Int64Array
    from tmt.importers.columns import NamedColumn
    from tmt.importers.log_files import Row

_NUMBER = re.compile(r"[A-Za-z_#:= ]*([0-9]{1,18})(\.0*)?")
_HEX = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{1,15})")
SEQUENCE_UNITS = ("decimal", "hex", "hex-text")
"""Form of a sequence number; hex-text: the bytes of its decimal text in hexadecimal."""
USUAL_SIZES = {2**bits for bits in (8, 12, 16, 24, 31, 32)}
"""Sizes of usual counters of sequence numbers."""
_LATE = 64
"""Greatest lateness of a packet, in numbers, if no counter is known; beyond it the sender has restarted."""


class Received(NamedTuple):
    """Numbers of received packets in order, and their rows."""

    number: Int64Array
    row: Int64Array
    notes: list[str]


def sequence_number(row: Row, column: NamedColumn) -> int:
    """Return a sequence number, which letters may precede (InputError)."""
    name, unit = column
    text, is_hex = row[name], unit == "hex"
    if unit == "hex-text":
        with suppress(ValueError):
            text = bytes.fromhex(text).decode("ascii").strip()
    found = (_HEX if is_hex else _NUMBER).fullmatch(text)
    if found is None:
        found_text = shown(row[name]) or "empty"
        reason = f"{name} is {found_text}; a whole number, with letters before it or not, is needed"
        hint = f" (hexadecimal: {name}:hex, text in hexadecimal: {name}:hex-text)"
        raise row.refused(reason + hint * (unit == "decimal" and _HEX.fullmatch(text) is not None))
    return int(found[1], 16 if is_hex else 10)


def received(
    path: str, name: str, numbers: Sequence[int], places: Sequence[int | str], wrap: int | None
) -> Received:
    """Return the packets in order of their numbers, each once: the first packet of each number.

    `wrap` is the size of the counter, None for an endless one. InputError where a number is beyond it, or
    further back than packets come late.
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
            size = about(latest - value, USUAL_SIZES)
            about_size = f", about the range of a counter of {size}" if size else ""
            reason = f"{name} is {value} after {latest}{about_size}"
            advice = f"--wrap {name}={size or 'SIZE'} says where it begins again"
            told = f"{reason}: {advice}; a file must hold one sequence"
            raise CounterRangeError(path, told, places[row])
        rows.setdefault(number, row)
        latest = max(latest, number)
    order = sorted(rows)
    notes = [
        ENDS_UNKNOWN,
        *left_out(len(numbers) - len(rows), "row", f"with a repeated {name}"),
    ]
    if counter is not None and counter.rounds:
        notes.append(f"{name} begins again {counted(counter.rounds, 'time')}")
    return Received(np.array(order, np.int64), np.array([rows[number] for number in order], np.int64), notes)
