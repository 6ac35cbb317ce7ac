"""Link traces that runs share, before they are made: slots of a trace, and the scheme that converts them.

The files of traces are examined here; nothing is converted. Equal recipes have equal identities, whatever the
names of files, so that each link trace is made once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.campaign.phy_file import facts_of
from tmt.core.channels.snr import Snr
from tmt.core.declaration import in_nanoseconds, ns
from tmt.core.errors import InputError
from tmt.core.identity import core_places, model_places, source_hash
from tmt.core.modes.table import read_table
from tmt.core.problems import Place, Problem, Refused
from tmt.core.provenance import digest, file_version
from tmt.core.schema import ES_N0_MDB
from tmt.core.schemes.none import NoScheme
from tmt.io.metadata import trace_version
from tmt.spec.toml import files_of
from tmt.spec.trace import Trace
from tmt.spec.traffic import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.campaign.phy_file import PhyFile
    from tmt.core.channels.base import Channel
    from tmt.core.generate import Line
    from tmt.core.modes import Adaptation
    from tmt.core.provenance import FileVersion
    from tmt.core.schema import Packing
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.sharing import Sharing
    from tmt.spec.path import Path as LinkPath


@dataclass(frozen=True, slots=True)
class Source:
    """A trace of a scenario with the facts about its file.

    `place` is its position in the scenario. `es_n0_from` names the source of each slot's Es/N0: channel,
    file, both or none. `sha256` is the hash of the file's slots, or empty; `is_measured`: imported from a
    measurement. `versions` are those of the files that the trace names, so that a changed file makes another
    source.
    """

    trace: Trace
    place: Place
    lldu_bytes: int | None
    packing: Packing
    es_n0_from: tuple[str, ...]
    sha256: str = ""
    is_measured: bool = False
    versions: tuple[FileVersion | None, ...] = ()

    @property
    def file(self) -> Path | None:
        """The file of the slots, or of the slots that the channel erases."""
        return None if self.trace.file is None else Path(self.trace.file)


def source_of(trace: Trace, place: Place) -> Source:
    """Examine a trace's files, if any (InputError); Refused unless exactly one source gives the size of
    LLDUs.
    """
    channel, name = trace.channel, trace.file
    versions = tuple(map(file_version, files_of(trace)))
    if isinstance(channel, Snr):
        _check_signal(channel, versions)
    has_channel = channel is not None and channel.has_es_n0
    es_n0_from = [f"the channel {channel.name}"] if has_channel and channel is not None else []
    if name is None:
        packing = trace.packing or ("padded" if trace.adaptation is None else "packed")
        return Source(trace, place, trace.line_lldu_bytes, packing, tuple(es_n0_from), versions=versions)
    found = look_at(Path(name))
    if found.has_es_n0:
        es_n0_from.append(f"the column {ES_N0_MDB.name} of {name}")
    if found.rows <= trace.kept and not found.has_extent:
        share = "" if trace.kept == 1 else f"with every = {trace.kept} "
        raise InputError(name, f"{share}a phy trace of one row has no rate; at least two rows are needed")
    at = place if trace == Trace(name) and "return_trace" in place else (*place, "lldu_bytes")
    if found.has_sizes and trace.lldu_bytes is not None:
        reason = f"is a second size: every row of {name} has one of its own"
        raise Refused([Problem(at, trace.lldu_bytes, "rule", "none", reason)])
    lldu_bytes = trace.lldu_bytes or found.lldu_bytes
    if lldu_bytes is None and not found.has_sizes:
        allowed = "lldu_bytes of the trace, or a file that says it (`tmt import table --lldu-bytes`)"
        raise Refused([Problem(at, None, "rule", allowed, f"is missing: {name} does not say it")])
    packing = trace.packing or found.packing or "padded"
    seen = found.sha256, found.is_measured, versions
    return Source(trace, place, lldu_bytes, packing, tuple(es_n0_from), *seen)


@lru_cache
def _check_signal(channel: Snr, _versions: object) -> None:
    """Refuse files without a signal or without error rates (InputError); they are read once."""
    channel.realisation(0)


def look_at(file: Path) -> PhyFile:
    """Return the facts about a PHY trace, which is read once (InputError)."""
    return facts_of(file.absolute(), str(file), trace_version(str(file)))


def check_es_n0(source: Source, scheme: Scheme, place: Place) -> None:
    """Refuse soft combining over a trace without Es/N0, or with two sources of it (Refused)."""
    if not scheme.needs_es_n0 or len(source.es_n0_from) == 1:
        return
    allowed = f"one Es/N0 of each slot: of a channel such as lms, or of a file with a column {ES_N0_MDB.name}"
    reason = f"has the Es/N0 twice: {' and '.join(source.es_n0_from)}"
    if not source.es_n0_from:
        reason = f"needs the Es/N0 of each slot, which the trace {source.trace.title!r} does not have"
    value = getattr(getattr(scheme, "below", scheme), str(place[-1]))
    raise Refused([Problem(place, value, "rule", allowed, reason)])


@dataclass(frozen=True, slots=True)
class Phy:
    """A PHY trace: a file as it is (`channel` None), or a channel's realisation over regular slots or over a
    file.

    With users who share a link, it is the trace of one user. `identity` is equal exactly for equal slots;
    `file_slots` is the hash of the file's slots, or empty.
    """

    identity: str
    file: Path | None
    file_slots: str = ""
    channel: Channel | None = None
    adaptation: Adaptation | None = None
    seed: int = 0
    line: Line | None = None
    length_ns: int = 0
    sharing: Sharing | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a trace that runs share: a scheme over every `every`-th slot of a PHY trace.

    Without a scheme it is those slots themselves, for a scheme that works in the simulator. `rtt` is the
    link's, in seconds; `sources` is the hash of the sources that make it. With `sharing` all users of a line
    are in one run, and `others` are the traces of the second user and those after.
    """

    identity: str
    phy: Phy
    every: int
    scheme: Scheme | None
    rtt: float
    needs_es_n0: bool
    sources: str
    sharing: Sharing | None = None
    others: tuple[Recipe, ...] = ()

    @property
    def traces(self) -> tuple[Recipe, ...]:
        """The traces of all users."""
        return (self, *self.others)

    @property
    def models(self) -> tuple[Channel | Scheme | Sharing, ...]:
        """The channel, the sharing and the scheme that make the trace, if any."""
        found = self.phy.channel, self.phy.sharing, self.scheme
        return tuple(model for model in found if model is not None)

    @property
    def models_of_runs(self) -> tuple[Channel | Scheme | Sharing, ...]:
        """Models that decide the runs: those of the trace, and the sharing of all users in one run."""
        return self.models if self.sharing is None else (*self.models, self.sharing)

    @property
    def trace_parameters(self) -> dict[str, object]:
        """The parameters that distinguish the trace from others, as in a row of results."""
        phy = self.phy
        parameters: dict[str, object] = {"every": self.every}
        if phy.channel is not None:
            parameters |= _by_names(phy.channel.describe())
        if phy.adaptation is not None:
            own = in_nanoseconds(phy.adaptation, but="")
            tables = {key: read_table(own[key]) for key in ("modes", "report_cqi") if own[key] is not None}
            parameters |= own | _by_names({key: one.identity["table"] for key, one in tables.items()})
        sharing = self.sharing or phy.sharing
        if sharing is not None:
            parameters |= sharing.describe() | {"scheduler": sharing.scheduler.label}
        if phy.line is not None:
            parameters["slot_interval_ns"] = float(phy.line.interval_ns)
        if phy.file is not None:
            parameters["file"] = phy.file.name
            if phy.channel is None:
                parameters["sha256"] = phy.identity
        return parameters


