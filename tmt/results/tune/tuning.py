"""A whole search in a campaign's folder, from the task to the recommendation."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import TYPE_CHECKING

from tmt.campaign.columns import DONE
from tmt.campaign.database import SCENARIO
from tmt.campaign.engine import execute, plan
from tmt.campaign.plan import expand
from tmt.campaign.store import Store
from tmt.core.words.html_table import Charted, ShownInNotebooks
from tmt.results.tune.courses import Courses, choose_courses, goodput_bounds
from tmt.results.tune.objectives import EFFICIENCY, TRANSFER_TIME
from tmt.results.tune.recommendation import Recommendation, recommend
from tmt.results.tune.search import Search, search

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from tmt.campaign.engine import Watch
    from tmt.campaign.pool import Pool
    from tmt.campaign.runs import ReplayRun, Run
    from tmt.results.tune.courses import Courses
    from tmt.results.tune.race import Cell, Outcome
    from tmt.results.tune.task import Task
    from tmt.spec.path import Path
    from tmt.spec.scenario import Scenario
    from tmt.spec.trace import Trace

WINNER = "winner.toml"
"""The scenario that repeats the winner on all courses, in the folder of the search."""


@dataclass(frozen=True, slots=True)
class Tuning(Charted, ShownInNotebooks):
    """A finished search with everything that its page shows.

    `failures` are candidate, course and message of each failed run. `cut_transfers` counts the transfers that
    did not finish within their run. Without a winner there is no `winner_file`.
    """

    task: Task
    courses: Courses
    search: Search
    recommendation: Recommendation
    failures: list[tuple[str, int, str]]
    cut_transfers: int
    winner_file: File | None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per candidate: name, fate, settings, and the mean of each objective with bounds."""
        import pandas as pd  # noqa: PLC0415  (slow to import, and commands need no frame)

        rows = []
        for one in self.recommendation.standings:
            row = {"candidate": one.name, "fate": one.fate, **one.settings}
            for aim in self.task.goal.objectives:
                mean = one.values[aim.text]  # noqa: PD011  (no data frame)
                row |= {aim.text: mean.mean, f"{aim.text} low": mean.low, f"{aim.text} high": mean.high}
            rows.append(row)
        return pd.DataFrame(rows)


@dataclass(frozen=True, slots=True)
class PlannedTuning:
    """A prepared search: its task and the available courses.

    `bounded` says whether models may rule candidates out.
    """

    task: Task
    courses: Courses
    bounded: bool = True


def default_folder(trace: str | PathLike[str]) -> File:
    """Return the default folder of a search over a trace or a scenario."""
    return File("out", f"{File(trace).name.partition('.')[0]}-tune")


def plan_tuning(task: Task) -> PlannedTuning:
    """Choose the courses of a search (InputError when the trace cannot be used).

    A trace may have room for fewer than are wanted.
    """
    courses = choose_courses(task)
    return PlannedTuning(replace(task, rules=replace(task.rules, most=courses.n_search)), courses)


