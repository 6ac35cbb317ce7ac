"""Scenarios of this repository: their missing runs, and their rows."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.campaign import open_campaign
from tmt.campaign.columns import DONE
from tmt.campaign.engine import default_jobs
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool

if TYPE_CHECKING:
    import pandas as pd

    from tmt.campaign.campaign import OpenCampaign
    from tmt.campaign.engine import Progress, Watch

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"

SAY_EVERY_S = 15.0
"""How often progress is reported where the output is no terminal."""


def execute_missing(campaign: OpenCampaign, name: str, *, retry_failed: bool = False) -> None:
    """Execute the missing runs of a campaign on all processors, and report progress."""
    todo = campaign.plan(retry_failed=retry_failed)
    if todo.missing:
        print(f"{name}: {len(todo.missing)} of {len(todo.runs)} runs to do", flush=True)
    try:
        campaign.execute(todo, lambda _: Pool(LocalWorkers(default_jobs())), _teller(name))
    except KeyboardInterrupt:
        print("\ninterrupted: the same command goes on from here", flush=True)
        sys.exit(130)


def run(scenario: Path, folder: Path, *, execute: bool = True) -> pd.DataFrame:
    """Execute the runs of a scenario that `folder` does not hold; return the rows of all that are done."""
    with open_campaign(scenario, folder) as campaign:
        if execute:
            execute_missing(campaign, scenario.stem)
        rows = campaign.rows()
    done = rows[rows["status"] == DONE]
    if len(done) < len(rows):
        print(f"{scenario.stem}: {len(rows) - len(done)} runs FAILED; {folder} says why", flush=True)
    return done.assign(es_n0_db=[json.loads(text).get("es_n0_db") for text in done["trace_parameters"]])


def _teller(name: str) -> Watch:
    """Return a reporter of progress: it rewrites one line in a terminal, and prints some lines elsewhere."""
    begun = said = time.monotonic()
    ended_before = 0
    terminal = sys.stdout.isatty()

    def watch(progress: Progress) -> None:
        nonlocal begun, ended_before, said
        now = time.monotonic()
        if progress.converted < progress.conversions:  # the time left goes by simulations alone
            begun, ended_before = now, progress.ended
        finished = progress.ended == progress.total
        if not finished and now - said < (0.5 if terminal else SAY_EVERY_S):
            return
        said = now
        ended = progress.ended - ended_before
        left_s = (now - begun) * (progress.total - progress.ended) / max(ended, 1)
        left = f", {left_s / 60:.0f} min left" if ended and not finished else ""
        text = (
            f"{name}: {progress.converted} of {progress.conversions} link traces, "
            f"{progress.ended} of {progress.total} runs{left}"
        )
        print(
            f"\r{text:<100}" if terminal else text, end="\n" if finished or not terminal else "", flush=True
        )

    return watch
