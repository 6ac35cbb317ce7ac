"""The base of all importers, parameters that several of them have, and measurement files made into traces."""

from __future__ import annotations

import re
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from tmt.core import provenance
from tmt.core.checks import Checker
from tmt.core.declaration import Param, PositiveSeconds, Rate, Seconds, Spec, declared, ns
from tmt.core.errors import InputError
from tmt.core.extent import Extent
from tmt.core.trace import LinkTrace, make_trace
from tmt.core.units import NS_PER_S
from tmt.core.words.values import time_notes
from tmt.importers import all_importers
from tmt.importers.log_files import first_names
from tmt.io import write_trace
from tmt.io.files import input_errors, open_input

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.schema import Packing
    from tmt.core.trace import Int64Array, Metadata, Trace

_HEAD_BYTES = 1 << 16

_LEAST_USUAL_BPS = 1000

_MAY_BE_LONG = ("from_", "until", "gap")
"""Parameters that may be long times; the others are times of single probes and slots."""

Reading = Literal["phy", "link"]
Direction = Literal["up", "down"]

AS_MEANING = (
    "trace to make: phy (each attempt is a slot) or link (each block is a row with delay, fate and number of "
    "transmissions)"
)
As = Annotated[Reading, AS_MEANING]
DirectionOf = Annotated[
    Direction | None,
    "direction to import: up (from the terminal) or down",
    Param(absent="down, or the only one in the file"),
]
LineRate = Annotated[
    Rate | None,
    "make a link of this constant rate, with the measured losses and delays",
]
LLDU_BYTES_MEANING = "bytes of a row: of the link of --line, of an opportunity, or of a block"
LlduBytes = Annotated[
    int,
    LLDU_BYTES_MEANING,
    Param("byte", 1, 2**31 - 1),
]
DecodeTime = Annotated[PositiveSeconds, "time until a slot is decoded; the measurement does not tell it"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement in the form of a trace."""

    trace: Trace
    """Rows; `size_bytes` where sizes were measured."""
    packing: Packing
    """How packets lie in the rows of this kind of link."""
    lldu_bytes: int | None = None
    """Bytes that every row carries; None if `trace` has sizes or the format does not tell."""
    notes: tuple[str, ...] = ()
    """Sentences for the user on rows that were left out, inferred or corrected, with their numbers."""
    slots: int | None = None
    """Transmission attempts behind the rows of a link trace; None if the format does not tell."""
    modes: Metadata | None = None
    """Table of modes for the rows' column `mode`; None if the format has none."""
    extent: Extent | None = None
    """The measured time, on the clock of the rows; None if only the rows give it."""


class Importer(Spec):
    """A format of measurement files, and what to read from them.

    The docstring of an importer is the help of its command.
    """

    from_: Annotated[Seconds | None, "leave out rows before this time; the trace then counts from it"] = (
        field(default=None, kw_only=True)
    )
    until: Annotated[PositiveSeconds | None, "leave out rows at and after this time of the measurement"] = (
        field(default=None, kw_only=True)
    )

    columns: ClassVar[tuple[str, ...]] = ()
    """Columns of a table of this format, if it has a header."""
    signs: ClassVar[tuple[bytes, ...]] = ()
    """Regular expressions that all match somewhere in the first part of a file of this format; ``^`` matches
    at each line.
    """

    @classmethod
    def sniff(cls, head: bytes) -> bool:
        """Whether a file that starts with these bytes (decompressed, up to 64 KiB) is of this format."""
        if cls.signs:
            return all(re.search(sign, head, re.MULTILINE) for sign in cls.signs)
        return bool(cls.columns) and set(cls.columns) <= set(first_names(head))

    @abstractmethod
    def read(self, path: str) -> Measurement:
        """Return the rows of a file; rows at `until` or later may be omitted.

        InputError when the file is not of this format, or damaged; UsageError when it lacks what the
        parameters ask for.
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
    """Return sorted times with equal ones shifted 1 ns apart, in their order."""
    order = np.arange(len(times_ns))
    separated: Int64Array = np.maximum.accumulate(times_ns - order) + order
    return separated


def recognised(path: str, named: type[Importer] | None = None) -> type[Importer]:
    """Return the importer that detects its format in `path`, `named` first (InputError when none does)."""
    with open_input(path) as file, input_errors(path):
        head = file.read(_HEAD_BYTES)
    for importer in filter(None, (named, *all_importers().values())):
        if importer.sniff(head):
            return importer
    reason = "its content tells no format of measurements; name the format, or its columns"
    raise InputError(path, f"{reason}: tmt import table --help")


def import_hint(path: str) -> str:
    """Return the import that makes a trace of `path`, in words; empty when no importer detects its format."""
    with suppress(InputError):
        return f"it holds a measurement: tmt import {recognised(path).name} {path} OUT.parquet"
    return ""


def _other_format(named: type[Importer], path: str) -> str:
    """Return, in words, the format that the content of `path` tells instead of the named one, if it does."""
    is_told = not any(one.is_required for one in declared(named).values())
    with suppress(InputError):
        if is_told and (found := recognised(path, named)) is not named:
            return f"its content is of format {found.name}"
    return ""


def import_trace(
    importer: Importer, source: str | PathLike[str], target: str | PathLike[str] | None = None
) -> Trace:
    """Read the measurement file `source` as a trace, and write the trace to `target` if there is one.

    The metadata hold ``importer``, its parameters, ``source``, ``packing``, ``lldu_bytes`` if all rows carry
    the same, and ``notes``, a list of sentences. Errors are those of `Importer.read`; OutputError when
    `target` cannot be written; UsageError when its ending is unknown.
    """
    path = fspath(source)
    try:
        measurement = importer.read(path)
    except InputError as error:
        if hint := _other_format(type(importer), path):
            raise InputError(path, f"{error.reason}; {hint}", error.line) from error
        raise
    except OverflowError as error:
        raise InputError(path, "a time or a size in it has more than 64 bits") from error
    from_ns = None if importer.from_ is None else ns(importer.from_)
    trace, extent = _between(path, measurement, from_ns, importer.until_ns)
    if violation := Checker(trace.table, extent).check(trace):
        raise InputError(path, f"it makes no trace: {violation.reason()}", f"row {violation.row + 1}")
    how: Metadata = importer.describe() | {"source": provenance.source(path)}
    if measurement.lldu_bytes is not None:
        how["lldu_bytes"] = measurement.lldu_bytes
    if measurement.slots is not None and len(trace) == len(measurement.trace):
        how["slots"] = measurement.slots
    if measurement.modes is not None:
        how["modes"] = measurement.modes
    if extent is not None:
        how |= extent.metadata
    how |= {
        "packing": measurement.packing,
        "notes": [*measurement.notes, *_slips(importer, trace), *_slow(measurement)],
    }
    trace = replace(trace, metadata=provenance.record(trace.table.kind, **how))
    if target is not None:
        write_trace(target, trace)
    return trace


def _slips(importer: Importer, trace: Trace) -> list[str]:
    """Note a parameter, or delays, that may be milliseconds read as seconds."""
    times = [
        (f"--{key.replace('_', '-')}", ns(value))
        for key, one in declared(type(importer)).items()
        if one.param.unit == "s" and (value := getattr(importer, key)) is not None and key not in _MAY_BE_LONG
    ]
    found = [note for name, time_ns in times for note in time_notes(name, time_ns)]
    delays_ns = trace.delay_ns[trace.delivered] if isinstance(trace, LinkTrace) else trace.decode_time_ns
    delays_ns = delays_ns[delays_ns > 0]
    if found or not len(delays_ns):
        return found
    return time_notes("the median delay", float(np.median(delays_ns)))


def _slow(measurement: Measurement) -> list[str]:
    """Note a measured stretch of time whose rate was probably meant in Mbit/s."""
    extent, lldu_bytes = measurement.extent, measurement.lldu_bytes
    if extent is None or lldu_bytes is None:
        return []
    rate_bps = 8 * lldu_bytes * len(measurement.trace) * NS_PER_S / extent.length_ns
    if rate_bps >= _LEAST_USUAL_BPS:
        return []
    return [
        f"the rate is {rate_bps:.3g} bit/s: --line 100e6 is 100 Mbit/s, --rate NAME:Mbit/s a column of them"
    ]


def _between(
    path: str, measurement: Measurement, from_ns: int | None, until_ns: int | None
) -> tuple[Trace, Extent | None]:
    """Return the rows of a part of the time, on a clock that starts with that part, and its extent."""
    trace = measurement.trace
    if from_ns is None and until_ns is None:
        return trace, measurement.extent
    kept = trace.tx_time_ns >= (from_ns or 0)
    if until_ns is not None:
        kept &= trace.tx_time_ns < until_ns
    if not kept.any():
        first_s, last_s = trace.tx_time_ns[0] / 1e9, trace.tx_time_ns[-1] / 1e9
        raise InputError(
            path, f"no row lies between --from and --until; rows lie from {first_s:g} s to {last_s:g} s"
        )
    columns = {column.name: getattr(trace, column.name)[kept] for column in trace.columns}
    columns["tx_time_ns"] -= from_ns or 0
    whole = measurement.extent or Extent.of(trace)
    return make_trace(trace.table, columns), whole and whole.between(from_ns, until_ns)
