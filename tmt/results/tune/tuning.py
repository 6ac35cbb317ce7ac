"""A whole search in a campaign's folder, from the task to the recommendation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tmt.campaign.database import SCENARIO
from tmt.campaign.store import Store
from tmt.core.words.html_table import Charted, ShownInNotebooks
from tmt.results.tune.bounds import goodput_bounds
from tmt.results.tune.courses import Courses, choose_courses
from tmt.results.tune.recommendation import Recommendation, recommend
from tmt.results.tune.search import Search, search
from tmt.results.tune.simulate import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from tmt.campaign.engine import Watch
    from tmt.results.tune.simulate import NewPool
    from tmt.results.tune.task import Task
    from tmt.spec.scenario import Scenario

WINNER = "winner.toml"
"""The scenario that repeats the winner on all courses, in the folder of the search."""


@dataclass(frozen=True, slots=True)
class Tuning(Charted, ShownInNotebooks):
    """A finished search with everything that a page tells about it.

    Attributes
    ----------
    failures
        Candidate, course and message of each failed run.
    cut_transfers
        Number of transfers that did not finish within the run.
    winner_file
        None without a winner.
    """

    task: Task
    courses: Courses
    search: Search
    recommendation: Recommendation
    failures: list[tuple[str, int, str]]
    cut_transfers: int
    winner_file: Path | None

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
    """A search that has not begun: its task with the courses that there are.

    `bounded` says whether models may rule candidates out.
    """

    task: Task
    courses: Courses
    bounded: bool = True


def default_folder(trace: Path) -> Path:
    """Return the folder of a search over a trace or a scenario where no other is named."""
    return trace.parent / "out" / f"{trace.name.partition('.')[0]}-tune"


def plan_tuning(task: Task) -> PlannedTuning:
    """Choose the courses of a search; a trace may have room for fewer than are wanted.

    Raises
    ------
    InputError
        When the trace cannot be used.
    """
    courses = choose_courses(task)
    return PlannedTuning(replace(task, rules=replace(task.rules, most=courses.n_search)), courses)


def tune(
    planned: PlannedTuning,
    folder: Path,
    new_pool: NewPool,
    jobs: int,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """Search, keep every run in `folder`, and write the scenario that repeats the winner.

    Raises
    ------
    UsageError
        When the space is large and Optuna is not installed.
    OutputError
        When the folder cannot be written.
    SimulatorError
        When the simulator is not built.
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
        scheme=(candidate.scheme,),
        path=(candidate.path,),
        tune=None,
    )
