"""`python tools/same_results.py OUT [--like BEFORE] [--each N]`: does a change leave all results as they are?

For a change that makes every page stale and is to alter no result, such as a faster queue:

  cd OLD && .venv/bin/python NEW/tools/same_results.py /tmp/before.json
  cd NEW && .venv/bin/python tools/same_results.py /tmp/after.json --like /tmp/before.json

OLD and NEW are checkouts with their programs built. Of each scenario in the current one, N combinations (12)
are carried out with one seed each; the hash of their names chooses them. OUT keeps the rows and hashes of the
packet records. With --like, each run must equal that of BEFORE in all but time and provenance; the exit
status is 1 when one differs. Runs in real time cannot be compared and are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from numbers import Real
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from tmt import Scenario
from tmt.campaign.campaign import open_campaign
from tmt.campaign.columns import COLUMNS
from tmt.campaign.local_workers import LocalWorkers, default_jobs
from tmt.campaign.pool import Pool
from tmt.campaign.runs import Run

FOLDERS = ("scenarios", "analysis")
REAL_TIME = "emulate"
TRAFFIC = re.compile(r"^\[\[?(traffic|program)", re.MULTILINE)
APART = {
    *("wall_time_s", "forward_trace", "return_trace"),
    *(one.name for one in COLUMNS if one.group == "provenance" and one.name != "status"),
}
"""Columns in which equal results may differ; link traces are named by what makes them."""

Found = dict[str, dict[str, str]]
"""For each run the values of its columns and hashes of its records, by their names."""


def name(run: Run) -> str:
    """Return the run's place in the grid, without its seed."""
    given = {column: value for column, value in run.columns().items() if value is not None}
    return json.dumps(given | {"seed": None}, sort_keys=True)


def sample(runs: list[Run], each: int) -> list[Run]:
    """Return one run of each of `each` combinations, which their hash chooses."""
    combinations = {name(run): run for run in reversed(runs) if run.columns()["backend"] != REAL_TIME}
    chosen = sorted(combinations, key=lambda one: hashlib.sha256(one.encode()).hexdigest())[:each]
    return [combinations[one] for one in chosen]


def results(scenario: Path, each: int, folder: Path) -> Found:
    """Carry out a scenario's sample in `folder`; return what it gives."""
    asked = Scenario.read(scenario)
    asked = replace(asked, records=asked.each_seed)
    with open_campaign(asked, folder) as campaign:
        todo = campaign.plan()
        chosen = sample(list(todo.runs), each)
        campaign.execute(
            replace(todo, missing=chosen), lambda _: Pool(LocalWorkers(default_jobs())), lambda _: None
        )
        rows = campaign.rows().set_index("key")
    return {f"{name(run)}, seed {run.seed}": dict(values(rows.loc[run.key], folder)) for run in chosen}


def values(row: pd.Series, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the compared values of a row, and hashes of its records without the files' metadata."""
    for column, value in row.items():
        if column not in APART:
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            yield str(column), repr(float(value)) if is_number else str(value)
    for file in sorted((folder / row["records"]).glob("*.parquet")):
        yield file.name, hashlib.sha256(pq.read_table(file).to_pandas().to_numpy().tobytes()).hexdigest()


def scenarios() -> list[str]:
    """Return the scenario files of the current checkout."""
    files = (path for folder in FOLDERS for path in sorted(Path(folder).rglob("*.toml")))
    return [str(path) for path in files if TRAFFIC.search(path.read_text(encoding="utf-8"))]


def carry_out(each: int) -> Iterator[tuple[str, Found]]:
    """Yield what the sample of each scenario gives."""
    for scenario in scenarios():
        folder = Path(tempfile.mkdtemp(prefix="same-results-"))
        try:
            found = results(Path(scenario), each, folder / "campaign")
        finally:
            shutil.rmtree(folder)
        print(f"{scenario}: {len(found)} runs", flush=True)
        yield scenario, found


def differences(before: dict[str, Found], after: dict[str, Found]) -> Iterator[str]:
    """Yield a line for each run that differs; columns that only `after` has are new, and are not compared."""
    for scenario, runs in before.items():
        for run, old in runs.items():
            new = after.get(scenario, {}).get(run)
            if new is None:
                yield f"{scenario}: {run}: is not there any more"
            elif differing := [key for key in old if old[key] != new.get(key)]:
                said = (f"{key} {old[key][:80]} now {new.get(key, '')[:80]}" for key in differing[:3])
                yield f"{scenario}: {run}: {', '.join(said)}"


def main() -> int:
    """Carry out the samples, and compare them; return the exit status."""
    parser = argparse.ArgumentParser(prog="tools/same_results.py", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="file for the results")
    parser.add_argument(
        "--like", type=Path, metavar="BEFORE", help="results of the checkout without the change"
    )
    parser.add_argument(
        "--each", type=int, default=12, metavar="N", help="combinations of each scenario (12)"
    )
    asked = parser.parse_args()
    after = dict(carry_out(asked.each))
    asked.out.write_text(json.dumps(after), encoding="utf-8")
    if asked.like is None:
        return 0
    before = json.loads(asked.like.read_text(encoding="utf-8"))
    lines = list(differences(before, after))
    print("\n".join([*lines, f"{len(lines)} of {sum(map(len, before.values()))} runs differ"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
