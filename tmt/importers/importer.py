"""An importer: recognises one format of measurement files and reads them into traces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.schema import Packing
    from tmt.core.trace import Trace

OptionKind = Literal[
    "choice", "seconds", "positive seconds", "text", "whole number", "number", "flag", "file"
]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an importer.

    Attributes
    ----------
    name
        Keyword argument of `Importer.read`, of `tmt.importers.import_trace`, and key in the trace's metadata.
    flag
        Its name on the command line.
    kind
        Type of its value: times are integer nanoseconds in Python, and seconds on the command line.
    minimum
        Least value of a number.
    """

    name: str
    flag: str
    kind: OptionKind
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    required: bool = False
    metavar: str | None = None
    minimum: int | None = None


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


@dataclass(frozen=True, slots=True)
class Importer:
    """One format of measurement files.

    Attributes
    ----------
    name
        Name that users type.
    summary
        One line for the help.
    read
        Reads a file, given its name and the value of each option as a keyword argument.
    sniff
        Whether a file that starts with these bytes (decompressed, up to 64 KiB) is of this format.
    options
        Options of this format. Every format also has `FROM` and `UNTIL`.
    help
        Further paragraphs for the help: fields, units, limits and an example.
    takes_until
        Whether `read` also has the argument ``until_ns``: of too many rows it makes only those before it.
    """

    name: str
    summary: str
    read: Callable[..., Measurement]
    sniff: Callable[[bytes], bool]
    options: tuple[Option, ...] = ()
    help: str = field(default="", repr=False)
    takes_until: bool = False
