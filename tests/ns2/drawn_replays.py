"""Random replays of every stack, variant, scheme, discipline and option; a seed determines each of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tmt import Experiment, Path as LinkPath, PlainLink, TraceLink, Traffic
from tmt.core.declaration import Field, Spec, declared
from tmt.core.errors import UsageError
from tmt.core.problems import Refused
from tmt.core.schema import PACKINGS
from tmt.core.schemes.scheme import Scheme
from tmt.core.sharing import ProportionalFair, RoundRobin, Weighted
from tmt.core.trace import LinkTrace, PhyTrace, Trace
from tmt.core.units import NS_PER_MS
from tmt.io import write_trace
from tmt.run.setup import Setup, set_up
from tmt.spec.path import Proxy, Wired
from tmt.spec.queue import Discipline
from tmt.spec.stacks import NS2_STACKS, STACKS
from tmt.spec.traffic import Flow

Value = TypeVar("Value", bound=Spec)

USUAL = {"s": (1e-4, 1), "bit/s": (1e5, 3e7), "packets": (1, 300), "byte": (100, 1e6), "segments": (1, 300)}
"""Ranges of numbers by their unit; those of others are 1 to 64."""

LONGEST_S = 2.0
MOST_FLOWS = 40
TRACES = 6
"""Traces of either kind."""

ONLINE_QUEUE = ("queue", "queue_bytes", "queue_time", "queue_counts")
"""Fields of a path that a scheme that works online leaves as they are."""

OF_ONE_GROUP = (
    "tcp",
    "flows",
    "return_flows",
    "start",
    "transfer_bytes",
    "slow_start",
    "resume",
    "code",
    "block_segments",
)
"""Fields of traffic that groups of flows have instead, or do not have."""


class Draw:
    """Draws one replay."""

    def __init__(self, seed: int, stacks: Sequence[str] = NS2_STACKS) -> None:
        self.chance = random.Random(seed)
        self.stacks = stacks

    def experiment(self, traces: dict[str, list[Path]]) -> Setup:
        """Return a replay that can be run, over some of the traces."""
        while True:
            try:
                return set_up(self._experiment(traces))
            except UsageError:
                continue  # what was drawn does not go together

    def _experiment(self, traces: dict[str, list[Path]]) -> Experiment:
        chance = self.chance
        links = [self._link(traces), self._link(traces) if chance.random() < 0.4 else None]
        own = {"return_link", "return_rate", "return_trace"}
        if any(isinstance(one, TraceLink) and one.scheme is not None for one in links):
            own.update(ONLINE_QUEUE)
        users = 0
        if isinstance(links[0], TraceLink) and links[0].scheme is not None and chance.random() < 0.3:
            links = [self._shared(links[0]), None]
            users = links[0].users
        path = self._path(own)
        stack = chance.choice(self.stacks)
        with_groups = chance.random() < 0.3
        mine = {"backend", "seeds", "flow", *(OF_ONE_GROUP if with_groups else ())}
        traffic = self.value(
            Traffic,
            mine,
            stack=lambda: stack,
            duration=lambda: chance.uniform(0.05, LONGEST_S),
            **({} if with_groups else {"tcp": lambda: chance.choice(STACKS[stack])}),
        )
        if with_groups:
            whose = {"user": lambda: chance.randint(1, users)} if users else {}
            flows = [
                self.value(Flow, {"user"}, tcp=lambda: chance.choice(STACKS[stack]), **whose)
                for _ in range(chance.randint(1, 3))
            ]
            traffic = replace(traffic, flow=tuple(flows))
        return Experiment(links[0], path, traffic, links[1], chance.randint(1, 20))

    def _path(self, without: set[str]) -> LinkPath:
        given: dict[str, Callable[[], Any]] = {"rtt": lambda: self._number("s", 0, 1)}
        if "queue" not in without:
            given["queue"] = lambda: self.value(Discipline, set())
        if self.chance.random() < 0.3:
            given["wired"] = lambda: self.value(Wired, set())
        if "wired" in given and self.chance.random() < 0.6:
            given["proxy"] = lambda: self.value(Proxy, set())
        # A moving path needs a file, or an orbit that fits the round trip.
        return self.value(LinkPath, without | {"rtt_series", "orbit"}, **given)

    def _link(self, traces: dict[str, list[Path]]) -> PlainLink | TraceLink:
        chance = self.chance
        kind = chance.choice(("plain", "link", "phy", "phy"))
        if kind == "plain":
            return PlainLink(self._number("bit/s", 1, 3e7))
        scheme = self.value(Scheme, set(), online=lambda: True) if kind == "phy" else None
        file = chance.choice(traces[kind])
        lldu_bytes = None if "sized" in file.name or chance.random() < 0.3 else chance.randint(1, 3000)
        packing = chance.choice((None, *PACKINGS))
        return TraceLink(str(file), lldu_bytes, chance.randrange(10**8), scheme, packing)

    def _shared(self, link: TraceLink) -> TraceLink:
        """Return a link over a trace with one to four users."""
        chance, others = self.chance, (link.path,) * self.chance.randrange(4)
        weights = tuple(chance.randint(1, 5) for _ in (link, *others))
        rules = RoundRobin(), Weighted(weights), ProportionalFair(chance.randint(1, 1000))
        return replace(link, scheduler=chance.choice(rules), others=others)

    def value(self, family: type[Value], without: set[str], **given: Callable[[], Any]) -> Value:
        """Return an object of one of a family's classes; a third of the optional fields is drawn."""
        while True:
            kind = self.chance.choice(list(family.kinds().values()))
            drawn = {key: draw() for key, draw in given.items()}
            for name, field in declared(kind).items():
                if name in drawn or name in without:
                    continue
                if field.is_required or self.chance.random() < 1 / 3:
                    drawn[name] = self._field(field)
            try:
                return kind(**drawn)
            except Refused:
                continue

    def _field(self, field: Field) -> Any:
        chance = self.chance
        if field.is_optional and chance.random() < 0.2:
            return None
        if field.is_nested:
            return self.value(field.kind, set())
        if field.choices:
            return chance.choice(field.choices)
        if field.kind is bool:
            return chance.random() < 0.5
        if field.kind is str:
            return chance.choice(("raptorq", "lt", "0%", "7.5%", "100%"))
        least, most = field.param.least, field.param.most
        if field.name in ("flows", "return_flows", "count"):
            most = MOST_FLOWS
        found = self._number(field.param.unit, least, most)
        return round(found) if field.kind is int else found

    def _number(self, unit: str, least: float, most: float) -> float:
        """Return a bound or a number of the usual range, each decade as often."""
        low, high = USUAL.get(unit, (1, 64) if most > 1 else (0.001, 1))
        if self.chance.random() < 0.1:
            return max(least, -1e3) if self.chance.random() < 0.6 else min(most, 100 * high)
        drawn = math.exp(self.chance.uniform(math.log(low), math.log(high)))
        return min(max(drawn, least), most)


