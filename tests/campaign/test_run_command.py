"""`tmt run`: output for people and for scripts, and exit statuses."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from in_process import tmt
from processes import TMT, execute, on_terminal

from tmt.core.provenance import file_sha256

pytestmark = pytest.mark.ns2


def _without_dask(folder: Path) -> dict[str, str]:
    """Return an environment where a module in place of `distributed` fails as one that is not installed."""
    place = folder / "modules" / "distributed.py"
    place.parent.mkdir(exist_ok=True)
    place.write_text("raise ModuleNotFoundError(\"No module named 'distributed'\", name='distributed')\n")
    return os.environ | {"PYTHONPATH": str(place.parent)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, write_scenario: Callable[..., Path]) -> Path:
    """A folder with a scenario that has been run."""
    folder = tmp_path_factory.mktemp("command")
    write_scenario(folder / "short.toml", tcp='["cubic", "hybla"]', seeds=3, grid="records = [2]")
    (folder / "tmt.py").write_text("")  # a script of the user's, which is not our package
    result = execute(TMT, "run", "short.toml", cwd=folder, env=_without_dask(folder))
    assert (result.returncode, result.stderr) == (0, "")
    (folder / "stdout.txt").write_text(result.stdout)
    return folder


def test_run__ends_in_a_table_that_says_what_it_counts_and_where_things_lie(folder: Path) -> None:
    said = (folder / "stdout.txt").read_text()
    for words in ("Hybla", "CUBIC", "none", "ARQ", "kbit/s", "TCP payload", "95 %", "over 3 seeds", "±", "*"):
        assert words in said
    assert "12 runs done, 0 failed, 0 open" in said
    for name in ("results.parquet", "comparison.png", "comparison.svg"):
        assert f"out/short/{name}" in said
        assert (folder / "out" / "short" / name).is_file()
    assert max(map(len, said.splitlines())) <= 80


def test_run__keeps_records_of_the_seeds_that_ask_for_them(folder: Path) -> None:
    kept = list((folder / "out" / "short" / "records").iterdir())
    assert len(kept) == 4
    for run in kept:
        assert {"packets.parquet", "windows.parquet", "result.json"} <= {path.name for path in run.iterdir()}
        assert json.loads((run / "result.json").read_text())["seed"] == 2


def test_run__says_what_a_link_could_carry_even_when_nothing_has_arrived(
    tmp_path: Path, write_scenario: Callable[..., Path], phy: Path
) -> None:
    write_scenario(tmp_path / "brief.toml", tcp='["cubic"]', seeds=1, duration_s=0.05)
    done = tmt("run", "brief.toml", folder=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert "*" not in done.out  # the only variant is no best one
    rows = pd.read_parquet(tmp_path / "out" / "brief" / "results.parquet").set_index("scheme")
    assert (rows["goodput_bytes"] == 0).all()
    slots = pd.read_parquet(phy)
    # An LLDU holds a packet of 1500 bytes, of which TCP's and IP's headers take 52.
    # The trace lasts until the end of its last slot: 1500 bytes at 2 Mbit/s take 6 ms.
    expected = 8 * 1448 * (slots["decode_time_ns"] > 0).sum() / (0.006 * len(slots))
    assert rows["capacity_bps"]["none"] == pytest.approx(expected, rel=1e-9)
    assert rows["capacity_bps"]["ARQ"] == pytest.approx(expected, rel=1e-2)


def test_run__says_which_seeds_gave_the_same_and_that_capacity_is_a_mean(
    tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    """From one start CUBIC sends the same with every seed, BBR draws its cycle."""
    file = write_scenario(tmp_path / "same.toml", tcp='["cubic", "bbr"]', seeds=2, duration_s=20)
    file.write_text(file.read_text().replace("trace = { ", "trace = { offset = 0, "))
    ended = tmt("run", "same.toml", folder=tmp_path)
    assert "Capacity: mean rate of full packets back to back over the whole trace" in " ".join(
        ended.out.split()
    )
    assert re.search(r"\b[23] of 4 cells have the same results with every seed", ended.err)


def test_run__shows_the_table_as_it_fills(tmp_path: Path, write_scenario: Callable[..., Path]) -> None:
    write_scenario(tmp_path / "short.toml", tcp='["cubic"]', seeds=2)
    text = on_terminal(
        "run", "short.toml", "--jobs", "1", "--plot", "a.json", folder=tmp_path, size=(40, 100)
    )
    live, ended = text.split("Goodput in kbit/s of in-order TCP payload")
    # The first table has single runs; the last one, after the runs, their interval.
    assert "Goodput in kbit/s, mean and 95 % interval so far" in live
    assert live.index("CUBIC") < live.index("so far")
    assert "over 2 seeds" in ended


def test_dry_run__says_what_would_run_and_runs_nothing(folder: Path) -> None:
    new = json.loads(tmt("run", "short.toml", "--output", "new", "--dry-run", "--json", folder=folder).out)
    assert (new["runs"], new["done"], new["to_run"], new["to_convert"]) == (12, 0, 12, 2)
    # 12 runs of 3 s at 2000 simulated seconds a second, and 0.1 s for each of 14 runs and link traces.
    assert new["seconds"] == pytest.approx((36 / 2000 + 1.4) / new["jobs"], abs=0.05)
    assert not (folder / "new").exists()
    old = json.loads(tmt("run", "short.toml", "--dry-run", "--json", folder=folder).out)
    assert (old["done"], old["to_run"], old["to_convert"], old["seconds"]) == (12, 0, 0, 0)
    said = tmt("run", "short.toml", "--dry-run", folder=folder).out
    assert "12 runs: 12 done, 0 failed, 0 to execute" in said


def test_run__draws_into_the_files_that_are_named(folder: Path) -> None:
    result = tmt("run", "short.toml", "--quiet", "--plot", "a.pdf", "--plot", "b.png", folder=folder)
    assert result == (0, "", "")
    assert (folder / "a.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "b.png").read_bytes().startswith(b"\x89PNG")


def test_run__gives_its_summary_to_programs(folder: Path) -> None:
    summary = json.loads(tmt("run", "short.toml", "--json", folder=folder).out)
    assert (summary["runs"], summary["done"], summary["failed"]) == (12, 12, 0)
    assert [group["scheme"] for group in summary["groups"]] == ["none", "ARQ"]
    for group in summary["groups"]:
        for cell in group["cells"]:
            interval = cell["goodput_kbps"]
            assert interval["low"] <= interval["mean"] <= interval["high"]
            # No more payload than the line of 2 Mbit/s carries.
            assert 0 < interval["mean"] <= group["capacity_kbps"] * 1.2 <= 2400


def test_run__warns_of_results_of_another_simulator(folder: Path, tmp_path: Path, simulator: Path) -> None:
    import shutil

    shutil.copytree(folder / "out" / "short", tmp_path / "out" / "short")
    shutil.copy(folder / "short.toml", tmp_path)
    build = tmp_path / "build"
    build.mkdir()
    (build / "ns").symlink_to(simulator)
    (build / "stamp").write_text(f"another {file_sha256(simulator)}\n")
    result = execute(
        str(TMT),
        "run",
        "short.toml",
        "--quiet",
        "--dry-run",
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "CLIFT_NS": str(build / "ns")},
        check=True,
    )
    assert "12 results come from another build or other scripts of the simulator" in result.stderr
    assert "12 to execute" in result.stdout


def test_fectcp__beside_tcp(tmp_path: Path, write_scenario: Callable[..., Path], simulator: Path) -> None:
    del simulator
    path = write_scenario(tmp_path / "coded.toml", tcp='"cubic"', seeds=2)
    coded = '[[traffic]]\ntcp = "fectcp"\ncode = "5%"\nblock_segments = 50\nduration = 3\n'
    path.write_text(path.read_text() + coded)
    result = tmt("run", "coded.toml", folder=tmp_path)
    assert (result.status, result.err) == (0, "")
    assert "FECTCP" in result.out
    rows = pd.read_parquet(tmp_path / "out" / "coded" / "results.parquet")
    coded = rows[rows["tcp"] == "fectcp"]
    assert set(coded["code"]) == {"5%"}
    # 3 symbols for 50: 5 %, rounded up.
    assert coded["code_overhead"].tolist() == [pytest.approx(0.06)] * len(coded)
    assert (coded["goodput_bps"] > 0).all()
    assert rows[rows["tcp"] == "cubic"]["code_overhead"].isna().all()


def test_cluster__needs_dask_as_no_other_campaign_does(folder: Path) -> None:
    command = (TMT, "run", "short.toml", "--quiet", "--scheduler", "tcp://127.0.0.1:8786")
    away = execute(*command, cwd=folder, env=_without_dask(folder))
    line = '--scheduler: distributed is not installed: pip install "tmt-clift[cluster]"\n'
    assert (away.returncode, away.stderr) == (2, line)
