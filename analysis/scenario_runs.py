"""Scenarios of this repository: their missing runs, and their rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd

from tmt.campaign.campaign import OpenCampaign, open_campaign
from tmt.campaign.columns import DONE
from tmt.campaign.local_workers import LocalWorkers, default_jobs
from tmt.campaign.pool import Pool
from tmt.cli.progress import run_progress
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
