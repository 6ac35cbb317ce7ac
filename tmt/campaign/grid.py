"""From a scenario to its runs: every combination once, each with a key that says everything that matters."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.campaign.conversions import (
    check_es_n0,
    conversion_of,
    return_conversion_of,
    return_source_of,
    source_of,
)
from tmt.campaign.replay_run import ReplayRun, programs_of
from tmt.campaign.sections import ProxySection, scheme_of, settings_of
from tmt.errors import InputError, UsageError
from tmt.experiment.experiment import Experiment
from tmt.experiment.fingerprint import fingerprint
from tmt.provenance import digest
from tmt.settings.links import PlainLink, TraceLink
from tmt.settings.tcp import FECTCP, STACKS
from tmt.units import seconds_to_ns

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.campaign.conversions import Source
    from tmt.campaign.run import Programs
    from tmt.campaign.scenario import Scenario
    from tmt.campaign.sections import Grid, Link, Tcp, Traffic, Wired
    from tmt.settings.settings import Value


def expand(scenario: Scenario, programs_of: Callable[[str], Programs] = programs_of) -> list[ReplayRun]:
    """Return the runs of a scenario, seed after seed, each key once.

    `programs_of` gives the hashes of a backend's program and of the sources that decide its runs.

    Raises
    ------
    InputError
        When a trace that the scenario names cannot be used, or is another one by another name.
    """
    sources = [source_of(scenario, section) for section in scenario.traces]
    grid = scenario.grid
    labels = scheme_labels(scenario)
    seeds_of = {traffic: dict.fromkeys(_seeds(grid, traffic)) for traffic in scenario.traffics}
    every_seed = dict.fromkeys(seed for chosen in seeds_of.values() for seed in chosen)
    paths = _paths(scenario)
    directions = (FORWARD, RETURN) if any(link.return_link != "plain" for link, *_ in paths) else (FORWARD,)
    drawn = {seed: [drawn_start(seed, direction) for direction in directions] for seed in every_seed}
    return_sources = {link: return_source_of(scenario, link) for link in scenario.links}
    known = cache(programs_of)
    runs: dict[str, ReplayRun] = {}
    for seed, source, section, (link, wired, proxy) in product(every_seed, sources, scenario.schemes, paths):
        return_source = return_sources[link] or source
        check_es_n0(scenario, source, section)
        if link.return_link == "protected":
            check_es_n0(scenario, return_source, section)
        conversion = conversion_of(source, section, link, seed)
        back = return_conversion_of(return_source, section, link, seed)
        start, return_start = _starts(source, return_sources[link], link, *drawn[seed])
        traces = f"{conversion.identity} {start!r}" + (f" {back.identity} {return_start!r}" if back else "")
        for traffic in scenario.traffics:
            if seed not in seeds_of[traffic]:
                continue
            for tcp in _variants(grid, traffic):
                path = _Path(link, wired, proxy, traffic, tcp, source, return_source, section)
                try:
                    template, coordinates = _template(path)
                except UsageError as error:
                    raise InputError(scenario.path, str(error)) from error
                programs = known(str(coordinates["backend"]))
                experiment = _fingerprint(path, programs)
                key = digest(experiment, traces, seed)
                if key in runs and runs[key].trace != source.label:
                    same = f"{source.label!r} has the same slots as {runs[key].trace!r}"
                    raise InputError(scenario.path, f"key trace: {same}; allowed: each trace once")
                runs[key] = ReplayRun(
                    key,
                    experiment,
                    template,
                    coordinates,
                    tcp,
                    seed,
                    source.label,
                    labels[section],
                    conversion,
                    back,
                    None if back is None else _return_link(path),
                    start,
                    return_start,
                    grid.timeout,
                    seed in grid.records,
                    programs,
                )
    return list(runs.values())


def _paths(scenario: Scenario) -> list[tuple[Link, Wired | None, ProxySection | None]]:
    """Return every path: a link, the wired hop before it, and the proxy between them."""
    paths: list[tuple[Link, Wired | None, ProxySection | None]] = []
    for link, wired in product(scenario.links, scenario.wireds or (None,)):
        proxies = (scenario.proxies or (ProxySection(),)) if link.proxy else (None,)
        paths += [(link, wired, proxy) for proxy in proxies]
    return paths


def _seeds(grid: Grid, traffic: Traffic) -> range | tuple[int, ...]:
    """Return the seeds with which a kind of traffic runs: its own number of them, or the grid's."""
    return grid.seeds if traffic.seeds is None else range(1, traffic.seeds + 1)


