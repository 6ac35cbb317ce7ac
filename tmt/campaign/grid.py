"""From a scenario to its runs: every combination once, each with a key that says everything that matters."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt import __version__
from tmt.campaign.conversions import conversion_of, digest, return_conversion_of, source_of
from tmt.campaign.sections import ProxySection, coding_of, scheme_of
from tmt.errors import InputError
from tmt.schema import FORMAT_VERSION
from tmt.settings.tcp import FECTCP, STACKS
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
    """

    key: str
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
                text = f"{traces} {path} {tcp} {seed}" + _overhead(tcp, traffic)
                key = hashlib.sha256(text.encode()).hexdigest()[:32]
                if key in runs and runs[key].trace != source.label:
                    same = f"{source.label!r} has the same slots as {runs[key].trace!r}"
                    raise InputError(scenario.path, f"key trace: {same}; allowed: each trace once")
                runs[key] = Run(
                    key,
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
    """Hash what decides a run besides its traces; what it does not have is not in it."""
    path: list[Any] = [
        link.model_dump(mode="json", exclude={"proxy"}),
        traffic.model_dump(mode="json", exclude={"seeds", "delayed_acks", "code", "block_segments"}),
        lldu_bytes,
    ]
    if traffic.delayed_acks:
        path.append("delayed_acks")
    coded = {"code": traffic.code, "block_segments": traffic.block_segments}
    path.extend({name: value} for name, value in coded.items() if value is not None)
    for name, section in (("wired", wired), ("proxy", proxy)):
        if section is not None:
            path.append({name: section.model_dump(mode="json")})
    return digest(*path, simulator_stamp, __version__, FORMAT_VERSION)


def _overhead(tcp: str, traffic: Traffic) -> str:
    """Return what decides how much FECTCP's code costs: another measurement of it gives other runs."""
    if tcp != FECTCP:
        return ""
    coding = coding_of(traffic)
    return " " + coding.overhead(coding.largest_block(traffic.transfer_bytes, traffic.packet_bytes))


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
    return sum(run.traffic.duration for run in runs)


def axes(runs: list[Run]) -> list[str]:
    """Return the result columns that vary besides TCP, scheme and seed."""
    levels: dict[str, set[Any]] = {"trace": {run.trace for run in runs}}
    for section, columns in _COLUMNS.items():
        for key, column in columns.items():
            present = [part for part in (getattr(run, section) for run in runs) if part is not None]
            levels[column] = {getattr(part, key) for part in present}
    return [column for column, values in levels.items() if len(values) > 1]


_COLUMNS = {
    "link": {
        "rtt": "rtt_s",
        "queue_packets": "queue_packets",
        "window_packets": "window_packets",
        "in_order": "in_order",
        "hold": "hold_s",
        "loop": "loop",
        "return_link": "return_link",
        "return_rate": "return_rate_bps",
        "proxy": "proxy",
    },
    "wired": {"rate": "wired_rate_bps", "delay": "wired_delay_s", "loss": "wired_loss"},
    "proxy": {
        "tcp": "proxy_tcp",
        "stack": "proxy_stack",
        "buffer_packets": "proxy_buffer_packets",
        "delay": "proxy_delay_s",
    },
    "traffic": {
        "stack": "stack",
        "duration": "duration_s",
        "flows": "flows",
        "transfer_bytes": "transfer_bytes",
        "packet_bytes": "packet_bytes",
        "start_spread": "start_spread_s",
        "delayed_acks": "delayed_acks",
        "code": "code",
        "block_segments": "block_segments",
    },
}
"""Result column of each key of a scenario."""
