"""The task of a search over a trace: the usual space, or one that the caller varies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.campaign.conversions import look_at
from tmt.core.errors import InputError, UsageError
from tmt.core.units import ns_to_seconds
from tmt.results.tune.default_space import scenario_text
from tmt.results.tune.task import parse_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tmt.results.tune.space import Value
    from tmt.results.tune.task import Task

DEFAULT_DURATION_S = 60.0
TRACE_SHARE = 50
"""Length of the trace / longest run without a given duration."""
LEAST_DURATION_S = 0.001
"""Shortest run without a given duration."""


def trace_task(
    trace: Path,
    rtt_s: float,
    *,
    objectives: Sequence[str] = (),
    constraints: Sequence[str] = (),
    tcp: str = "cubic",
    stack: str | None = None,
    duration_s: float | None = None,
    queue_packets: int | None = None,
    schemes: Sequence[str] = (),
    varied: Mapping[str, Sequence[Value]] | None = None,
    courses: int = 20,
    held_out: int = 10,
    level: float = 0.95,
    tolerance: float = 0.01,
    most_candidates: int = 256,
) -> Task:
    """Return the task of a search over a PHY trace; see `tmt tune` for the parameters.

    Parameters
    ----------
    varied
        Values to search by ``KEY`` of the link or ``SCHEME.KEY``.

    Raises
    ------
    InputError
        When the trace cannot be used.
    UsageError
        When another parameter is not allowed.
    """
    try:
        str(trace.absolute()).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{trace}: a scenario cannot name this file: its path is no text in UTF-8") from None
    try:
        found = look_at(trace.absolute())
    except InputError as error:
        raise type(error)(trace, error.reason, error.line) from None
    if duration_s is None:
        duration_s = _usual_duration_s(trace, ns_to_seconds(found.span_ns))
    if not found.says_sizes:
        raise InputError(
            trace,
            "it does not say how large its LLDUs are; `tmt import table --size`, "
            "`tmt generate --lldu-bytes` or a column size_bytes says it",
        )
    text = scenario_text(
        trace,
        schemes,
        varied or {},
        grid={"tcp": [tcp], "seeds": courses},
        link={"rtt": rtt_s, "queue_packets": queue_packets},
        traffic={"duration": duration_s, "stack": stack},
        tune={
            "objective": list(objectives) or ["goodput"],
            "constraint": list(constraints) or None,
            "first_courses": min(4, courses),
            "held_out": held_out,
            "level": level,
            "tolerance": tolerance,
            "most_candidates": most_candidates,
        },
    )
    try:
        return parse_task(text, trace.with_name(f"{trace.name}.toml"))
    except InputError as error:
        raise UsageError(f"the options describe a search that is not allowed: {error.reason}") from None


def _usual_duration_s(trace: Path, span_s: float) -> float:
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
