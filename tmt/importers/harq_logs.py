"""What importers of HARQ logs share: parameters, a clock that counts slots, and both readings as a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import UsageError
from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.importers.attempts import GIVEN_UP_NS
from tmt.importers.importer import (
    As,
    DecodeTime,
    DirectionOf,
    Importer,
    Measurement,
    Spacing,
    User,
    separate,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.declaration import Rules
    from tmt.core.trace import BoolArray, Int32Array, Int64Array, Uint32Array
    from tmt.importers.attempts import Attempt, Blocks
    from tmt.importers.importer import Reading


FRAMES = 1024
"""System frame numbers run from 0 to 1023."""

_FRAME_NS = 10_000_000
_SLOTS_PER_FRAME = {15: 10, 30: 20, 60: 40, 120: 80}


class HarqImporter(Importer):
    """A log of transmission attempts."""

    as_: As = "phy"
    decode_time: DecodeTime = 0.001


class CellImporter(HarqImporter):
    """A log of both directions and several terminals."""

    direction: DirectionOf = None
    user: User = None


class SlotImporter(CellImporter):
    """A log with slot numbers, from a cell whose slots are not all of 1 ms."""

    subcarrier_spacing: Spacing = None

    def rules(self) -> Rules:
        """Refuse a spacing that no cell has."""
        if self.subcarrier_spacing not in (None, *_SLOTS_PER_FRAME):
            yield "subcarrier_spacing", f"{', '.join(map(str, _SLOTS_PER_FRAME))} kHz", "is not allowed"


def whole_signal(es_n0_mdb: Sequence[int | None]) -> tuple[Int32Array | None, list[str]]:
    """Return the Es/N0 of all transmissions, or None where one has none; and a note if only some have it."""
    known = [value for value in es_n0_mdb if value is not None]
    if len(known) == len(es_n0_mdb):
        return np.array(known, np.int32), []
    missing = f"{len(es_n0_mdb) - len(known):,} transmissions have no SINR: Es/N0 is left out"
    return None, [missing] if known else []


def measurement(
    attempts: Sequence[Attempt],
    blocks: Blocks,
    reading: Reading,
    decode_time_ns: int,
    notes: Sequence[str] = (),
) -> Measurement:
    """Return the trace of attempts that are in order of time, have blocks and known failures."""
    said = list(notes)
    times_ns = np.array([attempt.time_ns for attempt in attempts], np.int64)
    tx_time_ns = separate(times_ns)
    if moved := int((tx_time_ns != times_ns).sum()):
        said.append(f"{moved:,} blocks of the same moment as others are put 1 ns apart")
    measured = [attempt.size_bytes for attempt in attempts if attempt.size_bytes is not None]
    sizes = np.array(measured, np.uint32) if len(measured) == len(attempts) else None
    failed = np.array([bool(attempt.failed) for attempt in attempts])
    if reading == "phy":
        decode_ns = np.where(failed, 0, np.int64(decode_time_ns))
        es_n0_mdb, note = whole_signal([attempt.es_n0_mdb for attempt in attempts])
        said.extend(note)
        slots = PhyTrace(tx_time_ns, decode_ns, size_bytes=sizes, es_n0_mdb=es_n0_mdb)
        return Measurement(slots, "packed", None, tuple(said))
    if blocks.orphans:
        said.append(
            f"{blocks.orphans:,} blocks begin with a repeat, their first attempt is not in the log: "
            "their delays and transmissions are lower bounds"
        )
    trace = _link(attempts, tx_time_ns, failed, sizes, blocks, decode_time_ns)
    return Measurement(trace, "packed", None, tuple(said), len(attempts))


def _link(
    attempts: Sequence[Attempt],
    tx_time_ns: Int64Array,
    failed: BoolArray,
    sizes: Uint32Array | None,
    blocks: Blocks,
    decode_time_ns: int,
) -> LinkTrace:
    """Return one row per block: its first decoded attempt settles it, or its last if none was decoded."""
    # Blocks are numbered in the order of their first attempts.
    numbers = [attempt.block for attempt in attempts]
    rows, first, row = np.unique(numbers, return_index=True, return_inverse=True)
    sent = np.bincount(row)
    settling = np.zeros(len(rows), np.int64)
    settling[row] = np.arange(len(row))
    good = np.flatnonzero(~failed)[::-1]
    settling[row[good]] = good
    delivered = ~failed[settling]
    delay_ns = tx_time_ns[settling] + decode_time_ns - tx_time_ns[first]
    given_up = np.isin(rows, np.array(sorted(blocks.given_up), np.int64))
    recent = tx_time_ns[settling] > tx_time_ns[-1] - GIVEN_UP_NS
    delay_ns[~delivered & recent & ~given_up] = UNSETTLED
    transmissions = np.minimum(sent, 255).astype(np.uint8)
    first_sizes = None if sizes is None else sizes[first]
    return LinkTrace(tx_time_ns[first], delay_ns, delivered, transmissions, size_bytes=first_sizes)


class SlotClock:
    """Counts slots on without wrapping; the log's own clock, which need not be exact, tells the wraps.

    Parameters
    ----------
    slots_per_frame
        Slots in a frame of 10 ms.
    """

    def __init__(self, slots_per_frame: int = 10) -> None:
        self._slot_ns = _FRAME_NS // slots_per_frame
        self._wrap_ns = FRAMES * _FRAME_NS
        self._last: tuple[int, int] | None = None

    def time_ns(self, slot: int, log_ns: int) -> int:
        """Return the time of slot number `slot` of the 1024 frames, which was logged at `log_ns`.

        The result is the one nearest to the slot before plus the time that has passed in the log. The first
        slot's time lies within the first 10.24 s.
        """
        counted_ns = slot * self._slot_ns
        if self._last is not None:
            last_ns, last_log_ns = self._last
            expected_ns = last_ns + log_ns - last_log_ns
            # Floor division rounds to the nearest wrap.
            counted_ns += (expected_ns - counted_ns + self._wrap_ns // 2) // self._wrap_ns * self._wrap_ns
        self._last = counted_ns, log_ns
        return counted_ns


def slots_per_frame(largest_slot: int, spacing_khz: int | None) -> int:
    """Return the slots in a frame: by the subcarrier spacing, or the least that `largest_slot` fits in.

    Raises
    ------
    UsageError
        When there is no such spacing, or the slot number is too large for it.
    """
    fitting = {khz: count for khz, count in _SLOTS_PER_FRAME.items() if largest_slot < count}
    if spacing_khz is None:
        return min(fitting.values(), default=max(_SLOTS_PER_FRAME.values()))
    if spacing_khz not in fitting:
        allowed = ", ".join(map(str, fitting))
        reason = f"with slot numbers up to {largest_slot}, allowed are {allowed}"
        raise UsageError(f"--subcarrier-spacing is {spacing_khz}; {reason}")
    return fitting[spacing_khz]