def tune(
    planned: PlannedTuning,
    folder: File,
    new_pool: NewPool,
    jobs: int,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """Search, keep every run in `folder`, and write the scenario that repeats the winner.

    UsageError when the space is large and Optuna is not installed, OutputError when the folder cannot be
    written, SimulatorError when the simulator is not built.
    """
    task, courses = planned.task, planned.courses
    with (
        closing(Store(folder)) as store,
        closing(Simulation(task, courses, store, new_pool, watch, jobs)) as simulation,
    ):
        task.asked.write(store.folder / SCENARIO)
        found = search(
            task.candidates,
            task.goal,
            task.rules,
            task.most_simulated,
            courses.n_held_out,
            simulation,
            goodput_bounds(task, courses) if planned.bounded else None,
            tell,
        )
    winner_file = None
    if found.winner is not None:
        winner_file = folder / WINNER
        _winner_scenario(task, courses, found.winner).write(winner_file)
    failures = [
        (task.candidates[one].name, courses.seeds[course], message)
        for (one, course), message in simulation.failures.items()
    ]
    return Tuning(
        task, courses, found, recommend(found), failures, len(simulation.cut_transfers), winner_file
    )


def _winner_scenario(task: Task, courses: Courses, winner: int) -> Scenario:
    """Return the scenario that repeats the winner on all courses."""
    candidate = task.candidates[winner]
    return replace(
        task.scenario,
        title=f"{task.scenario.title}: {candidate.name}",
        description=f"The winner of a search; the last {courses.n_held_out} seeds were held out.",
        seeds=courses.seeds,
        trace=(candidate.trace,),
        scheme=(candidate.scheme,),
        path=(candidate.path,),
        tune=None,
    )


NewPool = Callable[[Sequence["Run"]], "Pool"]


class Simulation:
    """Gives the outcome of each candidate on each course; `close` ends its workers.

    `failures` holds the message of each cell whose run failed. `cut_transfers` counts transfers that were not
    finished when their run ended; they take the run's duration.
    """

    def __init__(
        self, task: Task, courses: Courses, store: Store, new_pool: NewPool, watch: Watch, jobs: int
    ) -> None:
        self._task, self._courses, self._store = task, courses, store
        self._new_pool, self._watch, self._jobs = new_pool, watch, jobs
        self._pool: Pool | None = None
        self.failures: dict[Cell, str] = {}
        self.cut_transfers: set[Cell] = set()

    def __call__(self, wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        """Return the outcomes; runs that the store holds are not repeated.

        OutputError when there is no room for results; earlier rows are kept.
        """
        outcomes: dict[Cell, Outcome] = {cell: {} for cell in wanted}
        if self._task.goal.needs_runs:
            for cell, outcome in self._runs(wanted).items():
                outcomes[cell] |= outcome
        if any(measure.name == EFFICIENCY for measure in self._task.goal.measures):
            with ThreadPoolExecutor(self._jobs) as threads:
                for cell, value in zip(wanted, threads.map(self._efficiency, wanted), strict=True):
                    outcomes[cell][EFFICIENCY] = value
        return outcomes

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()

    def _runs(self, wanted: Sequence[Cell]) -> dict[Cell, Outcome]:
        runs = self._planned(wanted)
        todo = plan(list(runs.values()), self._store)
        if todo.missing:
            if self._pool is None:
                self._pool = self._new_pool(todo.missing)
            execute(todo.missing, self._store, self._pool, self._watch)
        return self._read({run.key: cell for cell, run in runs.items()})

    def _planned(self, wanted: Sequence[Cell]) -> dict[Cell, ReplayRun]:
        """Return the run of each cell."""
        groups: dict[tuple[int, Trace, Path], list[int]] = defaultdict(list)
        for number, course in wanted:
            candidate = self._task.candidates[number]
            groups[course, candidate.trace, candidate.path].append(number)
        found: dict[Cell, ReplayRun] = {}
        scenario = self._task.scenario
        for (course, trace, path), members in groups.items():
            schemes = tuple(self._task.candidates[one].scheme for one in members)
            seeds = (self._courses.seeds[course],)
            runs = expand(replace(scenario, seeds=seeds, trace=(trace,), scheme=schemes, path=(path,)))
            found |= {(one, course): run for one, run in zip(members, runs, strict=True)}
        return found

    def _read(self, cells: dict[str, Cell]) -> dict[Cell, Outcome]:
        """Return the outcomes of finished runs; NaN for failed ones."""
        measures = [measure for measure in self._task.goal.measures if measure.column]
        columns = ", ".join(measure.column for measure in measures)
        found: dict[Cell, Outcome] = {}
        for key, status, message, *values in self._store.query(
            f"SELECT key, status, message, {columns} FROM runs"
        ):
            if key not in cells:
                continue
            cell = cells[key]
            if status != DONE:
                self.failures[cell] = str(message)
            found[cell] = {
                measure.name: self._value(cell, measure.name, value, is_done=status == DONE)
                for measure, value in zip(measures, values, strict=True)
            }
        return found

    def _value(self, cell: Cell, name: str, value: float | None, *, is_done: bool) -> float:
        if not is_done:
            return math.nan
        if value is None and name == TRANSFER_TIME:
            self.cut_transfers.add(cell)
            return float(self._task.traffic.duration)
        return math.nan if value is None else float(value)

    def _efficiency(self, cell: Cell) -> float:
        """Return the throughput efficiency of a candidate's scheme on the slots of a course."""
        candidate = self._task.candidates[cell[0]]
        slots = self._courses.slots(cell[1])
        if slots is None:
            return math.nan
        converter = candidate.scheme.converter(candidate.path.rtt).knowing(slots.metadata)
        converter.feed(slots)
        converter.finish()
        return float(converter.counts.efficiency)
