"""The task of a search: a scenario whose grid is the space, and its table [tune], checked together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from tmt.campaign.scenario import load, parse
from tmt.campaign.scenario_errors import Refused, locate, refuse
from tmt.campaign.sections import Section, TraceFile
from tmt.core.errors import InputError, UsageError
from tmt.results.tune.objectives import EFFICIENCY, TRANSFER_TIME, Goal, parse_goal
from tmt.results.tune.race import Rules
from tmt.results.tune.space import Candidate, candidates_of

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.sections import Scenario

Texts = Annotated[tuple[str, ...], Field(min_length=1, strict=False)]


class TuneTable(Section):
    """``[tune]``: the goal of a search and its effort."""

    objective: str | Texts
    constraint: str | Annotated[tuple[str, ...], Field(strict=False)] = ()
    first_courses: Annotated[int, Field(ge=2, le=1000)] = 4
    held_out: Annotated[int, Field(ge=2, le=10_000)] = 10
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.01
    most_candidates: Annotated[int, Field(ge=2, le=10_000)] = 256


@dataclass(frozen=True, slots=True)
class Task:
    """A search that can start.

    Attributes
    ----------
    scenario
        One trace, one kind of traffic and one TCP variant; its schemes and links are the space.
    text
        The scenario file's text.
    held_out
        Number of courses that the search does not see.
    most_simulated
        Larger spaces are sampled; so many of their candidates are simulated.
    """

    scenario: Scenario
    text: str
    goal: Goal
    rules: Rules
    candidates: list[Candidate]
    held_out: int
    most_simulated: int

    @property
    def trace(self) -> Any:
        """The section of the trace."""
        return self.scenario.traces[0]

    @property
    def traffic(self) -> Any:
        """The section of the traffic."""
        return self.scenario.traffics[0]


def read_task(path: Path) -> Task:
    """Read a scenario file with a table ``[tune]``.

    Raises
    ------
    InputError
        When it cannot be used: one line with the key, the value and the allowed values.
    """
    scenario = load(path)
    return _task(scenario, path.read_text(encoding="utf-8"))


def parse_task(text: str, path: Path) -> Task:
    """Check the text of a scenario with a table ``[tune]``; paths in it are relative to the folder of `path`.

    Raises
    ------
    InputError
        As `read_task`.
    """
    return _task(parse(text, path), text)


def _task(scenario: Scenario, text: str) -> Task:
    try:
        return _checked(scenario, text)
    except Refused as refused:
        raise InputError(scenario.path, str(refused), locate(text, refused.key)) from None


def _checked(scenario: Scenario, text: str) -> Task:
    if not scenario.tune:
        raise Refused(("tune",), "is missing", 'a table [tune] with an objective, such as "goodput"')
    try:
        table = TuneTable.model_validate(scenario.tune)
    except ValidationError as error:
        raise refuse(error, TuneTable, ("tune",), {}) from None
    try:
        goal = parse_goal(_listed(table.objective), _listed(table.constraint))
    except UsageError as error:
        key, _, reason = str(error).partition(": ")
        raise Refused(("tune", key), reason or str(error), "") from None
    _check_one_of_each(scenario)
    scenario = _with_courses(_with_transfers(scenario, goal))
    if any(measure.name == EFFICIENCY for measure in goal.measures) and any(
        section.online for section in scenario.schemes
    ):
        raise Refused(
            ("tune", "objective"),
            f"{EFFICIENCY} has no meaning for schemes that work online",
            "online = false",
        )
    most = len(scenario.grid.seeds)
    if most < table.first_courses:
        raise Refused(
            ("grid", "seeds"), f"{most} courses are too few", f"first_courses, {table.first_courses}, or more"
        )
    rules = Rules(table.first_courses, most, table.level, table.tolerance)
    candidates = candidates_of(scenario)
    if len(candidates) < 2:
        raise Refused(("scheme",), "the space has one candidate", "two or more: schemes, or lists of values")
    return Task(scenario, text, goal, rules, candidates, table.held_out, table.most_candidates)


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _check_one_of_each(scenario: Scenario) -> None:
    """Refuse a scenario that varies anything but schemes and links."""
    for key, members in (
        (("grid", "tcp"), scenario.grid.tcp),
        (("trace",), scenario.traces),
        (("traffic",), scenario.traffics),
        (("wired",), scenario.wireds),
        (("proxy",), scenario.proxies),
    ):
        if len(members) > 1:
            raise Refused(key, f"{len(members)} are given", "one: a search varies schemes and links only")
    if scenario.traffics[0].seeds is not None:
        raise Refused(("traffic", "seeds"), "means nothing for a search", "seeds in [grid]")


def _with_transfers(scenario: Scenario, goal: Goal) -> Scenario:
    """Return the scenario with the transfer size that the goal names."""
    traffic = scenario.traffics[0]
    if goal.transfer_bytes is None:
        return scenario
    if traffic.transfer_bytes not in (None, goal.transfer_bytes):
        told = f"{traffic.transfer_bytes} is not the {goal.transfer_bytes} of {TRANSFER_TIME} in [tune]"
        raise Refused(("traffic", "transfer_bytes"), told, "the same size, or none")
    return replace(scenario, traffics=(traffic.model_copy(update={"transfer_bytes": goal.transfer_bytes}),))


def _with_courses(scenario: Scenario) -> Scenario:
    """Return the scenario with a trace in which every seed is a course of its own."""
    trace = scenario.traces[0]
    if isinstance(trace.offset, float):
        raise Refused(
            ("trace", "offset"), f"{trace.offset:g} gives all courses one start", '"drawn", or none'
        )
    if isinstance(trace, TraceFile):
        if not all(link.loop for link in scenario.links):
            raise Refused(("link", "loop"), "false gives all courses one start", "true")
        update: dict[str, Any] = {"offset": "drawn"}
    else:
        if trace.realisations is not None:
            raise Refused(
                ("trace", "realisations"),
                "is given, so that courses held out would repeat some",
                "no such key",
            )
        update = {}
    grid = scenario.grid.model_copy(update={"records": ()})
    return replace(scenario, traces=(trace.model_copy(update=update),), grid=grid)


def is_scenario(path: Path) -> bool:
    """Whether a file is a scenario rather than a trace: its name ends in .toml."""
    return path.suffix.lower() == ".toml"
