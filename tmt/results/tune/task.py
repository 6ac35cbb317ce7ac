"""The task of a search: a goal, and a scenario whose schemes, paths and adaptations are the space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from tmt.core.declaration import Spec, declared
from tmt.core.problems import Problem, Refused
from tmt.results.dataset import level_order
from tmt.results.tune.objectives import EFFICIENCY, TRANSFER_TIME, Goal, parse_goal
from tmt.results.tune.race import Rules
from tmt.spec.points import leaves
from tmt.spec.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as File

    from tmt.core.problems import Place
    from tmt.core.schemes.scheme import Scheme
    from tmt.spec.path import Path
    from tmt.spec.scenario import Scenario
    from tmt.spec.traffic import Traffic

SCHEME, QUEUE, ADAPTATION = "scheme", "queue", "adaptation"
Value = str | int | float | bool | None
SpecT = TypeVar("SpecT", bound=Spec)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scheme with its parameters on a path, over the trace of one adaptation if there are several.

    `settings` are the name of the scheme, the name of the discipline if it is searched, and the parameters
    that vary in the space, by scenario key. No two candidates share a `name`.
    """

    trace: Trace
    scheme: Scheme
    path: Path
    settings: dict[str, Value]
    name: str


def candidates_of(scenario: Scenario) -> list[Candidate]:
    """Return the candidates in the order of the scenario's tables."""
    labels = scenario.labels()
    own = _own_settings({scheme: scheme.full_name for scheme in scenario.scheme})
    disciplines = {path.queue: path.queue.name for path in scenario.path}
    of_queue = _own_settings(disciplines) if len(disciplines) > 1 else {}
    keys = _varying([_table(path) for path in scenario.path])
    path_keys = [key for key in keys if not key.startswith(f"{QUEUE}.")]
    trace_keys = _varying([_table(trace) for trace in scenario.trace])
    found = []
    for trace, scheme, path in product(scenario.trace, scenario.scheme, scenario.path):
        settings = {SCHEME: scheme.full_name} | own[scheme]
        words = [labels[scheme]]
        if path.queue in of_queue:
            settings[QUEUE] = path.queue.name
            settings |= {f"{QUEUE}.{key}": value for key, value in of_queue[path.queue].items()}
            words.append(path.queue.label)
        others = {key: _table(path).get(key) for key in path_keys}
        others |= {key: _table(trace).get(key) for key in trace_keys}
        words += [_spelled(key, value) for key, value in others.items()]
        found.append(Candidate(trace, scheme, path, settings | others, ", ".join(words)))
    return found


def _own_settings(names: Mapping[SpecT, str]) -> dict[SpecT, dict[str, Value]]:
    """Return for each object the parameters that vary among the objects of the same name."""
    tables = {one: _table(one) for one in names}
    found = {}
    for one, name in names.items():
        keys = _varying([tables[other] for other in names if names[other] == name])
        found[one] = {key: tables[one][key] for key in keys}
    return found


def _table(value: Spec) -> dict[str, Value]:
    """Return the parameters of an object and of its parts, by dotted names."""
    return {key: own for key, _, own in leaves(value)}


def levels_of(candidates: Sequence[Candidate], key: str) -> list[Value]:
    """Return the values of a parameter in the space, in the order of `level_order`."""
    values = dict.fromkeys(one.settings[key] for one in candidates if key in one.settings)
    return sorted(values, key=level_order)


def neighbours(candidates: Sequence[Candidate], of: Candidate, key: str) -> list[int]:
    """Return the candidates that differ from one only in this parameter, itself included."""
    rest = {name: value for name, value in of.settings.items() if name != key}
    return [
        number
        for number, one in enumerate(candidates)
        if one.settings.keys() == of.settings.keys()
        and all(one.settings[name] == value for name, value in rest.items())
    ]


def _varying(tables: Sequence[dict[str, Value]]) -> list[str]:
    keys = dict.fromkeys(key for table in tables for key in table)
    return [key for key in keys if len({table.get(key) for table in tables}) > 1]


def _spelled(key: str, value: Value) -> str:
    if key == "in_order":
        return "in order" if value else "any order"
    words = key.removeprefix(f"{ADAPTATION}.").replace("_", " ").replace(".", " ")
    if value is None:
        return f"no {words}"
    return f"{words} {value:g}" if isinstance(value, float) else f"{words} {value}"


