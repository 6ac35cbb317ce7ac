"""The traces of a scenario, once their files have been looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.link_traces import SlotsHash
from tmt.core.declaration import Place, Problem, Refused
from tmt.core.errors import InputError
from tmt.core.schema import ES_N0_MDB, PHY_TRACE
from tmt.io import open_trace
from tmt.io.metadata import trace_version
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from tmt.core.schema import Packing
    from tmt.core.schemes.scheme import Scheme


@dataclass(frozen=True, slots=True)
class PhyFile:
    """Facts about a PHY trace: size and packing by its metadata, kinds, hash, number and span of slots."""

    lldu_bytes: int | None
    packing: Packing | None
    has_sizes: bool
    is_measured: bool
    has_es_n0: bool
    sha256: str
    rows: int
    span_ns: int

    @property
    def says_sizes(self) -> bool:
        """Whether the trace says how large its LLDUs are, each or all of them."""
        return self.has_sizes or self.lldu_bytes is not None


@dataclass(frozen=True, slots=True)
class Source:
    """A trace of a scenario with the facts about its file.

    `place` is its place in the scenario. `es_n0_from` names what knows the Es/N0 of each slot: the channel,
    the file, both or none. `sha256` is the hash of the file's slots, empty without a file. `is_measured` says
    whether the file was imported from a measurement.
    """

    trace: Trace
    place: Place
    lldu_bytes: int | None
    packing: Packing
    es_n0_from: tuple[str, ...]
    sha256: str = ""
    is_measured: bool = False

    @property
    def file(self) -> Path | None:
        """The file of the slots, or of those that the channel is laid over."""
        return None if self.trace.file is None else Path(self.trace.file)


def source_of(trace: Trace, place: Place) -> Source:
    """Look at the file of a trace, if it has one.

    Raises
    ------
    InputError
        When the file cannot be used.
    Refused
        When nobody says how large its LLDUs are, or two say it.
    """
    channel, name = trace.channel, trace.file
    has_channel = channel is not None and channel.has_es_n0
    es_n0_from = [f"the channel {channel.name}"] if has_channel and channel is not None else []
    if name is None:
        packing = trace.packing or "padded"
        return Source(trace, place, trace.line_lldu_bytes, packing, tuple(es_n0_from))
    found = look_at(Path(name))
    if found.has_es_n0:
        es_n0_from.append(f"the column {ES_N0_MDB.name} of {name}")
    if found.rows <= trace.kept:
        share = "" if trace.kept == 1 else f"with every = {trace.kept} "
        raise InputError(name, f"{share}a phy trace of one row has no rate; at least two rows are needed")
    at = place if trace == Trace(name) and "return_trace" in place else (*place, "lldu_bytes")
    if found.has_sizes and trace.lldu_bytes is not None:
        reason = f"is a second size: every row of {name} has one of its own"
        raise Refused([Problem(at, trace.lldu_bytes, "rule", "none", reason)])
    lldu_bytes = trace.lldu_bytes or found.lldu_bytes
    if lldu_bytes is None and not found.has_sizes:
        allowed = "lldu_bytes of the trace, or a file that says it (tmt import keeps it)"
        raise Refused([Problem(at, None, "rule", allowed, f"is missing: {name} does not say it")])
    return Source(
        trace,
        place,
        lldu_bytes,
        trace.packing or found.packing or "padded",
        tuple(es_n0_from),
        found.sha256,
        found.is_measured,
    )


def look_at(file: Path) -> PhyFile:
    """Return the facts about a PHY trace, which is read once (InputError)."""
    return _facts_of(file.absolute(), str(file), trace_version(str(file)))


@lru_cache
def _facts_of(_place: Path, name: str, _version: object) -> PhyFile:
    slots = SlotsHash()
    rows, first_ns, last_ns = 0, None, 0
    with open_trace(name, PHY_TRACE) as reader:
        said = reader.metadata
        for chunk in reader:
            slots.update(chunk)
            rows += len(chunk)
            first_ns = int(chunk.tx_time_ns[0]) if first_ns is None else first_ns
            last_ns = int(chunk.tx_time_ns[-1])
    return PhyFile(
        lldu_bytes=said.get("lldu_bytes"),
        packing=said.get("packing"),
        has_sizes=reader.has_sizes,
        is_measured="importer" in said,
        has_es_n0=ES_N0_MDB in reader.columns,
        sha256=slots.digest(),
        rows=rows,
        span_ns=last_ns - (first_ns or 0),
    )


def check_es_n0(source: Source, scheme: Scheme, place: Place) -> None:
    """Refuse soft combining over a trace whose Es/N0 is not known, or twice (Refused)."""
    if not scheme.needs_es_n0 or len(source.es_n0_from) == 1:
        return
    allowed = f"one Es/N0 of each slot: of a channel such as lms, or of a file with a column {ES_N0_MDB.name}"
    reason = f"has the Es/N0 twice: {' and '.join(source.es_n0_from)}"
    if not source.es_n0_from:
        reason = f"needs the Es/N0 of each slot, which the trace {source.trace.title!r} does not have"
    value = getattr(getattr(scheme, "below", scheme), str(place[-1]))
    raise Refused([Problem(place, value, "rule", allowed, reason)])
