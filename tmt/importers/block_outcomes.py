"""Sequences of block outcomes: decoded or not, block after block, or the numbers of the received ones.

Outcomes are numbers separated by blanks, commas or lines: 1 decoded (ACK), 0 not (NACK), -1 nothing sent.
Sionna's HARQ feedback is such a sequence. Received sequence numbers are one a line, alone or before a signal
strength, as in Rutgers' noise traces (802.11) and in logs of LoRa and 802.15.4 receivers. A missing number is
a loss, and so is a strength of 128.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from tmt.core.declaration import Param, PositiveSeconds, ns
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.trace import BoolArray, Int64Array, PhyTrace
from tmt.core.words.refusals import refusal, shown
from tmt.core.words.values import counted
from tmt.importers.clocks import NEVER, WRAP_MEANING, Counter, about
from tmt.importers.importer import DecodeTime, Importer, LlduBytes, Measurement
from tmt.importers.notes import ENDS_UNKNOWN, agreed
from tmt.importers.probes import numbers_between
from tmt.importers.sequences import USUAL_SIZES
from tmt.io.files import text_lines

if TYPE_CHECKING:
    from tmt.core.declaration import Rules

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.0*)?")
_OUTCOMES = {-1, 0, 1}
_LOST_STRENGTH = 128
_WRAP = 1 << 16
_LARGEST = 10**15

_Blocks = tuple[Int64Array, BoolArray, int, list[str]]
"""Numbers of the sent blocks in a sequence of slots, whether each was decoded, the slots, and notes."""


class Bler(Importer):
    """Sequence of block outcomes (1, 0, -1), or of received sequence numbers.

    Each block becomes a slot: 1 is decoded, 0 erased, -1 nothing sent. Gaps in sequence numbers are losses.
    See docs/import/block-outcomes.md.

        tmt import bler harq-feedback.txt phy.parquet --slot-interval 0.0005 --lldu-bytes 1000
    """

    name: ClassVar[str] = "bler"

    slot_interval: Annotated[PositiveSeconds, "time from one block to the next: the sequence holds no times"]
    wrap: Annotated[
        str | None, WRAP_MEANING, Param(absent=f"{_WRAP}, if it steps back by more than half of that")
    ] = None
    lldu_bytes: LlduBytes = 1500
    decode_time: DecodeTime = 0.001

    def rules(self) -> Rules:
        """Refuse an empty range."""
        if self.wrap not in (None, NEVER) and self._range is None:
            yield "wrap", f"a whole number from 2 to {_LARGEST}, or {NEVER}", "is not a range"

    @property
    def _range(self) -> int | None:
        text = self.wrap or ""
        known = text.isdecimal() and text.isascii() and len(text) < 19 and 2 <= int(text) <= _LARGEST
        return int(text) if known else None

    def read(self, path: str) -> Measurement:
        """Return one slot per sent block, erased where it was not decoded."""
        rows: list[tuple[int, list[int]]] = []
        for line in text_lines(path):
            fields = line.text.replace(",", " ").replace(";", " ").split()
            wrong = next((field for field in fields if not _NUMBER.fullmatch(field)), None)
            if wrong is not None:
                raise InputError(path, f"{shown(wrong)} is not a whole number", line.number)
            if not fields:
                raise InputError(path, f"{shown(line.text)} holds no number", line.number)
            rows.append((line.number, [int(float(field)) for field in fields]))
        if not rows:
            raise InputError(path, refusal("no_rows"))
        if all(_OUTCOMES.issuperset(values) for _, values in rows):
            blocks = _of_outcomes(path, np.array([value for _, values in rows for value in values], np.int64))
        else:
            blocks = _of_numbers(path, rows, _LARGEST if self.wrap == NEVER else self._range)
        number, decoded, slots, notes = blocks
        interval_ns = ns(self.slot_interval)
        trace = PhyTrace(number * interval_ns, np.where(decoded, np.int64(ns(self.decode_time)), 0))
        extent = Extent(0, slots * interval_ns)
        return Measurement(trace, "padded", self.lldu_bytes, tuple(notes), extent=extent)


def _of_outcomes(path: str, outcomes: Int64Array) -> _Blocks:
    number = np.flatnonzero(outcomes >= 0).astype(np.int64)
    if not len(number):
        raise InputError(path, "no block was sent: every outcome is -1")
    idle = len(outcomes) - len(number)
    notes = ["read as outcomes: 1 decoded, 0 not decoded"]
    if idle:
        notes.append(f"in {counted(idle, 'slot')} nothing was sent (-1)")
    return number, outcomes[number] == 1, len(outcomes), notes


def _of_numbers(path: str, rows: list[tuple[int, list[int]]], wrap: int | None) -> _Blocks:
    """Return the blocks from the first received number to the last; without `wrap`, 16 bits may wrap."""
    received: list[int] = []
    turn = marked = 0
    counter = None if wrap is None else Counter(wrap)
    for line, (sequence, *strength) in rows:
        if sequence < 0 or len(strength) > 1:
            reason = "a sequence number of 0 or more is needed, with a signal strength after it or not"
            raise InputError(path, f"this line is neither an outcome nor a received block; {reason}", line)
        if counter is not None:
            if sequence >= counter.size:
                raise InputError(path, f"sequence number {sequence} is beyond --wrap {wrap}", line)
            number = counter.whole(sequence)
            turn = counter.rounds
        else:
            number = sequence + turn * _WRAP
            if received and number < received[-1] - _WRAP // 2 and sequence < _WRAP:
                turn += 1
                number += _WRAP
        if received and number <= received[-1]:
            previous = received[-1] % (wrap or _WRAP) if turn else received[-1]
            size = None if wrap else about(previous - sequence, USUAL_SIZES)
            advice = f": --wrap {size} says that numbers begin again at {size}" if size else ""
            reason = f"sequence number {sequence} does not follow {previous}{advice}"
            raise InputError(path, reason, line)
        if strength == [_LOST_STRENGTH]:
            marked += 1
            continue
        received.append(number)
    if not received:
        raise InputError(path, f"no block was received: every strength is {_LOST_STRENGTH}")
    numbers = numbers_between(path, received[0], received[-1], len(received))
    notes = ["read as sequence numbers of received blocks", ENDS_UNKNOWN]
    if marked:
        what = agreed(marked, "line", "are")
        notes.append(f"{what} marked as lost (signal strength {_LOST_STRENGTH})")
    if turn:
        notes.append(f"the sequence number begins again {counted(turn, 'time')}")
    return numbers - numbers[0], np.isin(numbers, received), len(numbers), notes
