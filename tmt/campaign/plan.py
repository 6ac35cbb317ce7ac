"""From a scenario to its runs: every combination once, each with a key of everything that matters."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tmt.campaign.columns import PUBLISHED_COLUMNS
from tmt.campaign.recipe import check_es_n0, realisation, recipes_of, source_of
from tmt.campaign.runs import ReplayRun
from tmt.core.declaration import ns
from tmt.core.problems import Problem, Refused
from tmt.core.provenance import digest
from tmt.run import load_backend
from tmt.run.experiment import programs_of
from tmt.run.motion import check_motion, series_digest, told
from tmt.run.programs.inputs import with_inputs
from tmt.spec.experiment import Experiment, PlainLink, TraceLink
from tmt.spec.points import plain
from tmt.spec.settings import columns_of
from tmt.spec.toml import is_file
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tmt.campaign.columns import Row
    from tmt.campaign.recipe import Recipe, Source
    from tmt.campaign.runs import Programs
    from tmt.core.channels.base import Channel
    from tmt.core.schemes.scheme import Scheme
    from tmt.core.sharing import Sharing
    from tmt.spec.path import Path as LinkPath
    from tmt.spec.scenario import Scenario
    from tmt.spec.traffic import Traffic


def expand(
    scenario: Scenario,
    programs_of: Callable[..., Programs] = programs_of,
    watch: Callable[[int], None] = lambda _: None,
) -> list[ReplayRun]:
    """Return the runs of a scenario, seed after seed, each key once.

    `programs_of` gives the hashes of programs and sources, as `tmt.run.experiment.programs_of` does. `watch`
    is called with the number of newly added runs.

    InputError when a file of a trace cannot be used. Refused when two names give the same trace, a trace does
    not fit a scheme, or published values are missing.
    """
    if scenario.published is not None:
        check_published(scenario.published)
    for at, path in enumerate(scenario.path):
        check_motion(path, max(load.duration for load in scenario.loads), "path", at)
    sources = {trace: source_of(trace, ("trace", at)) for at, trace in enumerate(scenario.trace)}
    backs = {
        path: source_of(Trace(path.return_trace), ("path", at, "return_trace"))
        for at, path in enumerate(scenario.path)
        if path.return_trace is not None
    }
    labels, known = scenario.labels(), cache(programs_of)
    lanes = []
    for (trace, scheme, path), points in groupby(
        scenario.points(), key=attrgetter("trace", "scheme", "path")
    ):
        lane = Lane(sources[trace], backs.get(path), scheme, labels[scheme], path)
        lane.check(scenario.scheme.index(scheme))
        lanes.append((lane, [_traffic(lane, point.traffic, point.seeds, known) for point in points]))
    every_seed = dict.fromkeys(seed for _, cases in lanes for case in cases for seed in case.seeds)
    runs: dict[str, ReplayRun] = {}
    for seed in sorted(every_seed) if isinstance(scenario.seeds, int) else every_seed:
        drawn = drawn_start(seed, FORWARD), drawn_start(seed, RETURN)
        for lane, cases in lanes:
            for run in _runs_of(lane, cases, scenario, seed, drawn):
                other, label = runs.get(run.key, run).coordinates["trace"], lane.source.trace.title
                if other != label:
                    reason = f"{label!r} has the same slots as {other!r}"
                    raise Refused([Problem(lane.source.place, None, "rule", "each trace once", reason)])
                runs[run.key] = run
            watch(sum(seed in case.seeds for case in cases))
    return list(runs.values())


def check_published(name: str) -> None:
    """Refuse a file without published values: it is copied to the results, which others may get."""
    header: list[str] = []
    with suppress(OSError, ValueError, csv.Error):
        if Path(name).is_file():
            with Path(name).open(encoding="utf-8", newline="") as lines:
                header = next(csv.reader(lines), [])
    if not set(PUBLISHED_COLUMNS) <= set(header):
        allowed = f"a CSV file with the columns {', '.join(PUBLISHED_COLUMNS)}"
        reason = "holds no published values" if header else "is not a file of text"
        raise Refused([Problem(("published",), name, "rule", allowed, reason)])


@dataclass(frozen=True, slots=True)
class Lane:
    """A trace under a scheme, with the path around it; `own_back` is None without a return trace."""

    source: Source
    own_back: Source | None
    scheme: Scheme
    label: str
    path: LinkPath
    _made: dict[tuple[int, int], tuple[Recipe, Recipe | None]] = field(default_factory=dict)

    @property
    def back(self) -> Source:
        """The trace of the return link, unless the return link is plain."""
        return self.own_back or self.source

    @property
    def models(self) -> tuple[Channel | Scheme | Sharing, ...]:
        """The scheme, and the recipes of its runs' link traces."""
        recipes = [recipe for recipe in self.recipes(1) if recipe is not None]
        return (self.scheme, *(model for recipe in recipes for model in recipe.models_of_runs))

    def recipes(self, seed: int) -> tuple[Recipe, Recipe | None]:
        """Return the recipes of both directions' link traces for a seed."""
        number = realisation(self.source, seed), realisation(self.back, seed)
        if number not in self._made:
            self._made[number] = recipes_of(self.source, self.back, self.scheme, self.path, seed)
        return self._made[number]

    def check(self, at: int) -> None:
        """Refuse a scheme, number `at` of the scenario, that does not fit the traces (Refused)."""
        place = ("scheme", at, *(("below",) if hasattr(self.scheme, "below") else ()), "combining")
        for source in (self.source, *([self.back] if self.path.return_link == "protected" else [])):
            check_es_n0(source, self.scheme, place)
            if fault := self.scheme.packing_fault(source.packing):
                reason = f"{fault}, and the trace {source.trace.title!r} is so"
                name = self.scheme.name
                raise Refused([Problem(("scheme", at, "name"), name, "rule", 'packing = "padded"', reason)])

    def starts(self, drawn: float, return_drawn: float) -> tuple[int | float, int | float]:
        """Return the starts of a run in the forward and the return trace.

        If the return link has no trace of its own, the seed draws its start in the forward one. Two measured
        traces belong together and start at the same fraction of their lengths.
        """
        if not self.path.loop:
            drawn = return_drawn = 0
        if self.path.return_link == "plain":
            return_drawn = 0
        offset, own = self.source.trace.offset, self.own_back
        if isinstance(offset, float):
            start_ns = ns(offset)
            return start_ns, return_drawn if own is None else start_ns
        if self.source.is_measured and offset is None:
            drawn = 0
        if own is not None and own.is_measured:
            return_drawn = drawn if self.source.is_measured else 0
        return drawn, return_drawn


