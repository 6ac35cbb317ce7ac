"""A search of a scenario in a folder, and the exhaustive search of the same space."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tmt.campaign.local_workers import LocalWorkers, default_jobs
from tmt.campaign.pool import Pool
from tmt.results.statistics import rank
from tmt.results.tune.race import Rules
from tmt.results.tune.task import task_of
from tmt.results.tune.tuning import plan_tuning, tune

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.results.tune.tuning import Tuning
    from tmt.spec.scenario import Scenario


def search(scenario: Scenario, folder: Path) -> Tuning:
    """Search the space of a scenario; finished runs in `folder` are not done again."""
    planned = plan_tuning(task_of(scenario))
    jobs = default_jobs()
    return tune(planned, folder, lambda _: Pool(LocalWorkers(jobs)), jobs)


def exhaustive(scenario: Scenario, folder: Path) -> tuple[list[str], int]:
    """Return the candidates that are best or not significantly worse on all courses, and the cost.

    A race whose first look has all courses and that eliminates nobody is an exhaustive search.
    """
    task = task_of(scenario)
    most = task.rules.most
    every = replace(task, rules=Rules(most, most, task.rules.level, task.rules.tolerance))
    planned = plan_tuning(every)
    jobs = default_jobs()
    found = tune(replace(planned, bounded=False), folder, lambda _: Pool(LocalWorkers(jobs)), jobs)
    scores = found.search.race.evidence.scores()
    best = [place.column for place in rank(np.asarray(scores).T) if place.among_best]
    return [task.candidates[number].name for number in best], scores.size
