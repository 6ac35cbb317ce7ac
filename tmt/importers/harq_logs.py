"""Parts that importers of HARQ logs share: parameters, a clock that counts slots, and both kinds of trace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from tmt.core.declaration import Param, ns
from tmt.core.errors import UsageError
from tmt.core.extent import Extent
from tmt.core.schema import UNSETTLED
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.importers.attempts import Pairing, infer_failures
from tmt.importers.fate_bounds import erasure_notes, fates, loss_notes
from tmt.importers.importer import As, DecodeTime, DirectionOf, Importer, Measurement, separate
from tmt.importers.notes import agreed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tmt.core.declaration import Rules
    from tmt.core.trace import Int64Array
    from tmt.importers.attempts import Attempt, Blocks
    from tmt.importers.importer import Reading


SUBFRAME_NS = 1_000_000
"""Length of a slot in LTE."""

ROUND_TRIP_MS = 8
"""Subframes of 1 ms from an attempt to its repeat; as many HARQ processes take turns."""

TERMINALS = range(0x3D, 0xFFF4)
"""RNTIs of single terminals; others are for random access, paging and system information."""

FRAMES = 1024
"""System frame numbers run from 0 to 1023."""

FRAME_NS = 10_000_000
"""Length of a frame of LTE and 5G."""
SLOTS_PER_FRAME = {15: 10, 30: 20, 60: 40, 120: 80}
"""Slots of a frame by the subcarrier spacing in kHz."""


PairingOf = Annotated[
    Pairing,
    "block of a repeat where the log tells no HARQ processes: a failed one of its size (size), or the oldest "
    "failed one (order); import both to see what rests on the choice",
]


UserOf = Annotated[
    str | None,
    "terminal to import, as the log numbers it; in logs of blocks, several numbers with commas between are "
    "one terminal, whose cell or RNTI changes",
    Param(absent="the only one in the file"),
]


class HarqImporter(Importer):
    """A log of transmission attempts."""

    as_: As = "phy"
    decode_time: DecodeTime = 0.001

    def measured(
        self,
        attempts: Sequence[Attempt],
        blocks: Blocks,
        notes: Sequence[str],
        extent: Extent | None = None,
    ) -> Measurement:
        """Return the trace of attempts; see `measurement`."""
        return measurement(attempts, blocks, self.as_, ns(self.decode_time), notes, extent)


class CellImporter(HarqImporter):
    """A log of both directions and several terminals."""

    direction: DirectionOf = None
    user: UserOf = None


class SlotImporter(CellImporter):
    """A log with slot numbers, from a cell whose slots may be shorter than 1 ms."""

    subcarrier_spacing: Annotated[
        int | None,
        "subcarrier spacing: 15, 30, 60 or 120 kHz. It gives the length of a slot",
        Param("kHz", 15, 120, absent="the least that has all slot numbers of the log"),
    ] = None

    def rules(self) -> Rules:
        """Refuse a spacing that no cell has."""
        if self.subcarrier_spacing not in (None, *SLOTS_PER_FRAME):
            yield "subcarrier_spacing", f"{', '.join(map(str, SLOTS_PER_FRAME))} kHz", "is not allowed"


def measurement(
    attempts: Sequence[Attempt],
    blocks: Blocks,
    reading: Reading,
    decode_time_ns: int,
    notes: Sequence[str] = (),
    extent: Extent | None = None,
) -> Measurement:
    """Return the trace of attempts in order of time, with the failures shown by repeats.

    `decode_time_ns` is that of attempts without a decode time of their own.
    """
    infer_failures(attempts, blocks)
    said = list(notes)
    times_ns = np.array([attempt.time_ns for attempt in attempts], np.int64)
    tx_time_ns = separate(times_ns)
    if moved := int((tx_time_ns != times_ns).sum()):
        said.append(f"{agreed(moved, 'block', 'are', 'of the same moment as others')} put 1 ns apart")
    measured = [attempt.size_bytes for attempt in attempts if attempt.size_bytes is not None]
    sizes = np.array(measured, np.uint32) if len(measured) == len(attempts) else None
    failed = np.array([bool(attempt.failed) for attempt in attempts])
    own = [attempt.decode_time_ns for attempt in attempts]
    decode_ns = np.array([decode_time_ns if time is None else time for time in own], np.int64)
    slots = PhyTrace(tx_time_ns, np.where(failed, 0, decode_ns), size_bytes=sizes)
    if reading == "phy":
        said += erasure_notes(attempts, blocks)
        signals, modes = [one.es_n0_mdb for one in attempts], [one.mode for one in attempts]
        if 0 < (missing := signals.count(None)) < len(signals):
            said.append(f"{agreed(missing, 'transmission', 'have')} no SINR: Es/N0 is left out")
        slots = replace(
            slots,
            es_n0_mdb=None if missing else np.array(signals, np.int32),
            mode=None if None in modes else np.array(modes, np.uint8),
        )
        return Measurement(slots, "packed", None, tuple(said), extent=extent)
    said += loss_notes(tx_time_ns, attempts, blocks)
    trace = _link(slots, blocks, decode_ns)
    return Measurement(trace, "packed", None, tuple(said), len(attempts), extent=extent)


def _link(slots: PhyTrace, blocks: Blocks, decode_ns: Int64Array) -> LinkTrace:
    """Return one row per block, by first attempts: its first decoded attempt settles it, else its last."""
    found = fates(slots.tx_time_ns, slots.decode_time_ns > 0, blocks)
    first_ns = slots.tx_time_ns[found.first]
    delay_ns = slots.tx_time_ns[found.settling] + decode_ns[found.settling] - first_ns
    delay_ns[found.unsettled] = UNSETTLED
    sizes = None if slots.size_bytes is None else slots.size_bytes[found.first]
    transmissions = np.minimum(found.transmissions, 255).astype(np.uint8)
    return LinkTrace(first_ns, delay_ns, found.delivered, transmissions, size_bytes=sizes)


def extent_of_slots(attempts: Iterable[Attempt], slot_ns: int) -> Extent:
    """Return the time from the first slot of a log's attempts to the end of the last."""
    times_ns = [attempt.time_ns for attempt in attempts]
    return Extent(min(times_ns), max(times_ns) + slot_ns - min(times_ns))


