"""Runs of this repository's scenarios and of the papers' own ns-2 scripts: the missing ones, their rows."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd

from tmt.campaign.campaign import OpenCampaign, open_campaign, open_runs
from tmt.campaign.columns import DONE
from tmt.campaign.local_workers import LocalWorkers, default_jobs
from tmt.campaign.pool import Pool
from tmt.campaign.runs import plan_script_run
from tmt.cli.progress import run_progress
from tmt.core.errors import InputError
from tmt.results.statistics import Interval, t_interval
from tmt.run.ns2.script import ScriptExperiment, ScriptFigures, ScriptSettings
from tmt.spec.toml import read

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"


def execute_missing(campaign: OpenCampaign, name: str, *, retry_failed: bool = False) -> None:
    """Execute the missing runs of a campaign on all processors, and report progress."""
    todo = campaign.plan(retry_failed=retry_failed)
    if todo.missing:
        print(f"{name}: {len(todo.missing)} of {len(todo.runs)} runs to do", flush=True)
    try:
        with run_progress(name) as (watch, _):
            campaign.execute(todo, lambda _: Pool(LocalWorkers(default_jobs())), watch)
    except KeyboardInterrupt:
        print("\ninterrupted: the same command goes on from here", flush=True)
        sys.exit(130)


def run_named(name: str, folder: Path) -> pd.DataFrame:
    """Execute the missing runs of a scenario of `scenarios/`, kept in `folder`; see `run`."""
    return run(SCENARIOS / f"{name}.toml", folder / "campaigns" / name)


def run(scenario: Path, folder: Path, *, execute: bool = True) -> pd.DataFrame:
    """Execute the runs of a scenario that `folder` does not hold; return the rows of all that are done."""
    with open_campaign(read(scenario), folder) as campaign:
        if execute:
            execute_missing(campaign, scenario.stem)
        rows = campaign.rows()
    done = rows[rows["status"] == DONE]
    if len(done) < len(rows):
        print(f"{scenario.stem}: {len(rows) - len(done)} runs FAILED; {folder} says why", flush=True)
    return done.assign(es_n0_db=[json.loads(text).get("es_n0_db") for text in done["trace_parameters"]])


@dataclass(frozen=True, slots=True)
class PointRuns:
    """The figures of one point's runs, in the order of their seeds."""

    figures: tuple[ScriptFigures, ...]

    def values(self, measure: str | Callable[[ScriptFigures], float]) -> list[float]:
        """Return a figure by its name, or a measure of the figures, of each run."""
        take = (lambda figures: figures[measure]) if isinstance(measure, str) else measure
        return [take(figures) for figures in self.figures]

    def interval(self, measure: str | Callable[[ScriptFigures], float]) -> Interval:
        """Return the mean of a measure over the seeds, with its 95 % interval."""
        return t_interval(self.values(measure))

    def mean(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the mean of a measure over the seeds."""
        return self.interval(measure).mean

    def standard_deviation(self, measure: str | Callable[[ScriptFigures], float]) -> float:
        """Return the standard deviation of a measure over the seeds; 0 for one seed."""
        values = self.values(measure)
        return statistics.stdev(values) if len(values) > 1 else 0.0


def read_figures(folder: Path, rows: pd.DataFrame) -> list[ScriptFigures]:
    """Return the figures of each row of a campaign of scripts; InputError when a run has failed."""
    for _, row in rows[rows["status"] != DONE].iterrows():
        run = f"{row['script']} {row['script_settings']}, seed {row['seed']}"
        said = ": ".join(str(row["message"]).splitlines())
        raise InputError(folder, f"{run}: {row['status']}: {said}")
    return [json.loads(text) for text in rows["script_figures"]]


def by_point(figures: Sequence[ScriptFigures], seeds: int) -> list[PointRuns]:
    """Return the runs of each point, whose seeds follow each other."""
    return [PointRuns(tuple(figures[i : i + seeds])) for i in range(0, len(figures), seeds)]


class ScriptPoint(Protocol):
    """A configuration that is run with several seeds; equal ones are one."""

    def settings(self, seed: int) -> ScriptSettings:
        """Return the script's settings."""


P = TypeVar("P", bound=ScriptPoint)


def figures_of(script: Path, wanted: Iterable[ScriptSettings], folder: Path) -> list[ScriptFigures]:
    """Return the figures of the script with each of `wanted`, in that order; do the runs that are missing.

    InputError when a run fails, or `folder` holds other things than a campaign.
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
