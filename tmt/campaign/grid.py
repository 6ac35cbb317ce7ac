"""From a scenario to its runs: every combination once, each with a key that says everything that matters."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt.campaign.conversions import return_source_of, source_of
from tmt.campaign.domain_objects import scheme_of
from tmt.campaign.replay_run import ReplayRun
from tmt.campaign.sections import ProxySection
from tmt.campaign.seedless_runs import GridPath, seedless_runs
from tmt.core.errors import InputError
from tmt.core.provenance import digest
from tmt.run.fingerprint import programs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tmt.campaign.run import Programs
    from tmt.campaign.sections import Grid, Link, Scenario, Traffic, Wired
    from tmt.campaign.seedless_runs import SeedlessRun


def expand(scenario: Scenario, programs_of: Callable[..., Programs] = programs_of) -> list[ReplayRun]:
    """Return the runs of a scenario, seed after seed, each key once.

    `programs_of` gives the hashes of programs and sources, as `tmt.run.fingerprint.programs_of` does.

    Raises
    ------
    InputError
        When a trace that the scenario names cannot be used, or is another one by another name.
    """
    sources = [source_of(scenario, section) for section in scenario.traces]
    grid = scenario.grid
    seeds_of = {traffic: dict.fromkeys(_seeds(grid, traffic)) for traffic in scenario.traffics}
    every_seed = dict.fromkeys(seed for chosen in seeds_of.values() for seed in chosen)
    hops = _hops(scenario)
    directions = (FORWARD, RETURN) if any(link.return_link != "plain" for link, *_ in hops) else (FORWARD,)
    return_sources = {link: return_source_of(scenario, link) for link in scenario.links}
    labels, known = scheme_labels(scenario), cache(programs_of)
    # A run's settings do not depend on its seed: each path is completed once.
    paths = [
        GridPath(source, return_sources[link], section, labels[section], link, wired, proxy)
        for source, section, (link, wired, proxy) in product(sources, scenario.schemes, hops)
    ]
    seedless = [seedless_runs(scenario, path, seeds_of, known) for path in paths]
    runs: dict[str, ReplayRun] = {}
    for seed in every_seed:
        drawn = [drawn_start(seed, direction) for direction in directions]
        for path, cases in zip(paths, seedless, strict=True):
            for run in _runs_of(path, cases, grid, seed, drawn):
                other, label = runs.get(run.key, run).coordinates["trace"], path.source.label
                if other != label:
                    same = f"{label!r} has the same slots as {other!r}"
                    raise InputError(scenario.path, f"key trace: {same}; allowed: each trace once")
                runs[run.key] = run
    return list(runs.values())


def _runs_of(
    path: GridPath, cases: Iterable[SeedlessRun], grid: Grid, seed: int, drawn: Sequence[float]
) -> Iterator[ReplayRun]:
    """Return the runs of a path with a seed, which has drawn a start in each direction's trace."""
    conversion, back = path.conversions(seed)
    start, return_start = path.starts(*drawn)
    traces = f"{conversion.identity} {start!r}"
    if back is not None:
        traces += f" {back.identity} {return_start!r}"
    for case in cases:
        if seed in case.seeds:
            yield ReplayRun(
                key=digest(case.experiment, traces, seed),
                experiment=case.experiment,
                template=case.template,
                coordinates=case.coordinates,
                seed=seed,
                conversion=conversion,
                return_conversion=back,
                start=start,
                return_start=return_start,
                timeout_s=grid.timeout,
                keep_records=seed in grid.records,
                programs=case.programs,
            )


def _hops(scenario: Scenario) -> list[tuple[Link, Wired | None, ProxySection | None]]:
    """Return every link with the wired hop before it and the proxy between them."""
    hops: list[tuple[Link, Wired | None, ProxySection | None]] = []
    for link, wired in product(scenario.links, scenario.wireds or (None,)):
        proxies = (scenario.proxies or (ProxySection(),)) if link.proxy else (None,)
        hops += [(link, wired, proxy) for proxy in proxies]
    return hops


def _seeds(grid: Grid, traffic: Traffic) -> range | tuple[int, ...]:
    """Return the seeds with which a kind of traffic runs: its own number of them, or the grid's."""
    return grid.seeds if traffic.seeds is None else range(1, traffic.seeds + 1)


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


FORWARD, RETURN = 0, 1
"""Directions, as numbers of the random streams from which a seed draws where in the traces a run starts."""


def drawn_start(seed: int, direction: int) -> float:
    """Return the part of a trace's length at which runs of a seed start."""
    return float(np.random.default_rng([seed, direction]).random())
