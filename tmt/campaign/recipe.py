"""Link traces that runs share, before they are made: slots, and the scheme that converts them.

Nothing is converted here. Equal recipes have equal identities, under any name of a file, so that each link
trace is made once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tmt.campaign.link_traces import trace_sources
from tmt.core.declaration import ns
from tmt.core.provenance import digest
from tmt.core.schemes.none import NoScheme
from tmt.spec.traffic import MAX_SEED

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.source import Source
    from tmt.core.channels.base import Channel
    from tmt.core.generate import Line
    from tmt.core.schemes.scheme import Scheme
    from tmt.spec import path as spec_path


@dataclass(frozen=True, slots=True)
class Phy:
    """A PHY trace: a file as it is (`channel` None), or a channel's realisation on a line or over a file.

    `identity` is the same exactly for the same slots; `file_slots` is the hash of the file's slots, empty
    without a file.
    """

    identity: str
    file: Path | None
    file_slots: str = ""
    channel: Channel | None = None
    seed: int = 0
    line: Line | None = None
    length_ns: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a trace that runs share: a scheme over every `every`-th slot of a PHY trace.

    Without a scheme it is those slots themselves, on which a scheme works in the simulator. The scheme
    that converts the slots or works on them may need their Es/N0. `rtt` is the link's, in seconds.
    `sources` is the hash of the sources that make it.
    """

    identity: str
    phy: Phy
    every: int
    scheme: Scheme | None
    rtt: float
    needs_es_n0: bool
    sources: str

    @property
    def models(self) -> tuple[Channel | Scheme, ...]:
        """The channel and the scheme that make the trace, as far as there are any."""
        return tuple(model for model in (self.phy.channel, self.scheme) if model is not None)

    @property
    def trace_parameters(self) -> dict[str, Any]:
        """The parameters that tell the trace from others, as a row of results holds them."""
        phy = self.phy
        parameters: dict[str, Any] = {"every": self.every}
        if phy.channel is not None:
            parameters |= phy.channel.describe()
        if phy.line is not None:
            parameters["slot_interval_ns"] = float(phy.line.interval_ns)
        if phy.file is not None:
            parameters["file"] = phy.file.name
            if phy.channel is None:
                parameters["sha256"] = phy.identity
        return parameters


def recipes_of(
    source: Source, back: Source, scheme: Scheme, path: spec_path.Path, seed: int
) -> tuple[Recipe, Recipe | None]:
    """Return the recipes of a path's forward and return link trace for a seed; None for a plain return link.

    `back` is the return link's own trace, or else the forward link's: a channel has a realisation of its own
    there.
    """
    forward = _recipe(source, scheme, path.rtt, realisation(source, seed))
    if path.return_link == "plain":
        return forward, None
    number = realisation(back, seed) + MAX_SEED if back.trace.is_random else 0
    protection = scheme if path.return_link == "protected" else NoScheme()
    return forward, _recipe(back, protection, path.rtt, number)


def realisation(source: Source, seed: int) -> int:
    """Return the number of the channel's realisation that a seed sees; 0 for a file, which has only one."""
    if not source.trace.is_random:
        return 0
    count = source.trace.realisations
    return seed if count is None else (seed - 1) % count + 1


@lru_cache(maxsize=1024)
def _recipe(source: Source, scheme: Scheme, rtt: float, number: int) -> Recipe:
    phy, every = _phy(source, number), source.trace.kept
    needs_es_n0 = scheme.needs_es_n0
    if scheme.online:
        sources = trace_sources(phy.channel)
        identity = digest(phy.identity, every, needs_es_n0, sources)
        return Recipe(identity, phy, every, None, rtt, needs_es_n0, sources)
    sources = trace_sources(phy.channel, scheme)
    identity = digest(phy.identity, every, scheme.describe(rtt), sources)
    return Recipe(identity, phy, every, scheme, rtt, needs_es_n0, sources)


def _phy(source: Source, number: int) -> Phy:
    trace = source.trace
    if trace.channel is None:
        return Phy(source.sha256, source.file, source.sha256)
    line = trace.line
    length_ns = 0 if trace.length is None else ns(trace.length)
    on = [source.sha256] if line is None else [str(line.interval_ns), line.decode_time_ns, length_ns]
    identity = digest(trace.channel.describe(), number, on)
    return Phy(identity, source.file, source.sha256, trace.channel, number, line, length_ns)
