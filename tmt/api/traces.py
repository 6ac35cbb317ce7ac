"""Traces in Python: from data frames and files, through channels and schemes, to summaries and fits."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from tmt import io
from tmt.api.frames import AnyTrace, phy_of, trace_of
from tmt.api.keywords import (
    check_types,
    domain_values,
    named,
    path_of,
    required_fields,
    time_ns,
    whole,
)
from tmt.core.channels.base import Channel
from tmt.core.channels.registry import CHANNELS
from tmt.core.convert import convert
from tmt.core.declaration import Problem, Refused
from tmt.core.errors import UsageError
from tmt.core.generate import DEFAULT_DECODE_TIME_NS, Line
from tmt.core.measure.link import summarise
from tmt.core.schemes.parameters import Scheme
from tmt.core.schemes.registry import SCHEMES
from tmt.importers import AUTO, all_importers
from tmt.importers import files as measured_files
from tmt.importers.importer import Importer
from tmt.io.generation import generate
from tmt.spec.points import one_of
from tmt.theory import fit

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.measure.summaries import LinkSummary, PhySummary
    from tmt.core.trace import LinkTrace, PhyTrace, Trace
    from tmt.theory.fit import FitReport


RENAMED = {
    "file_format": "importer",
    "from": "from_",
    "reading": "as_",
    "line_bps": "line",
    "subcarrier_spacing_khz": "subcarrier_spacing",
}
"""Old keywords of `import_trace`, and the new ones."""


def read_trace(path: str | PathLike[str]) -> Trace:
    """Read a PHY or link trace from a file; its ending names the format.

    Returns
    -------
    PhyTrace or LinkTrace
        Columns as arrays, with the metadata; `to_frame()` gives a data frame.

    Raises
    ------
    InputError
        When the file is missing, or is no trace.
    """
    return io.read_trace(path_of("path", path))


def write_trace(path: str | PathLike[str], trace: AnyTrace) -> None:
    """Write a trace to a file; its ending names the format.

    Parameters
    ----------
    path
        The file to write; an earlier file of this name is replaced.
    trace
        A trace, a data frame with its columns, or the name of its file.

    Raises
    ------
    InputError
        When `trace` is no trace.
    UsageError
        When the ending names no format.
    OutputError
        When the file cannot be written.
    """
    io.write_trace(path_of("path", path), trace_of(trace))


def import_trace(path: str | PathLike[str], importer: str | Importer = AUTO, **options: Any) -> Trace:
    """Read another tool's measurement as a trace; see `tmt import` for formats and options.

    Parameters
    ----------
    path
        The measurement.
    importer
        An importer, such as ``tmt.importers.Mahimahi(decode_time=0.01)``, or the name of its format, such as
        ``mahimahi``; ``auto`` detects the format by the content.
    **options
        With a name: the parameters of the importer.

    Returns
    -------
    PhyTrace or LinkTrace
        With the importer, its parameters and notes in the metadata.

    Raises
    ------
    InputError
        When the file is not of that format, or damaged.
    UsageError
        When there is no such format or parameter, or a value is not allowed.
    """
    source = path_of("path", path)
    for old, new in RENAMED.items():
        if old in options:
            warnings.warn(f"{old} is called {new} now", DeprecationWarning, stacklevel=2)
            options[new] = options.pop(old)
    chosen = options.pop("importer", importer)
    if isinstance(chosen, Importer):
        if options:
            raise UsageError(f"{', '.join(options)} cannot be given beside {chosen!r}")
        return measured_files.import_trace(chosen, source)
    kinds = all_importers()
    kind = measured_files.recognised(str(source)) if chosen == AUTO else kinds.get(chosen)
    if kind is None:
        raise Refused([Problem(("importer",), chosen, "choice", (*kinds, AUTO))])
    return measured_files.import_trace(one_of(kind, {"name": kind.name, **options}), source)


def generate_trace(
    channel: str | Channel,
    *,
    duration: float,
    slot_interval: float = 0.001,
    decode_time: float | None = None,
    lldu_bytes: int | None = None,
    with_es_n0: bool = False,
    seed: int = 1,
    **parameters: Any,
) -> PhyTrace:
    """Make a PHY trace from a channel model, on a regular line of slots.

    Parameters
    ----------
    channel
        Name of a channel, as for `tmt generate --channel`, or a `Channel`.
    duration, slot_interval, decode_time
        Length of the trace, time from slot to slot, and time until a slot is decoded (by default that of the
        channel, or 0.036 s), in seconds.
    lldu_bytes
        Useful bytes of one LLDU.
    with_es_n0
        Whether the trace has the Es/N0 of each slot, which soft combining needs: lms and snr.
    seed
        Seed of the realisation, 0 or more.
    **parameters
        Parameters of the channel; a channel with profiles takes the others from its first profile.

    Raises
    ------
    UsageError
        When a name or a value is not allowed.
    """
    model = channel if isinstance(channel, Channel) else _channel(channel, parameters)
    decode_ns = model.decode_time_ns or DEFAULT_DECODE_TIME_NS
    if decode_time is not None:
        decode_ns = time_ns("decode_time", decode_time)
    line = Line(Fraction(time_ns("slot_interval", slot_interval)), decode_ns)
    with TemporaryDirectory(prefix="tmt-") as folder:
        path = Path(folder, "phy.parquet")
        generate(
            path,
            model,
            line,
            duration_ns=time_ns("duration", duration),
            seed=whole("seed", seed, least=0),
            lldu_bytes=None if lldu_bytes is None else whole("lldu_bytes", lldu_bytes),
            with_es_n0=with_es_n0,
        )
        return io.read_phy(path)


def convert_trace(
    trace: AnyTrace, scheme: str | Scheme, *, rtt: float | None = None, every: int = 1, **parameters: Any
) -> LinkTrace:
    """Return the link trace that a scheme makes of a PHY trace.

    Parameters
    ----------
    trace
        The PHY trace: a trace, a data frame with its columns, or the name of its file.
    scheme
        Name of a scheme, as for `tmt convert --scheme`, or a `Scheme`.
    rtt
        Round-trip time of the link in seconds; schemes that need none ignore it.
    every
        Keep every n-th slot: the share of one of n users.
    **parameters
        Parameters of the scheme, such as ``data=10, repair=2``; times are seconds.

    Raises
    ------
    InputError
        When the trace is no PHY trace.
    UsageError
        When a name or a value is not allowed.
    """
    phy = phy_of(trace)
    chosen = scheme if isinstance(scheme, Scheme) else _scheme(scheme, rtt, parameters)
    return convert(phy, chosen, whole("every", every))


def inspect_trace(
    trace: AnyTrace, *, lldu_bytes: int | None = None, rtt: float | None = None
) -> PhySummary | LinkSummary:
    """Summarise a trace: rates, losses, bursts, gaps, delays; see `tmt inspect`.

    Parameters
    ----------
    trace
        A PHY or link trace, a data frame with its columns, or the name of its file.
    lldu_bytes
        Useful bytes of one LLDU; by default those of the trace.
    rtt
        Round-trip time in seconds, for the recovery delay; by default that of the trace.

    Returns
    -------
    PhySummary or LinkSummary
        `to_json()` gives all figures as a dictionary.

    Raises
    ------
    InputError
        When `trace` is no trace.
    UsageError
        When `lldu_bytes` or `rtt` is not allowed.
    """
    held = trace_of(trace)
    rtt_ns = None if rtt is None else time_ns("rtt", rtt)
    size_bytes = None if lldu_bytes is None else whole("lldu_bytes", lldu_bytes)
    return summarise([held], held.metadata, lldu_bytes=size_bytes, rtt_ns=rtt_ns)


def fit_trace(trace: AnyTrace) -> FitReport:
    """Fit erasure models to a PHY trace, and test them; see `tmt fit`.

    Parameters
    ----------
    trace
        The PHY trace: a trace, a data frame with its columns, or the name of its file.

    Returns
    -------
    FitReport
        Each model's estimates with intervals and its test, and the simplest model that is not rejected.

    Raises
    ------
    InputError
        When the trace is no PHY trace.
    UsageError
        When it has too few bursts.
    """
    phy = phy_of(trace)
    return fit.fit(phy.decode_time_ns == 0, size_bytes=phy.size_bytes)


def _channel(name: str, parameters: dict[str, Any]) -> Channel:
    kind = named("channel", name, CHANNELS)
    needed = required_fields(kind)
    profile = next(iter(kind.profiles.values())).parameters() if kind.profiles else {}
    needed |= dict.fromkeys(profile, False)
    values = domain_values(f"channel {name}", needed, parameters)
    check_types(kind, values)
    return cast("Channel", kind(**profile | values))


def _scheme(name: str, rtt: float | None, parameters: dict[str, Any]) -> Scheme:
    kind = named("scheme", name, SCHEMES)
    needed = required_fields(kind)
    if rtt is not None and "rtt_ns" in needed:
        parameters["rtt"] = rtt
    return cast("Scheme", kind(**domain_values(f"scheme {name}", needed, parameters)))