@dataclass(frozen=True, slots=True)
class Task:
    """A search that can start.

    `scenario` has one kind of traffic; the space is its schemes, its paths and its traces, which differ only
    in their adaptation. `asked` is the scenario as the user gave it. The search does not see `held_out`
    courses. Of a larger space, `most_simulated` candidates are sampled and simulated.
    """

    scenario: Scenario
    asked: Scenario
    goal: Goal
    rules: Rules
    candidates: list[Candidate]
    held_out: int
    most_simulated: int

    @property
    def trace(self) -> Trace:
        """The trace, of the first adaptation."""
        return self.scenario.trace[0]

    @property
    def traffic(self) -> Traffic:
        """The traffic."""
        return self.scenario.traffic[0]


def task_of(asked: Scenario) -> Task:
    """Return the task of a scenario with a goal (`tune`); Refused names what the search cannot do."""
    tune = asked.tune
    if tune is None:
        raise _refused(("tune",), 'a table [tune] with an objective, such as "goodput"', "is missing")
    goal = parse_goal(tune.objective, tune.constraint)
    _check_one_of_each(asked)
    scenario = _with_courses(_with_transfers(asked, goal))
    if any(measure.name == EFFICIENCY for measure in goal.measures):
        if len(scenario.trace) > 1:
            reason = f"has {EFFICIENCY}, which counts slots, whatever they carry"
            raise _refused(("tune",), "measures of TCP, because adaptation varies", reason)
        for at, scheme in enumerate(scenario.scheme):
            if scheme.online:
                reason = f"has no {EFFICIENCY}, which is an objective"
                raise _refused(("scheme", at, "online"), "false", reason)
    most = len(scenario.each_seed)
    if most < tune.first_courses:
        allowed = f"first_courses, {tune.first_courses}, or more"
        raise _refused(("seeds",), allowed, f"are too few courses: {most}")
    rules = Rules(tune.first_courses, most, tune.level, tune.tolerance)
    candidates = candidates_of(scenario)
    if len(candidates) < 2:
        raise _refused(("scheme",), "two or more: schemes, or lists of values", "is the only candidate")
    return Task(scenario, asked, goal, rules, candidates, tune.held_out, tune.most_candidates)


def _refused(place: Place, allowed: str, reason: str) -> Refused:
    return Refused([Problem(place, None, "rule", allowed, reason)])


def _check_one_of_each(scenario: Scenario) -> None:
    """Refuse a scenario that varies anything but schemes, paths and adaptation, or runs programs."""
    if scenario.program:
        raise _refused(("program", 0), "traffic: a search runs no programs", "is not searched")
    allowed = "one, because a search varies schemes, paths and adaptation only"
    if len(scenario.traffic) > 1:
        raise _refused(("traffic", 1), allowed, f"makes {len(scenario.traffic)} kinds of traffic")
    first = scenario.trace[0]
    for at, trace in enumerate(scenario.trace):
        for key in declared(Trace):
            if key != ADAPTATION and getattr(trace, key) != getattr(first, key):
                raise _refused(("trace", at, key), allowed, "has several values")
    if scenario.traffic[0].seeds is not None:
        raise _refused(("traffic", 0, "seeds"), "seeds of the scenario", "has no meaning for a search")
    if scenario.trace[0].sharing is not None:
        raise _refused(("trace", 0, "sharing", "users"), "none: a trace of one user", "are not searched")
    if scenario.traffic[0].flow:
        raise _refused(("traffic", 0, "flow"), "flows of one variant: tcp and flows", "is not searched")


def _with_transfers(scenario: Scenario, goal: Goal) -> Scenario:
    """Return the scenario with the transfer size that the goal names."""
    traffic = scenario.traffic[0]
    if goal.transfer_bytes is None:
        return scenario
    if traffic.transfer_bytes not in (None, goal.transfer_bytes):
        reason = f"is not the {goal.transfer_bytes} of {TRANSFER_TIME} in tune"
        raise _refused(("traffic", 0, "transfer_bytes"), "the same size, or none", reason)
    return replace(scenario, traffic=(replace(traffic, transfer_bytes=goal.transfer_bytes),))


def _with_courses(scenario: Scenario) -> Scenario:
    """Return the scenario with traces in which every seed is a separate course."""
    trace = scenario.trace[0]
    if isinstance(trace.offset, float):
        raise _refused(("trace", 0, "offset"), '"drawn", or none', "gives all courses one start")
    if not trace.is_random:
        for at, path in enumerate(scenario.path):
            if not path.loop:
                raise _refused(("path", at, "loop"), "true", "gives all courses one start")
        return replace(scenario, trace=(replace(trace, offset="drawn"),), records=())
    if trace.realisations is not None:
        reason = "lets courses held out repeat some of the search"
        raise _refused(("trace", 0, "realisations"), "no such key", reason)
    return replace(scenario, records=())


def is_scenario(path: File) -> bool:
    """Whether a file is a scenario rather than a trace: its name ends in .toml."""
    return path.suffix.lower() == ".toml"
