"""The task of a search over a trace: the usual space, or one that the caller varies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from tmt.campaign.recipe import look_at
from tmt.core.declaration import Param, taken
from tmt.core.errors import InputError
from tmt.core.units import ns_to_seconds
from tmt.results.tune.default_space import space
from tmt.results.tune.task import task_of
from tmt.spec.scenario import Scenario
from tmt.spec.trace import Trace
from tmt.spec.traffic import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as File

    from tmt.results.tune.space import Value
    from tmt.results.tune.task import Task
    from tmt.spec.path import Path
    from tmt.spec.traffic import Traffic
    from tmt.spec.tune import Tune

DEFAULT_DURATION_S = 60.0
TRACE_SHARE = 50
"""Length of the trace / longest run without a given duration."""
LEAST_DURATION_S = 0.001
"""Shortest run without a given duration."""

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
) -> Task:
    """Return the task of a search over a PHY trace.

    Parameters
    ----------
    path
        The path, but for what varies.
    traffic
        The flows; their duration is `duration`.
    schemes
        Names of the schemes to search; empty for all that convert traces, RLC above each.
    varied
        Values to search by ``KEY`` of the path or ``SCHEME.KEY``.
    courses
        Most courses that the search runs.
    duration
        Length of a run in seconds; None is 60 s, or the fiftieth part of a shorter trace.

    Raises
    ------
    InputError
        When the trace cannot be used.
    Refused
        When another parameter is not allowed.
    """
    found = look_at(trace)
    if duration is None:
        duration = _usual_duration_s(trace, ns_to_seconds(found.span_ns))
    if not found.says_sizes:
        raise InputError(
            trace,
            "it does not say how large its LLDUs are; `tmt import table --size`, "
            "`tmt generate --lldu-bytes` or a column size_bytes says it",
        )
    searched, paths = space(schemes, {} if varied is None else varied, path)
    courses = taken("courses", Courses, courses)
    tune = replace(tune, first_courses=min(tune.first_courses, courses))
    scenario = Scenario(
        title=trace.name,
        seeds=courses,
        trace=(Trace(str(trace)),),
        scheme=searched,
        path=paths,
        traffic=(replace(traffic, duration=duration),),
        tune=tune,
    )
    return task_of(scenario)


def _usual_duration_s(trace: File, span_s: float) -> float:
    """Return the length of a run where none is given, in whole milliseconds.

    Raises
    ------
    InputError
        When the trace is too short.
    """
    duration_s = min(DEFAULT_DURATION_S, span_s / TRACE_SHARE)
    if duration_s < LEAST_DURATION_S:
        raise InputError(
            trace,
            f"it is {span_s:g} s long; a search, whose runs share no slot, needs "
            f"{TRACE_SHARE * LEAST_DURATION_S:g} s or more",
        )
    return round(duration_s, 3)