class SlotClock:
    """Counts slots without wrapping; the log's own clock, which may be inexact, shows the wraps."""

    def __init__(self, slots_per_frame: int = 10) -> None:
        self.slot_ns = FRAME_NS // slots_per_frame
        self._wrap_ns = FRAMES * FRAME_NS
        self._last: tuple[int, int] | None = None

    def time_ns(self, slot: int, log_ns: int) -> int:
        """Return the time of slot number `slot` of the 1024 frames, which was logged at `log_ns`.

        It is the one nearest to the previous slot plus the log's step; the first is within the first 10.24 s.
        """
        counted_ns = slot * self.slot_ns
        if self._last is not None:
            last_ns, last_log_ns = self._last
            expected_ns = last_ns + log_ns - last_log_ns
            # Floor division rounds to the nearest wrap.
            counted_ns += (expected_ns - counted_ns + self._wrap_ns // 2) // self._wrap_ns * self._wrap_ns
        self._last = counted_ns, log_ns
        return counted_ns


def slots_per_frame(largest_slot: int, spacing_khz: int | None) -> int:
    """Return a frame's slots, from the spacing or as few as fit; UsageError if `largest_slot` is larger."""
    fitting = {khz: count for khz, count in SLOTS_PER_FRAME.items() if largest_slot < count}
    if spacing_khz is None:
        return min(fitting.values(), default=max(SLOTS_PER_FRAME.values()))
    if spacing_khz not in fitting:
        allowed = ", ".join(map(str, fitting))
        reason = f"with slot numbers up to {largest_slot}, allowed are {allowed}"
        raise UsageError(f"--subcarrier-spacing is {spacing_khz}; {reason}")
    return fitting[spacing_khz]