def write_traces(folder: Path) -> dict[str, list[Path]]:
    """Write link traces and PHY traces of half a second to three, and return their files."""
    found: dict[str, list[Path]] = {"link": [], "phy": []}
    for seed in range(TRACES):
        for kind, made in found.items():
            sized = "-sized" if seed % 3 == 2 else ""
            made.append(folder / f"{kind}-{seed}{sized}.npy")
            write_trace(made[-1], _trace(kind, seed, bool(sized)))
    return found


def _trace(kind: str, seed: int, is_sized: bool) -> Trace:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(200, 2000))
    gaps = rng.integers(1, int(rng.choice([2, 4])) * NS_PER_MS, rows)
    gaps[rng.random(rows) < 0.003] += 300 * NS_PER_MS
    tx = np.cumsum(gaps).astype(np.int64)
    late = rng.integers(0, int(rng.choice([1, 100])) * NS_PER_MS, rows)
    bad = rng.random(rows) < np.where(np.arange(rows) // 50 % 4 == 0, 0.4, 0.02)
    sizes = rng.integers(1, 4000, rows).astype(np.uint32) if is_sized else None
    about = {"begin_ns": 0, "length_ns": int(tx[-1]) + 5 * NS_PER_MS} if seed % 2 else {}
    if kind == "phy":
        es_n0_mdb = rng.integers(-8000, 12_000, rows).astype(np.int32)
        return PhyTrace(tx, np.where(bad, 0, late + 1), about, size_bytes=sizes, es_n0_mdb=es_n0_mdb)
    late[-3:] = -1
    sent = rng.integers(1, 256, rows).astype(np.uint8)
    return LinkTrace(tx, late, ~bad & (late >= 0), sent, about, size_bytes=sizes)