def _by_names(parameters: Mapping[str, Any]) -> dict[str, object]:
    """Return parameters, with the name and the hash of each file combined."""
    found: dict[str, object] = {}
    for key, value in parameters.items():
        is_file = isinstance(value, dict)
        found |= {key: value["name"], f"{key}_sha256": value["sha256"]} if is_file else {key: value}
    return found


def recipes_of(
    source: Source, back: Source, scheme: Scheme, path: LinkPath, seed: int
) -> tuple[Recipe, Recipe | None]:
    """Return the recipes of a path's forward and return link trace for a seed; None for a plain return link.

    `back` is the return link's own trace, or the forward link's, whose channel then has another realisation.
    """
    forward = _forward(source, scheme, path.rtt, realisation(source, seed))
    if path.return_link == "plain":
        return forward, None
    number = realisation(back, seed) + MAX_SEED if back.trace.is_random else 0
    protection = scheme if path.return_link == "protected" else NoScheme()
    return forward, _recipe(back, protection, path.rtt, number)


def realisation(source: Source, seed: int) -> int:
    """Return the number of the channel's realisation for a seed; 0 for a file, which has only one."""
    if not source.trace.is_random:
        return 0
    count = source.trace.realisations
    return seed if count is None else (seed - 1) % count + 1


def trace_sources(*models: object) -> str:
    """Return the hash of the sources that decide a link trace made by a channel and a scheme, if any."""
    return source_hash(*core_places(), *model_places(*models))


def _forward(source: Source, scheme: Scheme, rtt: float, number: int) -> Recipe:
    """Return the recipe of a forward link; of users in one run each has the trace of one who is alone."""
    sharing = source.trace.sharing
    if sharing is None or not sharing.is_one_run:
        return _recipe(source, scheme, rtt, number)
    alone = replace(source, trace=replace(source.trace, sharing=None))
    users = range(1, sharing.users + 1)
    first, *others = (_recipe(alone, scheme, rtt, sharing.seed_of(user, number)) for user in users)
    return replace(first, sharing=sharing, others=tuple(others))


@lru_cache(maxsize=1024)
def _recipe(source: Source, scheme: Scheme, rtt: float, number: int) -> Recipe:
    phy, every = _phy(source, number), source.trace.kept
    needs_es_n0 = scheme.needs_es_n0
    if scheme.online:
        sources = trace_sources(phy.channel, phy.sharing)
        identity = digest(phy.identity, every, needs_es_n0, sources)
        return Recipe(identity, phy, every, None, rtt, needs_es_n0, sources)
    sources = trace_sources(phy.channel, phy.sharing, scheme)
    identity = digest(phy.identity, every, scheme.describe(rtt), sources)
    return Recipe(identity, phy, every, scheme, rtt, needs_es_n0, sources)


def _phy(source: Source, number: int) -> Phy:
    trace = source.trace
    if trace.channel is None:
        return Phy(source.sha256, source.file, source.sha256)
    line = trace.line
    length_ns = 0 if trace.length is None else ns(trace.length)
    on: list[object] = [source.sha256]
    if line is not None:
        on = [str(line.interval_ns), line.decode_time_ns, length_ns]
    on += [one.describe() for one in (trace.adaptation, trace.sharing) if one is not None]
    identity = digest(trace.channel.describe(), number, on)
    how = trace.channel, trace.adaptation, number, line, length_ns, trace.sharing
    return Phy(identity, source.file, source.sha256, *how)
