"""The traces of a scenario, and the link traces that its runs share: the content of each, as a hash.

Nothing is converted here. Traces of the same rows have the same identity under any name, so that
each is made once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tmt.campaign.domain_objects import channel_of, line_of, lldu_bytes_of, named, scheme_of
from tmt.campaign.link_traces import SlotsHash, trace_sources
from tmt.campaign.planned_conversions import Phy, PlannedConversion
from tmt.campaign.sections import GENERATED_KEYS, SCHEME_SECTIONS, TraceFile
from tmt.core.errors import InputError
from tmt.core.provenance import digest
from tmt.core.schema import ES_N0_MDB, PHY_TRACE
from tmt.core.units import seconds_to_ns
from tmt.io import open_trace
from tmt.io.metadata import trace_version
from tmt.spec.settings import MAX_SEED

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.sections import Link, Scenario
    from tmt.core.schema import Packing


RETURN_TRACE = "link.return_trace"
"""Key of the return link's own trace."""


@dataclass(frozen=True, slots=True)
class Source:
    """A trace of the scenario, once its file has been looked at.

    `es_n0_from` names what knows the Es/N0 of each slot: the channel, the file, both or none. `sha256` is the
    hash of the file's slots, empty without a file. `is_measured` tells whether the file was imported from a
    measurement.
    """

    section: Any
    label: str
    lldu_bytes: int | None
    packing: Packing
    es_n0_from: tuple[str, ...]
    sha256: str = ""
    file: Path | None = None
    is_measured: bool = False

    @property
    def is_random(self) -> bool:
        """Whether every seed has a trace of its own."""
        return not isinstance(self.section, TraceFile)


def source_of(scenario: Scenario, section: Any, key: str = "trace") -> Source:
    """Look at the files of a trace that a scenario names with `key`.

    Raises
    ------
    InputError
        When one cannot be used, or nobody says how large its LLDUs are.
    """
    name = section.file if isinstance(section, TraceFile) else section.over
    es_n0_from = []
    if not isinstance(section, TraceFile) and channel_of(section).has_es_n0:
        es_n0_from.append(f"the channel {section.channel}")
    if name is None:
        return Source(
            section,
            named(section) or _label(section, None),
            lldu_bytes_of(section),
            packing=section.packing or "padded",
            es_n0_from=tuple(es_n0_from),
        )
    file = scenario.resolve(name)
    found = look_at(file)
    if found.has_es_n0:
        es_n0_from.append(f"the column {ES_N0_MDB.name} of {name}")
    if found.rows <= section.every:
        share = "" if section.every == 1 else f"with every = {section.every} "
        raise InputError(file, f"{share}a phy trace of one row has no rate; at least two rows are needed")
    if found.has_sizes and section.lldu_bytes is not None:
        told = f"lldu_bytes is {section.lldu_bytes}, but every row of {name} has a size of its own"
        raise InputError(scenario.path, f"key {key}: {told}; remove lldu_bytes")
    lldu_bytes = section.lldu_bytes or found.lldu_bytes
    if lldu_bytes is None and not found.has_sizes:
        raise InputError(scenario.path, f"key {key}: {name} does not say its lldu_bytes; {_ADVICE[key]}")
    return Source(
        section,
        named(section) or _label(section, file),
        lldu_bytes,
        packing=section.packing or found.packing or "padded",
        sha256=found.sha256,
        file=file,
        is_measured=found.is_measured,
        es_n0_from=tuple(es_n0_from),
    )


_ADVICE = {
    "trace": "add lldu_bytes to the table",
    RETURN_TRACE: "bring it in by tmt import, which keeps the size in the trace",
}


def return_source_of(scenario: Scenario, link: Link) -> Source | None:
    """Look at the file of the return link's own trace; None where it has none."""
    if link.return_trace is None:
        return None
    return source_of(scenario, TraceFile(file=link.return_trace), RETURN_TRACE)


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


def look_at(file: Path) -> PhyFile:
    """Return the facts about a PHY trace, which is read once (InputError)."""
    return _facts_of(file, trace_version(str(file)))


