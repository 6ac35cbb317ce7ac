"""Traces in Python: from files, measurements and channels, through schemes."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from tmt import io
from tmt.api.arguments import AnyTrace, also, chosen, path_of, phy_of, trace_of
from tmt.core.channels import CHANNELS
from tmt.core.convert import convert
from tmt.core.declaration import Count, Param, ns, taken
from tmt.core.errors import UsageError
from tmt.core.problems import Problem, Refused
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.scheme import RoundTrip, Scheme
from tmt.importers import AUTO, all_importers, importer as measured_files
from tmt.importers.importer import Importer
from tmt.io.generation import generate
from tmt.spec.points import one_of
from tmt.spec.slot_line import SlotLine

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.channels.base import Channel
    from tmt.core.modes import Adaptation
    from tmt.core.trace import LinkTrace, PhyTrace, Trace

Seed = Annotated[int, Param("", 0, 2**63 - 1)]

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
        When the file is missing, or is not a trace.
    """
    return io.read_trace(path_of("path", path))


def write_trace(path: str | PathLike[str], trace: AnyTrace) -> None:
    """Write a trace to a file; its ending names the format.

    Parameters
    ----------
    path
        The file to write; an existing file of this name is replaced.
    trace
        A trace, a data frame with its columns, or the name of its file.

    Raises
    ------
    InputError
        When `trace` is not a trace.
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
        ``mahimahi``; ``auto`` detects the format from the content.
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
    if chosen == AUTO:
        kind = measured_files.recognised(str(source))
    elif isinstance(chosen, str) and chosen in kinds:
        kind = kinds[chosen]
    else:
        raise Refused([Problem(("importer",), chosen, "choice", (*kinds, AUTO))])
    return measured_files.import_trace(one_of(kind, {"name": kind.name, **options}), source)


@also
def generate_trace(
    channel: Channel | str,
    duration: float,
    *,
    slot_interval: float | None = None,
    rate: float | None = None,
    lldu_bytes: int | None = None,
    every: int | None = None,
    decode_time: float | None = None,
    with_es_n0: bool = False,
    adaptation: Adaptation | None = None,
    seed: int = 1,
) -> PhyTrace:
    """Make a PHY trace from a channel model, with regular slots.

    Parameters
    ----------
    channel
        The channel, such as ``tmt.Bernoulli(0.01)``, or the name of a channel whose parameters all have
        defaults.
    duration
        Length of the trace in seconds.
    slot_interval
        Time from slot to slot in seconds; by default that of the rate, or 0.001.
    rate
        Bits of LLDUs per second on the whole link; by default that of the channel's profile, if it has one.
    lldu_bytes
        Useful bytes of one LLDU.
    every
        With a rate: this user has every n-th slot of the link.
    decode_time
        Time in seconds until a slot is decoded; by default the channel's, or 0.036.
    with_es_n0
        Whether the trace has the Es/N0 of each slot, which soft combining needs: lms and snr.
    adaptation
        Chooses a mode for each slot by the Es/N0 of lms or snr, such as ``tmt.Adaptation("nr-2",
        resource_blocks=50)``.
    seed
        Seed of the realisation, 0 or more.

    Raises
    ------
    UsageError
        When a name or a value is not allowed.

    Examples
    --------
    >>> import tmt
    >>> len(tmt.generate_trace(tmt.GilbertElliott(0.99, 0.5), 60))
    60000
    """
    model = chosen("channel", CHANNELS, channel)
    slots = SlotLine(duration, slot_interval, rate, lldu_bytes, every, decode_time)
    line, size_bytes = slots.line(model, adaptation)
    with TemporaryDirectory(prefix="tmt-") as folder:
        path = Path(folder, "phy.parquet")
        generate(
            path,
            model,
            line,
            duration_ns=ns(slots.duration),
            seed=taken("seed", Seed, seed),
            lldu_bytes=size_bytes,
            with_es_n0=with_es_n0,
            adaptation=adaptation,
        )
        return io.read_phy(path)


@also
def convert_trace(
    trace: AnyTrace, scheme: Scheme | str, rtt: float | None = None, every: int = 1
) -> LinkTrace:
    """Return the link trace that a scheme makes from a PHY trace.

    Parameters
    ----------
    trace
        The PHY trace: a trace, a data frame with its columns, or the name of its file.
    scheme
        The scheme, such as ``tmt.Harq(data=10, repair=2)``, or the name of a scheme whose parameters all have
        defaults, such as ``"arq"``.
    rtt
        Round-trip time of the link in seconds, which schemes with feedback need; the others ignore it.
    every
        Keep every n-th slot: the share of one of n users.

    Raises
    ------
    InputError
        When the trace is not a PHY trace.
    UsageError
        When a name or a value is not allowed.
    """
    model = chosen("scheme", SCHEMES, scheme)
    if rtt is None and model.uses_rtt:
        raise Refused(
            [Problem(("rtt",), None, "missing", f"a time in seconds, for the feedback of {model.name}")]
        )
    rtt_s = 0.0 if rtt is None else taken("rtt", RoundTrip, rtt)
    return convert(phy_of(trace), model, rtt_s, taken("every", Count, every))
