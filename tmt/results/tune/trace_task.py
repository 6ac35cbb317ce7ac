"""The task of a search over a trace: the default space, or one that the caller varies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from tmt.campaign.recipe import look_at
from tmt.core.declaration import Param, declared, taken
from tmt.core.errors import InputError
from tmt.core.problems import Problem, Refused
from tmt.core.schemes import SCHEMES
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.units import ns_to_seconds
from tmt.results.tune.task import QUEUE, task_of
from tmt.spec.path import Path
from tmt.spec.points import plain, points
from tmt.spec.queue import DISCIPLINES, Discipline, KernelQdisc
from tmt.spec.scenario import Scenario
from tmt.spec.stacks import LINUX
from tmt.spec.trace import Trace
from tmt.spec.traffic import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path as File

    from tmt.results.tune.task import Task, Value
    from tmt.spec.goals import Tune
    from tmt.spec.traffic import Traffic


DEFAULT_DURATION_S = 60.0
TRACE_SHARE = 50
"""Ratio of the trace's length to the longest default duration of a run."""
LEAST_DURATION_S = 0.001
"""Shortest default duration of a run."""

Courses = Annotated[int, Param("", 2, MAX_SEED)]
DEFAULT_COURSES = 20
"""Most courses that a search runs."""


def trace_task(
    trace: File,
    path: Path,
    traffic: Traffic,
    tune: Tune,
    *,
    schemes: Sequence[str] = (),
    varied: Mapping[str, Sequence[Value]] | None = None,
    courses: int = DEFAULT_COURSES,
    duration: float | None = None,
    every: int | None = None,
) -> Task:
    """Return the task of a search over a PHY trace.

    `schemes` are names of the schemes to search; empty for all that convert traces, RLC above each. `varied`
    holds the values to search by ``KEY`` of the path, ``SCHEME.KEY`` or ``QUEUE.KEY``; `path` and `traffic`
    give the other settings. The search runs at most `courses` courses, each for `duration` seconds; None is
    60 s, or a fiftieth of a shorter trace. The user's slots are every n-th one of the trace. InputError when
    the trace cannot be used, Refused when another parameter is not allowed.
    """
    found = look_at(trace)
    if duration is None:
        duration = _usual_duration_s(trace, ns_to_seconds(found.span_ns))
    if not found.says_sizes:
        raise InputError(
            trace,
            "it does not say how large its LLDUs are; `tmt import table --lldu-bytes` or `--size`, "
            "`tmt generate --lldu-bytes` or a column size_bytes says it",
        )
    searched, paths = space(schemes, {} if varied is None else varied, path, traffic.stack)
    courses = taken("courses", Courses, courses)
    tune = replace(tune, first_courses=min(tune.first_courses, courses))
    scenario = Scenario(
        title=trace.name,
        seeds=courses,
        trace=(Trace(str(trace), every=every),),
        scheme=searched,
        path=paths,
        traffic=(replace(traffic, duration=duration),),
        tune=tune,
    )
    return task_of(scenario)


def _usual_duration_s(trace: File, span_s: float) -> float:
    """Return the default length of a run, in whole milliseconds (InputError: too short)."""
    duration_s = min(DEFAULT_DURATION_S, span_s / TRACE_SHARE)
    if duration_s < LEAST_DURATION_S:
        raise InputError(
            trace,
            f"it is {span_s:g} s long; a search, whose runs share no slot, needs "
            f"{TRACE_SHARE * LEAST_DURATION_S:g} s or more",
        )
    return round(duration_s, 3)


Tables = list[dict[str, Any]]

SPACE: dict[str, Tables] = {
    "none": [{}],
    "arq": [{}, {"max_transmissions": [2, 3, 5]}],
    "fec": [{"data": [10, 20, 50], "repair": [1, 2, 5, 10], "depth": [1, 4]}],
    "harq": [{"data": [10, 20, 50], "repair": [0, 1, 2, 5], "rounds": [1, 3]}],
    "harq-processes": [
        {"processes": [8, 16, 32], "max_transmissions": [2, 4, 8]},
        {"repetitions": [2, 3, 4]},
    ],
    "sliding-window": [{"coding_window": [32, 128], "repair_interval": [2, 4, 8, 16]}],
    "tetrys": [{"coding_window": [256, 1024], "repair_interval": [8, 32]}],
    "rlc": [{}],
    "rlc-over-fec": [{"data": [20], "repair": [2, 5]}],
    "rlc-over-arq": [{"max_transmissions": [2, 3]}],
    "rlc-over-harq": [{"data": [20], "repair": [1, 2], "rounds": [1]}],
    "rlc-over-harq-processes": [{"processes": [16, 32], "max_transmissions": [4]}],
    "rlc-over-sliding-window": [{"coding_window": [128], "repair_interval": [4, 8, 16]}],
    "rlc-over-tetrys": [{"coding_window": [1024], "repair_interval": [32]}],
}
"""Default values of a search; for RLC, those of the scheme below. A list is a parameter to search."""

OVER = "rlc-over-"

ROUND_TRIPS = 1.2
"""Time between RLC's status reports, and its receiver's wait for one retransmission of the scheme below, in
round trips.
"""

REASSEMBLY_S = 0.035
"""Further time that RLC's receiver waits before it reports a gap: the default t-Reassembly."""

PATH: dict[str, Any] = {"in_order": [True, False]}


