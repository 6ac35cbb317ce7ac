"""From a scenario to its runs: every combination once, each with a key that says everything that matters."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.campaign.conversions import conversion_of, digest, return_conversion_of, source_of
from tmt.campaign.sections import ProxySection, scheme_of
from tmt.campaign.tasks import run_sources
from tmt.errors import InputError
from tmt.settings.tcp import STACKS
from tmt.units import seconds_to_ns

if TYPE_CHECKING:
    from tmt.campaign.conversions import Conversion, Source
    from tmt.campaign.scenario import Scenario
    from tmt.campaign.sections import Grid, Link, Tcp, Traffic, Wired


class Run(NamedTuple):
    """One simulation of the grid, before anything is known of its link traces but how to make them.

    `start` says where in the forward trace it starts, in nanoseconds, or as a part of the trace's length when
    it is a float: the seed draws it, so that runs of one seed see the same channel whatever their TCP and
    scheme. `return_conversion` is None, and `return_start` means nothing, where the return link is plain.
    `online` is the scheme that works in the simulator, if one does; `wired` and `proxy` are None where there
    is no such thing.

    `key` is a hash of everything that decides the outcome, `experiment` of the same without the seed.
    `sources` and `simulator` are hashes of the programs.
    """

    key: str
    experiment: str
    tcp: str
    seed: int
    trace: str
    scheme: str
    conversion: Conversion
    return_conversion: Conversion | None
    lldu_bytes: int
    start: int | float
    return_start: int | float
    link: Link
    traffic: Traffic
    timeout_s: float
    keep_records: bool
    sources: str
    simulator: str
    online: Any = None
    wired: Wired | None = None
    proxy: ProxySection | None = None

    @property
    def conversions(self) -> tuple[Conversion, ...]:
        """The link traces that the run needs."""
        back = self.return_conversion
        return (self.conversion,) if back is None else (self.conversion, back)

    @property
    def link_scheme(self) -> Any:
        """The scheme of the forward link, wherever it works."""
        return self.conversion.scheme if self.online is None else self.online


def expand(scenario: Scenario, simulator_stamp: str) -> list[Run]:
    """Return the runs of a scenario, seed after seed, each key once.

    Raises
    ------
    InputError
        When a trace that the scenario names cannot be used, or is another one by another name.
    """
    sources = [source_of(scenario, section) for section in scenario.traces]
    grid = scenario.grid
    labels = _scheme_labels(scenario)
    seeds_of = {traffic: dict.fromkeys(_seeds(grid, traffic)) for traffic in scenario.traffics}
    every_seed = dict.fromkeys(seed for chosen in seeds_of.values() for seed in chosen)
    paths = _paths(scenario)
    directions = (FORWARD, RETURN) if any(link.return_link != "plain" for link, *_ in paths) else (FORWARD,)
    drawn = {seed: [_drawn_start(seed, direction) for direction in directions] for seed in every_seed}
    runs: dict[str, Run] = {}
    for seed, source, section, (link, wired, proxy) in product(every_seed, sources, scenario.schemes, paths):
        conversion = conversion_of(source, section, link, seed)
        back = return_conversion_of(source, section, link, seed)
        start, return_start = _starts(source, link, *drawn[seed])
        traces = f"{conversion.identity} {start!r}" + (f" {back.identity} {return_start!r}" if back else "")
        online = scheme_of(section, seconds_to_ns(link.rtt)) if section.online else None
        if online is not None:
            traces += f" {digest(online.name, asdict(online))}"
        for traffic in scenario.traffics:
            if seed not in seeds_of[traffic]:
                continue
            path = _path_digest(link, wired, proxy, traffic, source.lldu_bytes, simulator_stamp)
            for tcp in _variants(grid, traffic):
                experiment = _experiment(source, section, path, tcp)
                key = digest(experiment, traces, seed)
                if key in runs and runs[key].trace != source.label:
                    same = f"{source.label!r} has the same slots as {runs[key].trace!r}"
                    raise InputError(scenario.path, f"key trace: {same}; allowed: each trace once")
                runs[key] = Run(
                    key,
                    experiment,
                    tcp,
                    seed,
                    source.label,
                    labels[section],
                    conversion,
                    back,
                    source.lldu_bytes,
                    start,
                    return_start,
                    link,
                    traffic,
                    grid.timeout,
                    seed in grid.records,
                    run_sources(),
                    simulator_stamp,
                    online,
                    wired,
                    proxy,
                )
    return list(runs.values())


def _paths(scenario: Scenario) -> list[tuple[Link, Wired | None, ProxySection | None]]:
    """Return every path: a link, what stands before it, and what splits the connections there."""
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


def _scheme_labels(scenario: Scenario) -> dict[Any, str]:
    """Return what schemes are called: the papers' notation, and what differs where that is the same."""
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


@lru_cache
def _path_digest(
    link: Link,
    wired: Wired | None,
    proxy: ProxySection | None,
    traffic: Traffic,
    lldu_bytes: int,
    simulator_stamp: str,
) -> str:
    """Return a hash of what decides a run besides its traces, its TCP and its seed."""
    sections = [None if section is None else section.model_dump() for section in (link, wired, proxy)]
    # The number of seeds of a kind of traffic decides which runs there are, and none of their outcomes.
    own = traffic.model_dump(exclude={"seeds"})
    return digest(sections, own, lldu_bytes, simulator_stamp, run_sources())


@lru_cache
def _experiment(source: Source, scheme_section: Any, path: str, tcp: str) -> str:
    """Return a hash of what decides a run besides its seed; names of files and labels are not in it."""
    slots = [source.sha256, source.section.model_dump(exclude={"file", "over", "label"})]
    return digest(slots, scheme_section.model_dump(), path, tcp)


FORWARD, RETURN = 0, 1
"""Directions, as numbers of the random streams from which a seed draws where in the traces a run starts."""


def _drawn_start(seed: int, direction: int) -> float:
    return float(np.random.default_rng([seed, direction]).random())


def _starts(
    source: Source, link: Link, drawn: float, return_drawn: float = 0
) -> tuple[int | float, int | float]:
    """Return where a run starts in the forward and the return trace."""
    if not link.loop:
        drawn = return_drawn = 0
    fixed = source.section.offset
    return drawn if fixed is None else seconds_to_ns(fixed), return_drawn


def simulation_s(runs: list[Run]) -> float:
    """Return how many simulated seconds the runs last at most."""
    return float(sum(run.traffic.duration for run in runs))
