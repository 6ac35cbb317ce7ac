"""Runs of a paper's own ns-2 script, done by the campaign engine, and their results by point."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from analysis.scenario_runs import execute_missing
from tmt.campaign.campaign import open_runs
from tmt.campaign.runs import plan_script_run
from tmt.results.selections import PointRuns, by_point, read_figures
from tmt.run.ns2.script import ScriptExperiment, ScriptFigures, ScriptSettings


class ScriptPoint(Protocol):
    """A configuration that is run with several seeds; equal ones are one."""

    def settings(self, seed: int) -> ScriptSettings:
        """Return the script's settings."""


P = TypeVar("P", bound=ScriptPoint)


def figures_of(script: Path, wanted: Iterable[ScriptSettings], folder: Path) -> list[ScriptFigures]:
    """Return the figures of the script with each of `wanted`, in that order; do the runs that are missing.

    Raises
    ------
    InputError
        When a run fails, or `folder` holds other things than a campaign.
    """
    experiments = [ScriptExperiment.of(script, settings) for settings in wanted]
    programs = experiments[0].programs()
    runs = [plan_script_run(experiment, programs) for experiment in experiments]
    unique = list({run.key: run for run in runs}.values())
    with open_runs(script.stem, unique, folder) as campaign:
        execute_missing(campaign, script.stem, retry_failed=True)
        rows = campaign.rows()
    found = dict(zip(rows["key"], read_figures(folder, rows), strict=True))
    return [found[run.key] for run in runs]


def over_seeds(script: Path, points: Iterable[P], seeds: int, folder: Path) -> dict[P, PointRuns]:
    """Return the results of each point with seeds 1 to `seeds`."""
    unique = list(dict.fromkeys(points))
    wanted = [point.settings(seed) for point in unique for seed in range(1, seeds + 1)]
    return dict(zip(unique, by_point(figures_of(script, wanted, folder), seeds), strict=True))
