"""Parts that a scenario's runs of all seeds share: a path, and an experiment over it without its traces."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tmt.campaign.conversions import check_es_n0, conversion_of, realisation, return_conversion_of
from tmt.campaign.domain_objects import scheme_of, settings_of
from tmt.core.errors import InputError, UsageError
from tmt.core.provenance import digest
from tmt.core.units import seconds_to_ns
from tmt.run.experiment import Experiment
from tmt.run.fingerprint import fingerprint
from tmt.spec.coding import CODING_NAMES
from tmt.spec.links import PlainLink, TraceLink
from tmt.spec.tcp import FECTCP, STACKS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from tmt.campaign.conversions import Source
    from tmt.campaign.planned_conversions import PlannedConversion
    from tmt.campaign.run import Programs
    from tmt.campaign.sections import Grid, Link, ProxySection, Scenario, Tcp, Traffic, Wired
    from tmt.core.schemes.parameters import OnlineScheme
    from tmt.spec.settings import Value


@dataclass(frozen=True, slots=True)
class GridPath:
    """A trace under a scheme, with the link, the wired hop and the proxy.

    `own_return_source` is None where the return link has no trace of its own.
    """

    source: Source
    own_return_source: Source | None
    section: Any
    scheme_label: str
    link: Link
    wired: Wired | None
    proxy: ProxySection | None
    _made: dict[tuple[int, int], tuple[PlannedConversion, PlannedConversion | None]] = field(
        default_factory=dict
    )

    @property
    def return_source(self) -> Source:
        """The trace of the return link, if it is not plain."""
        return self.own_return_source or self.source

    def conversions(self, seed: int) -> tuple[PlannedConversion, PlannedConversion | None]:
        """Return the link traces of both directions for a seed."""
        realisations = realisation(self.source, seed), realisation(self.return_source, seed)
        if realisations not in self._made:
            self._made[realisations] = (
                conversion_of(self.source, self.section, self.link, seed),
                return_conversion_of(self.return_source, self.section, self.link, seed),
            )
        return self._made[realisations]

    def starts(self, drawn: float, return_drawn: float = 0) -> tuple[int | float, int | float]:
        """Return the starts of a run in the forward and the return trace.

        Without a trace of its own for the return link, the seed draws the start there. Two measured traces
        belong together and start at the same part of their lengths.
        """
        if not self.link.loop:
            drawn = return_drawn = 0
        offset, own = self.source.section.offset, self.own_return_source
        if isinstance(offset, float):
            start_ns = seconds_to_ns(offset)
            return start_ns, return_drawn if own is None else start_ns
        if self.source.is_measured and offset is None:
            drawn = 0
        if own is not None and own.is_measured:
            return_drawn = drawn if self.source.is_measured else 0
        return drawn, return_drawn


class SeedlessRun(NamedTuple):
    """Runs of one path, kind of traffic and variant, but for their seed and their start in the traces."""

    seeds: Collection[int]
    experiment: str
    template: Experiment
    coordinates: dict[str, Value]
    programs: Programs


def seedless_runs(
    scenario: Scenario,
    path: GridPath,
    seeds_of: Mapping[Traffic, Collection[int]],
    programs_of: Callable[..., Programs],
) -> list[SeedlessRun]:
    """Return the runs of a path; InputError where its parts do not go together."""
    check_es_n0(scenario, path.source, path.section)
    if path.link.return_link == "protected":
        check_es_n0(scenario, path.return_source, path.section)
    found = []
    for traffic, seeds in seeds_of.items():
        for tcp in _variants(scenario.grid, traffic):
            try:
                template, coordinates = _template(path, traffic, tcp)
            except UsageError as error:
                raise InputError(scenario.path, str(error)) from error
            conversions = filter(None, path.conversions(next(iter(seeds))))
            models = [model for conversion in conversions for model in conversion.models]
            programs = programs_of(str(coordinates["backend"]), *models)
            experiment = _fingerprint(path, template, coordinates, programs)
            found.append(SeedlessRun(seeds, experiment, template, coordinates, programs))
    return found


def _variants(grid: Grid, traffic: Traffic) -> list[Tcp]:
    """Return the variants of the grid that the traffic's stack has."""
    return [tcp for tcp in grid.tcp if tcp in STACKS[traffic.stack]]


def _template(path: GridPath, traffic: Traffic, tcp: str) -> tuple[Experiment, dict[str, Value]]:
    """Return an experiment without its seed, its traces and its start in them; and its coordinates."""
    link, section, source = path.link, path.section, path.source
    settings = settings_of(link, traffic, path.wired, path.proxy)
    listed = {name: getattr(traffic, name) for name in CODING_NAMES}
    if tcp != FECTCP:
        settings["coding"] = None
    online = scheme_of(section, settings["rtt_ns"]) if section.online else None
    forward = TraceLink("", source.lldu_bytes, scheme=online, packing=source.packing)
    back = _return_link(path, online)
    template = Experiment(
        **settings, tcp=tcp, forward_link=forward, return_link=back, backend=traffic.backend
    )
    coordinates = template.columns() | listed
    coordinates |= {
        "trace": source.label,
        "scheme": path.scheme_label,
        "return_link": _return_name(link),
        "return_rate_bps": link.return_rate,
        "forward_lldu_bytes": source.lldu_bytes,
        "forward_packing": source.packing,
    }
    return template, coordinates


def _return_name(link: Link) -> str:
    """Return the kind of the return link, and the file of its own trace."""
    return ", ".join(filter(None, (link.return_link, link.return_trace and Path(link.return_trace).name)))


def _return_link(path: GridPath, online: OnlineScheme | None) -> TraceLink | PlainLink | None:
    """Return the return link, a trace without its file; `online` is the forward link's scheme."""
    section, source = path.link, path.return_source
    if section.return_link == "plain":
        return None if section.return_rate is None else PlainLink(section.return_rate)
    scheme = online if section.return_link == "protected" else None
    return TraceLink("", source.lldu_bytes, scheme=scheme, packing=source.packing)


def _fingerprint(
    path: GridPath, template: Experiment, coordinates: dict[str, Value], programs: Programs
) -> str:
    """Return a hash of everything that decides a run except its seed, without names of files and labels."""
    slots = [
        [source.sha256, source.lldu_bytes, source.packing, source.section.model_dump(exclude=_NAMES)]
        for source in (path.source, path.return_source)
    ]
    settings = fingerprint(template, *programs)
    # If codes vary, TCP's runs stand beside FECTCP's.
    listed = [coordinates[name] for name in CODING_NAMES]
    return digest(slots, path.section.model_dump(), settings, listed, path.link.return_link)


_NAMES = {"file", "over", "label"}
"""Keys of a trace that name things."""