def space(
    names: Sequence[str], varied: Mapping[str, Sequence[Value]], path: Path, stack: str
) -> tuple[tuple[Scheme, ...], tuple[Path, ...]]:
    """Return the schemes and the paths of a search: all schemes of `SPACE` where none is named.

    The values in `varied`, by ``KEY`` of the path, ``SCHEME.KEY`` or ``QUEUE.KEY``, replace those of `SPACE`
    and of `path`. Only stack `linux` has the kernel's own disciplines. Refused, with a place in ``schemes``
    or ``varied``, when a name is unknown or a value is not allowed.
    """
    known = tuple(dict.fromkeys([*SPACE, *(name for name, kind in SCHEMES.items() if kind.converts)]))
    wrong = [Problem(("schemes",), name, "choice", known) for name in names if name not in known]
    if wrong:
        raise Refused(wrong)
    searched = {name: SPACE.get(name, [{}]) for name in names or SPACE}
    of_path = {key: getattr(path, key) for key in path.said()}
    tables: dict[str, Any] = PATH | {
        key: "none" if value is None else value for key, value in of_path.items()
    }
    tables[QUEUE] = [path.queue]
    queues = tuple(name for name in DISCIPLINES if name != KernelQdisc.name or stack == LINUX)
    _vary(searched, tables, varied, queues)
    paths = _points(Path, tables, "")
    longest = max(one.rtt for one in paths)
    schemes = [
        scheme
        for name, values in searched.items()
        for table in values
        for scheme in _points(Scheme, _table(name, table, longest), name)
    ]
    return tuple(dict.fromkeys(schemes)), tuple(paths)


def _points(family: Any, table: dict[str, Any], name: str) -> list[Any]:
    try:
        return points(family, table)
    except Refused as refused:
        raise Refused(one.within("varied", *([name] if name else [])) for one in refused.problems) from None


def _table(name: str, values: dict[str, Any], rtt_s: float) -> dict[str, Any]:
    """Return the table of a scheme; RLC's timers are set for the round-trip time."""
    if not name.startswith(Rlc.name):
        return {"name": name} | values
    own = {key: value for key, value in values.items() if key in declared(Rlc)}
    rest = {key: value for key, value in values.items() if key not in own}
    below = {"below": {"name": name.removeprefix(OVER)} | rest} if name.startswith(OVER) else rest
    return {"name": Rlc.name} | _rlc_timers(values, rtt_s) | below | own


def _vary(
    searched: dict[str, Tables],
    path: dict[str, Any],
    varied: Mapping[str, Sequence[Value]],
    known_queues: tuple[str, ...],
) -> None:
    """Replace the default values by those to search (Refused for an unknown name).

    They go into those tables of their scheme that have the parameter, or else into the first one.
    """
    if not isinstance(varied, Mapping):
        raise Refused([Problem(("varied",), varied, "type", "a dictionary that gives lists of values")])
    of_queues: dict[str, dict[str, Any]] = {}
    for key, values in varied.items():
        if not isinstance(key, str) or isinstance(values, str) or not isinstance(values, Iterable):
            raise Refused([Problem(("varied", key), values, "type", "a list of values for a text")])
        scheme, dot, own = key.rpartition(".")
        if not dot:
            _check_key(key, own, tuple(declared(Path)))
            path[own] = list(values)
            continue
        if scheme in known_queues:
            _check_key(key, own, tuple(declared(DISCIPLINES[scheme])))
            of_queues.setdefault(scheme, {})[own] = list(values)
            continue
        _check_key(key, scheme, (*searched, *known_queues))
        of_rlc = tuple(declared(Rlc)) if scheme.startswith(Rlc.name) else ()
        _check_key(key, own, (*declared(SCHEMES[scheme.removeprefix(OVER)]), *of_rlc))
        having = [table for table in searched[scheme] if own in table] or searched[scheme][:1]
        searched[scheme] = [table | {own: list(values)} for table in having]
    path[QUEUE] = _disciplines(path[QUEUE], of_queues, known_queues)


def _disciplines(
    queues: list[Any], varied: Mapping[str, dict[str, Any]], known_queues: tuple[str, ...]
) -> list[Discipline]:
    """Return the disciplines of these names or objects, with all values of the parameters of `varied`."""
    tables = []
    for queue in queues:
        if not isinstance(queue, Discipline):
            _check_key(QUEUE, queue, known_queues)
        table = plain(queue) if isinstance(queue, Discipline) else {"name": queue}
        tables.append(table | varied.get(table["name"], {}))
    known = tuple(table["name"] for table in tables)
    for name, values in varied.items():
        for key in values:
            _check_key(f"{name}.{key}", name, known)
    found = [one for table in tables for one in _points(Discipline, table, table["name"])]
    return list(dict.fromkeys(found))


def _check_key(place: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise Refused([Problem(("varied", place), name, "choice", known)])


def _rlc_timers(parameters: Mapping[str, Any], rtt_s: float) -> dict[str, float]:
    """Return RLC timers for a round-trip time; with shorter ones the sender repeats segments needlessly.

    Status reports are more than a round trip apart. The receiver waits for all retransmissions of the scheme
    below before it reports a gap.
    """
    transmissions, rounds = _numbers(parameters.get("max_transmissions")), _numbers(parameters.get("rounds"))
    retransmissions = max([0, *(most - 1 for most in transmissions), *rounds])
    wait_s = ROUND_TRIPS * rtt_s
    return {
        "reassembly": round(REASSEMBLY_S + retransmissions * wait_s, 9),
        "status_prohibit": round(wait_s, 9),
    }


def _numbers(value: Any) -> list[float]:
    """Return the numbers of a key, which holds one value or a list; bad values are refused later."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, int | float)]
