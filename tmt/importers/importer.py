"""The base of all importers, and the parameters that several of them have: one meaning has one name."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from tmt.core.declaration import Number, Param, PositiveSeconds, Rate, Seconds, Spec, declared, ns

if TYPE_CHECKING:
    from tmt.core.schema import Packing
    from tmt.core.trace import Int64Array, Metadata, Trace

Reading = Literal["phy", "link"]
Direction = Literal["up", "down"]

As = Annotated[
    Reading,
    "trace to make: phy (each transmission attempt is a slot, for `tmt convert`) or link (each block is a "
    "row with the delay, the fate and the number of transmissions that the measured link gave it)",
]
DirectionOf = Annotated[
    Direction | None,
    "direction to import: up (from the terminal) or down",
    Param(absent="down, or the only one in the file"),
]
User = Annotated[
    str | None, "terminal to import, as the log numbers it", Param(absent="the only one in the file")
]
Spacing = Annotated[
    int | None,
    "subcarrier spacing: 15, 30, 60 or 120 kHz. It gives the length of a slot",
    Param("kHz", 15, 120, absent="the least that has all slot numbers of the log"),
]
LineRate = Annotated[
    Rate | None,
    "make a link of this constant rate, with the losses and delays of the probes or intervals: neither the "
    "rate of probes nor the usage of a link shows its capacity",
]
LlduBytes = Annotated[
    int,
    "bytes of a row: of the link of --line, of an opportunity, or of a block",
    Param("byte", 1, 2**31 - 1),
]
Seed = Annotated[
    Number, "seed of the draws that choose the lost rows, where the measurement has only a share of losses"
]
DecodeTime = Annotated[PositiveSeconds, "time until a slot is decoded; the measurement does not tell it"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement in the form of a trace.

    Attributes
    ----------
    trace
        Rows; `size_bytes` where sizes were measured.
    packing
        How packets lie in the rows of this kind of link.
    lldu_bytes
        Bytes that every row carries; None where `trace` has sizes or the format does not tell.
    slots
        Transmission attempts behind the rows of a link trace; None where the format does not tell.
    notes
        Sentences for the user with numbers of rows that were left out, inferred or corrected.
    """

    trace: Trace
    packing: Packing
    lldu_bytes: int | None = None
    notes: tuple[str, ...] = ()
    slots: int | None = None


class Importer(Spec):
    """A format of measurement files, and what to read of them.

    The docstring of an importer is the help of its command.
    """

    from_: Annotated[Seconds | None, "leave out rows before this time; the trace then counts from it"] = (
        field(default=None, kw_only=True)
    )
    until: Annotated[PositiveSeconds | None, "leave out rows at and after this time of the measurement"] = (
        field(default=None, kw_only=True)
    )

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether a file that starts with these bytes (decompressed, up to 64 KiB) is of this format."""
        del head
        return False

    @abstractmethod
    def read(self, path: str) -> Measurement:
        """Return the rows of a file, with or without those at `until` and after it.

        Raises
        ------
        InputError
            When the file is not of this format, or damaged.
        UsageError
            When it does not hold what is asked for.
        """

    @property
    def until_ns(self) -> int | None:
        """The time `until` in nanoseconds."""
        return None if self.until is None else ns(self.until)

    def describe(self) -> Metadata:
        """Return name and parameters in the form of a trace's metadata: times are nanoseconds."""
        found: Metadata = {"importer": self.name}
        for key, one in declared(type(self)).items():
            value = getattr(self, key)
            if value is not None:
                name = key.rstrip("_") + {"s": "_ns", "bit/s": "_bps", "kHz": "_khz"}.get(one.param.unit, "")
                found[name] = ns(value) if one.param.unit == "s" else value
        return found


def separate(times_ns: Int64Array) -> Int64Array:
    """Return sorted times with equal ones put 1 ns apart, in their order."""
    order = np.arange(len(times_ns))
    separated: Int64Array = np.maximum.accumulate(times_ns - order) + order
    return separated
