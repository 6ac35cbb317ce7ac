"""How much of the processors a campaign uses, what a run costs its engine, how fast a large store is read."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

import pandas as pd

from benchmarks.timing import marked, paired_medians
from tmt.api.runs import compare_results, read_results
from tmt.campaign.campaign import open_campaign
from tmt.campaign.database import DATABASE
from tmt.campaign.engine import Progress
from tmt.campaign.local_workers import LocalWorkers
from tmt.campaign.pool import Pool
from tmt.core.channels.memoryless import ErrorFree
from tmt.core.generate import Line
from tmt.io.generation import generate
from tmt.spec.toml import read

JOBS = 2
LONG_RUNS, LONG_S = 8, 8000
"""Runs of about a second each."""
REPEATS = 3
"""Campaigns of long runs with one worker and with two, in turn."""
SHORT_RUNS, SHORT_S = 150, 0.5
"""Runs that end at once: the remaining time is the engine's."""
STORED_RUNS = 100_000
STORED_SEEDS = STORED_RUNS // (4 * 2 * 25)
OPEN_TARGET = READ_TARGET = 1.5
MOST_ROWS = 1000
"""Rows that are stored at a time."""

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

_LARGE = f"""
seeds = {STORED_SEEDS}
[[trace]]
file = "phy.parquet"
[[scheme]]
name = "none"
[[scheme]]
name = "arq"
[path]
rtt = 0.5
queue_packets = [{", ".join(str(10 * n) for n in range(1, 26))}]
[[traffic]]
tcp = ["newreno", "cubic", "bbr", "hybla"]
duration = 10
"""


def campaign_figures() -> dict[str, object]:
    """Run real campaigns of short and of long simulations; return the figures of the page.

    `run_s` is the mean time that the simulator took for one of the long runs, two at a time; `efficiency` the
    throughput of two workers / twice that of one, on the long runs; `overhead_ms` the processor time per
    short run beyond the simulator's own.
    """
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
        efficiency = median(s for s, _ in alone) / (JOBS * median(s for s, _ in together))
        overhead_s = (JOBS * short_s - simulator_s) / SHORT_RUNS
        return {
            "run_s": median(simulated_s for _, simulated_s in together) / LONG_RUNS,
            "efficiency": marked(f"{efficiency:.2f}", efficiency >= 0.9),
            "overhead_ms": marked(f"{1000 * overhead_s:.1f} ms", overhead_s <= 0.03),
        } | _large_store(folder)


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


def _large_store(folder: Path) -> dict[str, object]:
    """Store results of 100,000 runs: those of a short one, with other goodputs; open and read them.

    `table_s` is the time in which pandas reads the table of these runs from the SQLite file. Beside it stand
    the times in which their scenario is expanded, opened and planned, and in which their results are read and
    compared with themselves, run by run.
    """
    scenario, out = folder / "large.toml", folder / "large"
    scenario.write_text(_LARGE)
    with open_campaign(read(folder / "short.toml"), folder / "short") as short:
        measured = short.rows().iloc[0].dropna().to_dict()
    chance = random.Random(1)
    with open_campaign(read(scenario), out) as campaign:
        rows = (
            measured
            | run.columns()
            | {"key": run.key, "experiment": run.experiment, "seed": run.seed}
            | {"goodput_bps": measured["goodput_bps"] * chance.uniform(0.9, 1.1)}
            for run in campaign.runs
        )
        while some := list(islice(rows, MOST_ROWS)):
            campaign.store.append(*some)
    started_at = thread_time()
    with open_campaign(read(scenario), out) as campaign:
        assert not campaign.plan().missing
        open_s = thread_time() - started_at

    def read_table() -> None:
        with closing(sqlite3.connect(out / DATABASE)) as connection:
            assert len(pd.read_sql_query("SELECT * FROM runs", connection)) == STORED_RUNS

    def read_and_compare() -> None:
        results = read_results(out)
        assert len(compare_results(results, results).pairs.first) == STORED_RUNS

    table_s, read_s = paired_medians(read_table, read_and_compare, REPEATS, thread_time)
    return {
        "stored_runs": STORED_RUNS,
        "table_s": table_s,
        "open_ratio": marked(f"{open_s / table_s:.2f}", open_s <= OPEN_TARGET * table_s),
        "open_target": OPEN_TARGET,
        "read_ratio": marked(f"{read_s / table_s:.2f}", read_s <= READ_TARGET * table_s),
        "read_target": READ_TARGET,
    }
