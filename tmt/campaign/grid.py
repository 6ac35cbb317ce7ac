"""From a scenario to its runs: every combination once, each with a key that says everything that matters."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt import __version__
from tmt.campaign.sections import (
    GENERATED_KEYS,
    SCHEME_SECTIONS,
    ProxySection,
    TraceFile,
    channel_of,
    coding_of,
    line_of,
    lldu_bytes_of,
    named,
    scheme_of,
)
from tmt.errors import InputError
from tmt.io import open_trace
from tmt.provenance import file_sha256
from tmt.replay.parameters import FECTCP, MAX_SEED, STACKS
from tmt.schema import FORMAT_VERSION, PHY_TRACE
from tmt.units import seconds_to_ns

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.scenario import Scenario
    from tmt.campaign.sections import Grid, Link, Tcp, Traffic, Wired
    from tmt.generate import Line


@dataclass(frozen=True, slots=True)
class Phy:
    """A PHY trace: a file as it is (`channel` None), or a channel's realisation on a line or over a file.

    `identity` is the same exactly for the same slots.
    """

    identity: str
    file: Path | None
    channel: Any = None
    seed: int = 0
    line: Line | None = None
    length_ns: int = 0


@dataclass(frozen=True, slots=True)
class Conversion:
    """A trace that runs share: what a scheme makes of every `every`-th slot of a PHY trace.

    Without a scheme it is those slots themselves, on which a scheme works in the simulator.
    """

    identity: str
    phy: Phy
    every: int
    scheme: Any


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


@dataclass(frozen=True, slots=True)
class _Source:
    """A trace of the scenario, once its files have been looked at."""

    section: Any
    label: str
    lldu_bytes: int
    sha256: str
    file: Path | None

    @property
    def is_random(self) -> bool:
        """Whether every seed has a trace of its own."""
        return not isinstance(self.section, TraceFile)


def expand(scenario: Scenario, simulator_stamp: str) -> list[Run]:
    """Return the runs of a scenario, seed after seed, each key once.

    Raises
    ------
    InputError
        When a trace that the scenario names cannot be used.
    """
    sources = [_source(scenario, section) for section in scenario.traces]
    grid = scenario.grid
    labels = _scheme_labels(scenario)
    seeds_of = {traffic: dict.fromkeys(seeds(grid, traffic)) for traffic in scenario.traffics}
    every_seed = dict.fromkeys(seed for chosen in seeds_of.values() for seed in chosen)
    drawn = {seed: (_drawn_start(seed, FORWARD), _drawn_start(seed, RETURN)) for seed in every_seed}
    runs: dict[str, Run] = {}
    paths = _paths(scenario)
    for seed, source, section, (link, wired, proxy) in product(every_seed, sources, scenario.schemes, paths):
        conversion = _conversion(source, section, link, _realisation(source, seed))
        back = _return_conversion(source, section, link, seed)
        start, return_start = _starts(source, link, *drawn[seed])
        traces = f"{conversion.identity} {start!r}" + (f" {back.identity} {return_start!r}" if back else "")
        online = scheme_of(section, seconds_to_ns(link.rtt)) if section.online else None
        if online is not None:
            traces += f" {digest(online.name, parameters(online))}"
        for traffic in scenario.traffics:
            if seed not in seeds_of[traffic]:
                continue
            path = _path_digest(link, wired, proxy, traffic, source.lldu_bytes, simulator_stamp)
            for tcp in variants(grid, traffic):
                text = f"{traces} {path} {tcp} {seed}" + _overhead(tcp, traffic)
                key = hashlib.sha256(text.encode()).hexdigest()[:32]
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


def seeds(grid: Grid, traffic: Traffic) -> range | tuple[int, ...]:
    """Return the seeds with which a kind of traffic runs: its own number of them, or the grid's."""
    return grid.seeds if traffic.seeds is None else range(1, traffic.seeds + 1)


def variants(grid: Grid, traffic: Traffic) -> list[Tcp]:
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


