"""Adaptive coding and modulation: a mode of a table for each slot, chosen by late reports."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np

from tmt.core.declaration import MAX_TIME_S, Count, Param, Probability, Rules, Seconds, Spec, in_nanoseconds
from tmt.core.errors import UsageError
from tmt.core.modes.table import ModeTable, read_table
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from tmt.core.trace import FloatArray, Int64Array

Decibels = Annotated[float, Param("dB", -100, 100)]
Delay = Annotated[Seconds, Param(most=MAX_TIME_S // 4)]

HEADER_SYMBOLS, SLOT_SYMBOLS, PILOT_SLOTS, PILOT_SYMBOLS = 90, 90, 16, 36
"""Symbols of a PLFRAME (EN 302 307-1, clause 5.5): header, slot, between pilot blocks, pilot block."""


CODE_BITS, BBHEADER_BITS = 64_800, 80
"""Bits of a normal FECFRAME, and of the header of a BBFRAME."""

GSE_PACKET_BYTES, GSE_CUT_BYTES, IP_PACKET_BYTES = 4, 14, 1500
"""Bytes that GSE (ETSI TS 102 606-1) adds to an IP packet: header and protocol type without label.

If the end of a frame cuts the packet, also the first fragment with its length and identifier, and the last
fragment with a CRC-32.
"""

REFERENCE_RE = 156
"""Most resource elements per resource block and slot that carry data (3GPP TS 38.214, 5.1.3.2)."""


class Settings(NamedTuple):
    """The parameters of an adaptation as kernels take them; see `tmt.core.modes.kernel`.

    Attributes
    ----------
    needed_mdb, modes : [n_choices], Es/N0 from which a choice holds the target, and its mode
    half_mdb, width_mdb : [n_modes], error curves
    levels_mdb : [n_levels], levels of a quantised report
    numbers : [4], margin, offset per ACK and per NACK, probability that a report is lost
    size_bytes : [n_modes], bytes of a slot or frame
    symbols : [n_modes], symbols of a frame; [0] for slots
    """

    needed_mdb: FloatArray
    modes: Int64Array
    half_mdb: FloatArray
    width_mdb: FloatArray
    levels_mdb: FloatArray
    numbers: FloatArray
    size_bytes: Int64Array
    symbols: Int64Array


class Adaptation(Spec):
    """Chooses modulation and code of each slot; the outcome follows from the slot's Es/N0.

    The sender takes the most efficient mode that has at most the target error rate at the Es/N0 that it
    knows. That is the Es/N0 of the slot itself (``ideal``), that of the last report less the margin
    (``margin``), or the latter plus an offset (``olla``), which each NACK lowers by `step` and each ACK
    raises by ``step * target / (1 - target)``.

    DVB modes fill frames of a constant number of code bits, sent back to back at `symbol_rate`; NR and LTE
    modes fill slots of constant duration and `resource_blocks`.
    """

    modes: Annotated[
        Literal["dvb-s2", "dvb-s2x", "lte", "nr-1", "nr-2", "nr-3"] | str,
        "table of modes: one that comes along, or a CSV file",
        Param(is_path=True),
    ]
    adapt: Annotated[Literal["ideal", "margin", "olla"], "rule that chooses the mode"] = "margin"
    target: Annotated[
        float | None, "block error rate of a first transmission", Param("", 1e-9, 0.5, absent="the table's")
    ] = None
    margin: Annotated[Decibels, "margin below the reported Es/N0"] = 0.0
    step: Annotated[float, "olla: fall of the offset per NACK", Param("dB", 1e-6, 20)] = 0.1
    report_delay: Annotated[Delay, "time from a measurement, or a slot, until the sender knows"] = 0.0
    report_every: Annotated[Delay, "time between reports; 0: each slot is reported"] = 0.0
    report_loss: Annotated[Probability, "probability that a report is lost"] = 0.0
    report_cqi: Annotated[
        Literal["nr-cqi-1", "nr-cqi-2", "nr-cqi-3", "lte"] | str | None,
        "table whose levels quantise reports: one that comes along, or a CSV file",
        Param(is_path=True, absent="reports are exact"),
    ] = None
    below: Annotated[
        Literal["send", "idle"], "Es/N0 too low for each mode: send the lowest one, or nothing"
    ] = "send"
    resource_blocks: Annotated[Count | None, "slots: resource blocks of a slot", Param(absent="frames")] = (
        None
    )
    resource_elements: Annotated[
        int, "slots: resource elements of a block that carry data", Param("", 1, REFERENCE_RE)
    ] = 144
    symbol_rate: Annotated[
        int | None, "frames: symbols per second", Param("symbol/s", 1000, 10**10, absent="slots")
    ] = None
    pilots: Annotated[bool, "frames: with pilot symbols"] = False
    encapsulation: Annotated[Literal["gse", "none"], "frames: headers in front of IP packets"] = "gse"

    def rules(self) -> Rules:
        """Refuse an invalid table, a symbol rate for slots, and resource blocks for frames."""
        frames = self.table.has_frames
        kind = f"{self.modes} has {'frames' if frames else 'slots'}"
        needed, other = ("symbol_rate", "resource_blocks") if frames else ("resource_blocks", "symbol_rate")
        if getattr(self, needed) is None:
            yield (
                needed,
                "symbols per second" if frames else "a whole number of blocks",
                f"is missing: {kind}",
            )
        if getattr(self, other) is not None:
            yield other, f"none: {kind}"
        if self.report_cqi is not None:
            read_table(self.report_cqi)

    @cached_property
    def table(self) -> ModeTable:
        """The table of modes (InputError)."""
        return read_table(self.modes)

    @property
    def target_error_rate(self) -> float:
        """The target, or the error rate of the table's thresholds."""
        return self.table.usual_target if self.target is None else self.target

    @cached_property
    def symbols(self) -> Int64Array:
        """Symbols of a frame of each mode, header and pilots included: [n_modes]; [0] for slots."""
        bits = self.table.bits_per_symbol
        if bits is None or not self.table.has_frames:
            return np.empty(0, np.int64)
        slots = np.ceil(np.ceil(CODE_BITS / bits) / SLOT_SYMBOLS).astype(np.int64)
        pilots = (slots - 1) // PILOT_SLOTS * PILOT_SYMBOLS if self.pilots else 0
        return HEADER_SYMBOLS + SLOT_SYMBOLS * slots + pilots

    @property
    def frame_interval_ns(self) -> Fraction:
        """Duration of the shortest frame, which is the time between samples of the signal."""
        return Fraction(int(self.symbols.min()) * NS_PER_S, self.symbol_rate or 1)

    @cached_property
    def size_bytes(self) -> Int64Array:
        """Bytes of IP packets in a frame, or bytes of a slot's transport block, by mode: [n_modes]."""
        table = self.table
        if table.information_bits is None or not table.has_frames:
            elements = self.resource_elements * (self.resource_blocks or 0)
            return np.maximum((table.efficiency * elements // 8).astype(np.int64), 1)
        room: Int64Array = (table.information_bits - BBHEADER_BITS) // 8
        if self.encapsulation == "none":
            return room
        room -= GSE_CUT_BYTES
        room -= room // (IP_PACKET_BYTES + GSE_PACKET_BYTES) * GSE_PACKET_BYTES
        return np.maximum(room, 1)

    def settings(self) -> Settings:
        """Return the parameters as kernels take them."""
        table, target = self.table, self.target_error_rate
        choices = table.choices(target)
        levels = (
            np.empty(0) if self.report_cqi is None else np.sort(read_table(self.report_cqi).needed_db(target))
        )
        down_mdb = 1000.0 * self.step
        return Settings(
            1000.0 * table.needed_db(target)[choices],
            choices,
            1000.0 * table.half_db,
            1000.0 * table.width_db,
            1000.0 * levels,
            np.array([1000.0 * self.margin, down_mdb * target / (1.0 - target), down_mdb, self.report_loss]),
            self.size_bytes,
            self.symbols,
        )

    @property
    def label(self) -> str:
        """Table and rule, such as ``dvb-s2, olla``, with a margin if there is one."""
        margin = f", margin {self.margin:g} dB" if self.margin else ""
        return f"{self.modes}, {self.adapt}{margin}"

    def describe(self) -> dict[str, Any]:
        """Return parameters and table for a trace's metadata, with times in nanoseconds."""
        table, levels = self.table, self.report_cqi
        return {
            **in_nanoseconds(self, but="modes"),
            **table.identity,
            "target": self.target_error_rate,
            "report_cqi": None if levels is None else read_table(levels).identity["table"],
            "names": list(table.names),
            "efficiency": table.efficiency.tolist(),
            "half_db": table.half_db.tolist(),
            "width_db": table.width_db.tolist(),
            "size_bytes": self.size_bytes.tolist(),
            "symbols": self.symbols.tolist(),
        }

    def check_reached(self, most_db: float) -> None:
        """Refuse a signal that never reaches a mode's target error rate, judged by its greatest Es/N0
        (UsageError).
        """
        needed_db = self.table.needed_db(self.target_error_rate)
        lowest = int(np.argmin(needed_db))
        if most_db < needed_db[lowest]:
            raise UsageError(
                f"no mode of {self.modes} has a block error rate of {self.target_error_rate:g}: "
                f"{self.table.names[lowest]} needs {needed_db[lowest]:.2f} dB, and the signal has "
                f"{most_db:.2f} dB at most"
            )