def _variants(grid: Grid, traffic: Traffic) -> list[Tcp]:
    """Return the variants of the grid that the traffic's stack has."""
    return [tcp for tcp in grid.tcp if tcp in STACKS[traffic.stack]]


def scheme_labels(scenario: Scenario) -> dict[Any, str]:
    """Return the schemes' labels: the papers' notation, with the differing keys where it is the same."""
    labels: dict[str, list[Any]] = {}
    for section in scenario.schemes:
        labels.setdefault(scheme_of(section, 0).label, []).append(section)
    found: dict[Any, str] = {}
    for label, sections in labels.items():
        tables = [section.model_dump() for section in sections]
        differing = [key for key in tables[0] if len({table[key] for table in tables}) > 1]
        for section, table in zip(sections, tables, strict=True):
            found[section] = " ".join([label, *(f"{key}={table[key]}" for key in differing)])
    return found


class _Path(NamedTuple):
    """What decides a run besides its slots and its seed."""

    link: Link
    wired: Wired | None
    proxy: ProxySection | None
    traffic: Traffic
    tcp: str
    source: Source
    return_source: Source
    scheme_section: Any


@lru_cache
def _template(path: _Path) -> tuple[Experiment, dict[str, Value]]:
    """Return an experiment without its seed, its traces and its start in them; and its coordinates."""
    link, section, source = path.link, path.scheme_section, path.source
    settings = settings_of(link, path.traffic, path.wired, path.proxy)
    listed = {name: getattr(path.traffic, name) for name in ("code", "block_segments")}
    if path.tcp != FECTCP:
        settings["coding"] = None
    online = scheme_of(section, settings["rtt_ns"]) if section.online else None
    back: PlainLink | None = None if link.return_rate is None else PlainLink(link.return_rate)
    forward = TraceLink("", source.lldu_bytes, scheme=online, packing=source.packing)
    template = Experiment(
        **settings, tcp=path.tcp, forward_link=forward, return_link=back, backend=path.traffic.backend
    )
    coordinates = template.columns() | listed
    coordinates |= {
        "return_link": _return_name(link),
        "return_rate_bps": link.return_rate,
        "forward_lldu_bytes": source.lldu_bytes,
        "forward_packing": source.packing,
    }
    return template, coordinates


def _return_name(link: Link) -> str:
    """Return the kind of the return link, and the file of its own trace."""
    return ", ".join(filter(None, (link.return_link, link.return_trace and Path(link.return_trace).name)))


@lru_cache
def _return_link(path: _Path) -> TraceLink:
    """Return the return link without its file."""
    is_online = path.link.return_link == "protected" and path.scheme_section.online
    source, rtt_ns = path.return_source, seconds_to_ns(path.link.rtt)
    scheme = scheme_of(path.scheme_section, rtt_ns) if is_online else None
    return TraceLink("", source.lldu_bytes, scheme=scheme, packing=source.packing)


@lru_cache
def _fingerprint(path: _Path, programs: Programs) -> str:
    """Return a hash of everything that decides a run except its seed, without names of files and labels."""
    slots = [
        [source.sha256, source.lldu_bytes, source.packing, source.section.model_dump(exclude=_NAMES)]
        for source in (path.source, path.return_source)
    ]
    template, coordinates = _template(path)
    settings = fingerprint(template, *programs)
    # Where codes vary, TCP's runs stand beside FECTCP's.
    listed = [coordinates[name] for name in ("code", "block_segments")]
    return digest(slots, path.scheme_section.model_dump(), settings, listed, path.link.return_link)


_NAMES = {"file", "over", "label"}
"""Keys of a trace that name things."""


FORWARD, RETURN = 0, 1
"""Directions, as numbers of the random streams from which a seed draws where in the traces a run starts."""


def drawn_start(seed: int, direction: int) -> float:
    """Return the part of a trace's length at which runs of a seed start."""
    return float(np.random.default_rng([seed, direction]).random())


def _starts(
    source: Source, return_source: Source | None, link: Link, drawn: float, return_drawn: float = 0
) -> tuple[int | float, int | float]:
    """Return where a run starts in the forward and the return trace.

    `return_source` is None where the return link has no trace of its own: then the seed draws its start. Two
    measured traces belong together and start at the same part of their lengths.
    """
    if not link.loop:
        drawn = return_drawn = 0
    offset = source.section.offset
    if isinstance(offset, float):
        start_ns = seconds_to_ns(offset)
        return start_ns, return_drawn if return_source is None else start_ns
    if source.is_measured and offset is None:
        drawn = 0
    if return_source is not None and return_source.is_measured:
        return_drawn = drawn if source.is_measured else 0
    return drawn, return_drawn