def digest(*parts: Any) -> str:
    """Return a hash of values that JSON knows."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def parameters(scheme: Any) -> dict[str, Any]:
    """Return the parameters of a scheme or a channel by name."""
    return asdict(scheme)


def _source(scenario: Scenario, section: Any) -> _Source:
    name = section.file if isinstance(section, TraceFile) else section.over
    file = None if name is None else scenario.resolve(name)
    lldu_bytes, sha256 = section.lldu_bytes, ""
    if file is None:
        lldu_bytes = lldu_bytes_of(section)
    else:
        found, sha256 = _look_at(file)
        lldu_bytes = lldu_bytes or found
        if lldu_bytes is None:
            raise InputError(
                scenario.path, f"key trace: {name} does not say its lldu_bytes; add lldu_bytes to the table"
            )
    return _Source(section, named(section) or _label(section, file), lldu_bytes, sha256, file)


@lru_cache
def _look_at(file: Path) -> tuple[int | None, str]:
    """Return the LLDU size that a PHY trace's metadata tells, and the hash of its content."""
    with open_trace(file) as reader:
        if reader.table is not PHY_TRACE:
            raise InputError(file, f"holds a {reader.table.kind} trace; a PHY trace is needed")
        lldu_bytes = reader.metadata.get("lldu_bytes")
    return lldu_bytes, file_sha256(file)


def _label(section: Any, file: Path | None) -> str:
    """Return what tells a trace from the others: its file, its channel with parameters, its share."""
    parts = [] if file is None else [file.name]
    if not isinstance(section, TraceFile):
        own = section.model_dump(exclude=GENERATED_KEYS, exclude_none=True)
        values = ", ".join(f"{name}={_short(value)}" for name, value in own.items())
        parts.insert(0, f"{section.channel}({values})" if values else section.channel)
    label = " over ".join(parts)
    return f"{label} /{section.every}" if section.every > 1 else label


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


@lru_cache(maxsize=1024)
def _conversion(source: _Source, scheme_section: Any, link: Link, seed: int) -> Conversion:
    """Return the conversion of a trace; `seed` matters where the trace is random."""
    phy = _phy(source, seed)
    every = source.section.every
    if scheme_section.online:
        return Conversion(digest(phy.identity, every, FORMAT_VERSION), phy, every, None)
    scheme = scheme_of(scheme_section, seconds_to_ns(link.rtt))
    identity = digest(phy.identity, every, scheme.name, parameters(scheme), __version__, FORMAT_VERSION)
    return Conversion(identity, phy, every, scheme)


def _return_conversion(source: _Source, scheme_section: Any, link: Link, seed: int) -> Conversion | None:
    """Return how the return link's trace is made; a channel has a realisation of its own there."""
    if link.return_link == "plain":
        return None
    protection = scheme_section if link.return_link == "protected" else _NO_SCHEME
    realisation = _realisation(source, seed) + MAX_SEED if source.is_random else 0
    return _conversion(source, protection, link, realisation)


_NO_SCHEME = SCHEME_SECTIONS["none"](name="none")


def _realisation(source: _Source, seed: int) -> int:
    """Return the number of the channel's realisation that a seed sees; 0 for a file, which has only one."""
    if not source.is_random:
        return 0
    count = source.section.realisations
    return seed if count is None else (seed - 1) % count + 1


def _phy(source: _Source, seed: int) -> Phy:
    section = source.section
    if isinstance(section, TraceFile):
        return Phy(source.sha256, source.file)
    channel = channel_of(section)
    line, length_ns = None, 0
    if source.file is None:
        line, length_ns = line_of(section), seconds_to_ns(section.length)
    on = [source.sha256] if line is None else [str(line.interval_ns), line.decode_time_ns, length_ns]
    identity = digest(channel.name, parameters(channel), seed, on, __version__, FORMAT_VERSION)
    return Phy(identity, source.file, channel, seed, line, length_ns)


FORWARD, RETURN = 0, 1
"""Directions, as numbers of the random streams from which a seed draws where in the traces a run starts."""


def _drawn_start(seed: int, direction: int) -> float:
    return float(np.random.default_rng([seed, direction]).random())


def _starts(
    source: _Source, link: Link, drawn: float, return_drawn: float
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
