"""The size of a campaign: of one without results from its scenario alone, without reading a trace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from tmt.campaign.campaign import ASSUMED_SPEED, TASK_S
from tmt.campaign.recipe import Source, realisation, recipes_of
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from collections import abc

    from tmt.campaign.campaign import Campaign
    from tmt.campaign.engine import Plan
    from tmt.spec.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Outlook:
    """Numbers of runs and of link traces to make, and an estimate of the time from `known` finished runs."""

    title: str
    runs: int
    done: int
    failed: int
    to_run: int
    to_convert: int
    seconds: float
    known: int


def of_campaign(campaign: Campaign, todo: Plan, jobs: int) -> Outlook:
    """Return what a campaign has, and what `todo` adds with `jobs` simulations at a time."""
    to_convert = len(todo.conversions(campaign.store))
    seconds, known = campaign.estimate_s(todo, to_convert, jobs)
    counts = len(todo.runs), todo.done, todo.failed, len(todo.missing)
    return Outlook(campaign.title, *counts, to_convert, seconds, known)


def of_scenario(scenario: Scenario, jobs: int) -> Outlook:
    """Return what a scenario without results asks for; traces of two files count as two."""
    lanes = len(scenario.trace) * len(scenario.scheme) * len(scenario.path)
    seeds = [len(scenario.each_seed) if one.seeds is None else one.seeds for one in scenario.loads]
    most_s = lanes * sum(one.duration * count for one, count in zip(scenario.loads, seeds, strict=True))
    to_convert = _link_traces(scenario)
    seconds = (most_s / ASSUMED_SPEED + TASK_S * (scenario.size + to_convert)) / jobs
    return Outlook(scenario.title, scenario.size, 0, 0, scenario.size, to_convert, seconds, 0)


def _link_traces(scenario: Scenario) -> int:
    seeds = {seed for one in scenario.loads if one.seeds for seed in range(1, one.seeds + 1)}
    if any(one.seeds is None for one in scenario.loads):
        seeds |= set(scenario.each_seed)
    realised: dict[str, set[int]] = {}
    for trace, scheme, path in product(scenario.trace, scenario.scheme, scenario.path):
        source = _unread(trace)
        back = source if path.return_trace is None else _unread(Trace(path.return_trace))
        for recipe, own in zip(recipes_of(source, back, scheme, path, 1), (source, back), strict=True):
            if recipe is not None:
                realised.setdefault(recipe.identity, set()).update(_numbers(own, seeds))
    return sum(map(len, realised.values()))


def _numbers(source: Source, seeds: abc.Set[int]) -> set[int]:
    return {realisation(source, seed) for seed in seeds} if source.trace.is_random else {0}


def _unread(trace: Trace) -> Source:
    """Return a trace whose file stands for its slots."""
    return Source(trace, (), None, trace.packing or "padded", (), sha256=trace.file or "")
