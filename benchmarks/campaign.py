"""How much of the processors a campaign uses, what its engine costs per run, how fast a large store opens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from tmt.campaign.campaign import open_campaign
from tmt.campaign.columns import DONE, blank_row
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.core.channels.error_free import ErrorFree
from tmt.core.generate import Line
from tmt.io.generation import generate
from tmt.spec.toml import read

if TYPE_CHECKING:
    from tmt.campaign.engine import Progress

JOBS = 2
LONG_RUNS, LONG_S = 8, 8000
"""Runs of about a second each."""
REPEATS = 3
"""Campaigns of long runs with one worker and with two, in turn."""
SHORT_RUNS, SHORT_S = 150, 0.5
"""Runs that end at once: the remaining time is the engine's."""
STORED_RUNS = 100_000

_SCENARIO = """
seeds = {seeds}
[[trace]]
file = "phy.parquet"
[[scheme]]
name = "none"
[path]
rtt = 0.5
[[traffic]]
tcp = "cubic"
duration = {duration}
"""


@dataclass(frozen=True, slots=True)
class CampaignSpeed:
    """The measurement.

    Attributes
    ----------
    run_s
        Mean time that the simulator took for one of the long runs, two at a time.
    efficiency
        Throughput of two workers / twice that of one, on the long runs.
    overhead_s
        Processor time per short run beyond the simulator's own.
    open_s
        Time in which a scenario of 100,000 runs, all in the store, is expanded, opened and compared.
    """

    run_s: float
    efficiency: float
    overhead_s: float
    open_s: float


def measure_campaign() -> CampaignSpeed:
    """Run real campaigns of short and of long simulations."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        line = Line.at_rate(2_000_000, 1500, 1_000_000)
        generate(folder / "phy.parquet", ErrorFree(), line, duration_ns=10**10, seed=1, lldu_bytes=1500)
        _execute(folder, "warm-up", JOBS, LONG_S, jobs=JOBS)
        alone, together = [], []
        for repeat in range(REPEATS):
            alone.append(_execute(folder, f"one-{repeat}", LONG_RUNS, LONG_S, jobs=1))
            together.append(_execute(folder, f"two-{repeat}", LONG_RUNS, LONG_S, jobs=JOBS))
        short_s, simulator_s = _execute(folder, "short", SHORT_RUNS, SHORT_S, jobs=JOBS)
        return CampaignSpeed(
            run_s=median(simulated_s for _, simulated_s in together) / LONG_RUNS,
            efficiency=median(s for s, _ in alone) / (JOBS * median(s for s, _ in together)),
            overhead_s=(JOBS * short_s - simulator_s) / SHORT_RUNS,
            open_s=_time_to_open(folder),
        )


def _execute(folder: Path, name: str, seeds: int, duration_s: float, jobs: int) -> tuple[float, float]:
    """Return the time from the first run's start to the end, and the simulator's time over all runs."""
    scenario = folder / f"{name}.toml"
    scenario.write_text(_SCENARIO.format(seeds=seeds, duration=duration_s))
    converted_at: list[float] = []

    def watch(progress: Progress) -> None:
        if progress.converted == progress.conversions and not converted_at:
            converted_at.append(perf_counter())

    with open_campaign(read(scenario), folder / name) as campaign:
        campaign.execute(campaign.plan(), lambda _: Pool(LocalWorkers(jobs)), watch)
        ended_at = perf_counter()
        return ended_at - converted_at[0], float(campaign.rows()["wall_time_s"].sum())


def _time_to_open(folder: Path) -> float:
    scenario, out = folder / "large.toml", folder / "large"
    scenario.write_text(_SCENARIO.format(seeds=STORED_RUNS, duration=10))
    with open_campaign(read(scenario), out) as campaign:
        rows = [blank_row() | {"key": run.key, "status": DONE, "attempt": 1} for run in campaign.runs]
        campaign.store.append(*rows)
    started_at = perf_counter()
    with open_campaign(read(scenario), out) as campaign:
        assert not campaign.plan().missing
        return perf_counter() - started_at


if __name__ == "__main__":
    print(measure_campaign(), f"on {os.cpu_count()} processors")