class Kind(NamedTuple):
    """Runs of one lane and kind of traffic that differ only in their seed and their start in the traces."""

    seeds: frozenset[int]
    experiment: str
    template: Experiment
    coordinates: Row
    programs: Programs


def _traffic(
    lane: Lane, traffic: Traffic, seeds: tuple[int, ...], programs_of: Callable[..., Programs]
) -> Kind:
    path, source = lane.path, lane.source
    online = lane.scheme if lane.scheme.online else None
    forward = TraceLink("-", source.lldu_bytes, scheme=online, packing=source.packing)
    if users := source.trace.users_in_one_run:
        assert source.trace.sharing is not None
        scheduler = source.trace.sharing.scheduler
        forward = replace(forward, scheduler=scheduler, others=("-",) * (users - 1))
    back: TraceLink | PlainLink | None = None
    if path.return_link != "plain":
        own = online if path.return_link == "protected" else None
        back = TraceLink("-", lane.back.lldu_bytes, scheme=own, packing=lane.back.packing)
    elif path.return_rate is not None:
        back = PlainLink(path.return_rate)
    template = Experiment(forward, path, traffic, back)
    return_name = path.return_trace and Path(path.return_trace).name
    coordinates = columns_of(template) | {
        "backend": template.backend,
        "trace": source.trace.title,
        "scheme": lane.label,
        "return_link": ", ".join(filter(None, (path.return_link, return_name))),
        "return_rate_bps": path.return_rate,
        "forward_lldu_bytes": source.lldu_bytes,
        "forward_packing": source.packing,
    }
    load_backend(template.backend).check(template)
    programs = with_inputs(traffic, programs_of(template.backend, *lane.models))
    return Kind(frozenset(seeds), _fingerprint(lane, traffic, programs), template, coordinates, programs)


def _fingerprint(lane: Lane, traffic: Traffic, programs: Programs) -> str:
    """Return a hash of everything that decides a run except its seed, without names of files and labels."""
    slots = [
        [source.sha256, source.lldu_bytes, source.packing, _without_names(plain(source.trace))]
        for source in (lane.source, lane.back)
    ]
    path = told(replace(lane.path, return_trace=None) if lane.own_back else lane.path)
    settings = {key: value for key, value in plain(traffic).items() if key not in NO_SETTINGS}
    return digest(slots, plain(lane.scheme), path, lane.own_back is not None, settings, programs)


NO_SETTINGS = {"seeds", "backend", *("label", "files", "root", "second")}
"""Keys of traffic that decide no run; the programs' files and their second path are part of their stamp."""


def _without_names(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _without_names(value) if isinstance(value, dict) else value
        for key, value in table.items()
        if key != "label" and not is_file(key, value)
    }


def _runs_of(
    lane: Lane, cases: list[Kind], scenario: Scenario, seed: int, drawn: tuple[float, float]
) -> Iterator[ReplayRun]:
    """Return the runs of a lane with a seed, which has drawn a start in each direction's trace."""
    recipe, back = lane.recipes(seed)
    start, return_start = lane.starts(*drawn)
    traces = " ".join([*(one.identity for one in recipe.traces), repr(start)])
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
                recipe=recipe,
                return_recipe=back,
                start=start,
                return_start=return_start,
                timeout_s=scenario.timeout,
                keep_records=seed in scenario.records,
                programs=case.programs,
                rtt_series=series_digest(lane.path),
            )


FORWARD, RETURN = 0, 1
"""Directions, as numbers of the random streams from which a seed draws the start of a run in the traces."""


def drawn_start(seed: int, direction: int) -> float:
    """Return the fraction of a trace's length at which runs of a seed start."""
    return float(np.random.default_rng([seed, direction]).random())