@lru_cache
def _facts_of(file: Path, _version: object) -> PhyFile:
    slots = SlotsHash()
    rows, first_ns, last_ns = 0, None, 0
    with open_trace(file, PHY_TRACE) as reader:
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


def _label(section: Any, file: Path | None) -> str:
    """Return the parameters that distinguish a trace: its file, its channel with parameters, its share."""
    parts = [] if file is None else [file.name]
    if not isinstance(section, TraceFile):
        own = section.model_dump(exclude=GENERATED_KEYS, exclude_none=True)
        values = ", ".join(f"{name}={_short(value)}" for name, value in own.items())
        parts.insert(0, f"{section.channel}({values})" if values else section.channel)
    label = " over ".join(parts)
    return f"{label} /{section.every}" if section.every > 1 else label


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def check_es_n0(scenario: Scenario, source: Source, scheme_section: Any) -> None:
    """Refuse soft combining over a trace whose Es/N0 is not known, or twice (InputError)."""
    combining = getattr(scheme_section, "combining", "none")
    if combining == "none":
        return
    if len(source.es_n0_from) > 1:
        raise InputError(
            scenario.path,
            f"key combining: {combining!r} needs one Es/N0 of each slot, and there are two: "
            f"{' and '.join(source.es_n0_from)}",
        )
    if not source.es_n0_from:
        raise InputError(
            scenario.path,
            f"key combining: {combining!r} needs the Es/N0 of each slot, which the trace {source.label!r} "
            f"does not have; a channel such as lms has it, and a file with a column {ES_N0_MDB.name}",
        )


def conversion_of(source: Source, scheme_section: Any, link: Link, seed: int) -> PlannedConversion:
    """Return the recipe of the forward link's trace for a seed."""
    return _conversion(source, scheme_section, link, realisation(source, seed))


def return_conversion_of(
    source: Source, scheme_section: Any, link: Link, seed: int
) -> PlannedConversion | None:
    """Return the recipe of the return link's trace; a channel has a realisation of its own there.

    `source` is that of the return link's own trace, or else of the forward link's.
    """
    if link.return_link == "plain":
        return None
    protection = scheme_section if link.return_link == "protected" else _NO_SCHEME
    number = realisation(source, seed) + MAX_SEED if source.is_random else 0
    return _conversion(source, protection, link, number)


@lru_cache(maxsize=1024)
def _conversion(source: Source, scheme_section: Any, link: Link, realisation: int) -> PlannedConversion:
    phy = _phy(source, realisation)
    every = source.section.every
    scheme = scheme_of(scheme_section, seconds_to_ns(link.rtt))
    needs_es_n0 = scheme.needs_es_n0
    if scheme_section.online:
        sources = trace_sources(phy.channel)
        identity = digest(phy.identity, every, needs_es_n0, sources)
        return PlannedConversion(identity, phy, every, None, needs_es_n0, sources)
    sources = trace_sources(phy.channel, scheme)
    identity = digest(phy.identity, every, scheme.name, asdict(scheme), sources)
    return PlannedConversion(identity, phy, every, scheme, needs_es_n0, sources)


_NO_SCHEME = SCHEME_SECTIONS["none"](name="none")


def realisation(source: Source, seed: int) -> int:
    """Return the number of the channel's realisation that a seed sees; 0 for a file, which has only one."""
    if not source.is_random:
        return 0
    count = source.section.realisations
    return seed if count is None else (seed - 1) % count + 1


def _phy(source: Source, realisation: int) -> Phy:
    section = source.section
    if isinstance(section, TraceFile):
        return Phy(source.sha256, source.file, source.sha256)
    channel = channel_of(section)
    line, length_ns = None, 0
    if source.file is None:
        line, length_ns = line_of(section), seconds_to_ns(section.length)
    on = [source.sha256] if line is None else [str(line.interval_ns), line.decode_time_ns, length_ns]
    identity = digest(channel.name, asdict(channel), realisation, on)
    return Phy(identity, source.file, source.sha256, channel, realisation, line, length_ns)
