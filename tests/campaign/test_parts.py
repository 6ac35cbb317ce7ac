"""Parts of a campaign: fixed shares of its runs, done apart and at once, whose join equals the whole."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from in_process import tmt
from processes import TMT, execute
from result_rows import results_of

from tmt.campaign.campaign import planned
from tmt.campaign.parts import Part
from tmt.spec import toml

ROOT = Path(__file__).resolve().parents[2]


def _counts(folder: Path, *words: str) -> list[int]:
    said = json.loads(tmt("run", "scenario.toml", "--dry-run", "--json", *words, folder=folder).out)
    return [said[name] for name in ("runs", "done", "failed", "to_run")]


@pytest.mark.ns2
def test_shares__are_disjoint_equal_and_keep_link_traces_together(
    tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    """Two schemes and seven seeds of one variant are 14 runs, 7 over each of the two link traces."""
    _, runs = planned(toml.read(write_scenario(tmp_path / "scenario.toml", tcp='["cubic"]', seeds=7)))
    shares = [Part(number, 4).share(runs) for number in range(1, 5)]
    assert sorted(map(len, shares)) == [3, 3, 4, 4]
    assert sorted(run.key for share in shares for run in share) == sorted(run.key for run in runs)
    assert [len({run.recipe.identity for run in share}) for share in shares] == [1, 1, 1, 1]
    assert Part(1, 1).share(runs) == runs
    assert [len(Part(number, 20).share(runs)) for number in range(1, 21)].count(1) == 14


@pytest.mark.ns2
def test_parts__at_once_and_joined_are_the_whole(tmp_path: Path, write_scenario: Callable[..., Path]) -> None:
    write_scenario(tmp_path / "scenario.toml", tcp='["cubic", "hybla"]', seeds=2, grid="records = [2]")
    assert _counts(tmp_path, "--part", "2/3") == [3, 0, 0, 3]
    words = ("run", "scenario.toml", "--jobs", "1", "--part")
    with subprocess.Popen([TMT, *words, "1/3"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as first:
        here = tmt(*words, "2/3", folder=tmp_path)
        there, _ = first.communicate()
    assert (first.returncode, here.status) == (0, 0)
    for number, said in enumerate((there, here.out), 1):
        end = f" runs done, 0 failed; results in out/scenario/parts/{number}-of-3"
        assert said.splitlines()[-1].endswith(end)
    assert _counts(tmp_path, "--part", "2/3") == [3, 3, 0, 0]
    assert _counts(tmp_path) == [8, 5, 0, 3]  # parts of 2, 3 and 3 runs
    assert "(going by 5 finished runs)" in tmt("run", "scenario.toml", "--dry-run", folder=tmp_path).out
    again = tmt("run", "scenario.toml", "--part", "1/3", "--json", folder=tmp_path)
    assert (again.status, json.loads(again.out)["done"]) == (0, 2)

    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    script = re.search(r"^```sh array.sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    task = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "1"}
    path = {"PATH": f"{TMT.parent}{os.pathsep}{os.environ['PATH']}"}
    third = execute("sh", "-euc", script[1], cwd=tmp_path, env=os.environ | task | path)
    assert (third.returncode, third.stderr) == (0, "")
    assert "part 3 of 3: 3 of 3 runs done, 0 failed" in third.stdout
    joined = tmt("run", "scenario.toml", folder=tmp_path)
    assert joined.status == 0
    assert joined.err == "note: 8 results of parts joined\n"
    assert "8 runs done, 0 failed, 0 open" in joined.out
    assert tmt("run", "scenario.toml", "--quiet", folder=tmp_path) == (0, "", "")

    assert tmt("run", "scenario.toml", "--output", "whole", "--quiet", folder=tmp_path).status == 0
    assert results_of(tmp_path / "out" / "scenario").equals(results_of(tmp_path / "whole"))
    rows = pd.read_parquet(tmp_path / "out" / "scenario" / "results.parquet")
    kept = rows.loc[rows["seed"] == 2, "records"]
    assert all((tmp_path / "out" / "scenario" / name / "packets.parquet").is_file() for name in kept)
    assert rows.loc[rows["seed"] == 1, "records"].isna().all()


@pytest.mark.parametrize("given", ["0/3", "4/3", "3", "1/0", "a/b", "1/99999", "-1/3"])
def test_part__that_is_none_is_refused_in_one_line(given: str, tmp_path: Path) -> None:
    refused = tmt("run", "scenario.toml", "--part", given, folder=tmp_path)
    allowed = "it must be NUMBER/PARTS, such as 3/50: 1 <= NUMBER <= PARTS <= 10000"
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert f"{given} is not allowed; {allowed}" in refused.err
