"""The real command with the real simulator: a campaign with killed processes ends with the same results."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from in_process import Said, tmt
from machine import disk, preloaded
from processes import TMT
from result_rows import finished_runs, results_of
from waiting import until

pytestmark = pytest.mark.ns2

ROUNDS = 2
"""Times that two engines of a campaign are killed."""

KILLS = int(os.environ.get("TMT_SOAK_KILLS", ROUNDS))

STOPPED_S = float(os.environ.get("TMT_SOAK_STOPPED_S", "1"))


def _command(scenario: Path, out: Path, *options: str) -> list[str]:
    """Return a command whose figure is a file that no further process has to draw."""
    words = ["--output", str(out), "--plot", f"{out}.json", "--jobs", "2", "--quiet"]
    return [str(TMT), "run", str(scenario), *words, *options]


def _run(scenario: Path, out: Path, *options: str) -> Said:
    """Run the campaign with an engine that nobody disturbs."""
    return tmt(*_command(scenario, out, *options)[1:], folder=scenario.parent)


def _inside(folder: Path) -> Iterator[int]:
    """Give the processes that run inside a folder: simulations."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                yield int(process.name)
        except OSError:
            continue


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def _state(process: int) -> str:
    """Return the letter of a process's state, as proc(5) has it; nothing when it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _await_simulation(out: Path, other: int = 0) -> int:
    """Return a simulation that runs, but for another one."""
    return until(lambda: next((one for one in _inside(out.resolve() / "scratch") if one != other), 0))


def _fill(path: Path) -> None:
    """Take all the room that is left."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory, write_scenario: Callable[..., Path]) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "short.toml"
    return write_scenario(path, tcp='["newreno", "cubic", "hybla"]', seeds=2)


@pytest.fixture(scope="module")
def finished(scenario: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a campaign that nothing has disturbed."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert _run(scenario, out) == (0, "", "")
    return out


@pytest.fixture(scope="module")
def undisturbed(finished: Path) -> pd.DataFrame:
    return results_of(finished)


def test_run__does_every_run_once(scenario: Path, undisturbed: pd.DataFrame, finished: Path) -> None:
    assert len(undisturbed) == 3 * 2 * 2
    assert set(undisturbed["status"]) == {"done"}
    assert (undisturbed["goodput_bps"] > 0).all()
    assert len(undisturbed[["tcp", "scheme", "seed"]].drop_duplicates()) == len(undisturbed)
    # The runs of a seed see the same piece of the channel.
    assert len(undisturbed[["seed", "forward_offset_s"]].drop_duplicates()) == 2
    assert undisturbed["forward_offset_s"].nunique() == 2

    before = pq.read_table(finished / "results.parquet")
    again = json.loads(_run(scenario, finished, "--json").out)
    assert (again["runs"], again["done"]) == (12, 12)
    assert pq.read_table(finished / "results.parquet").equals(before), "times and attempts included"


@pytest.mark.parametrize("seed", range(7, 7 + -(-KILLS // ROUNDS)))
def test_run__killed_many_times_ends_as_if_undisturbed(
    scenario: Path, undisturbed: pd.DataFrame, tmp_path: Path, seed: int
) -> None:
    """Of two engines one is stopped, the other killed, and then both are."""
    out, chance, most = tmp_path / "out", random.Random(seed), 0
    scenario = Path(shutil.copy(scenario, tmp_path / "kept.toml"))
    scenario.write_text("records = [1, 2]\n" + scenario.read_text())
    for number in range(ROUNDS):
        with (
            subprocess.Popen(_command(scenario, out)) as engine,
            subprocess.Popen(_command(scenario, out)) as other,
        ):
            if number % 2:
                until(lambda most=most: engine.poll() is not None or finished_runs(out) > most)
            other.send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(0.1, 1.2) / (1 + number % 2))
            engine.send_signal(signal.SIGKILL)
            other.send_signal(signal.SIGCONT)
            time.sleep(chance.uniform(0, 0.5))
            other.send_signal(signal.SIGKILL)
        finished = finished_runs(out)
        assert finished >= most, "a finished run was lost"
        most = finished
    assert most > 0
    assert _run(scenario, out) == (0, "", "")
    assert results_of(out).equals(undisturbed)
    for row in pq.read_table(out / "results.parquet").to_pylist():
        told = json.loads((out / row["records"] / "result.json").read_text())
        assert told["wall_time_s"] == row["wall_time_s"], "row and records are of one attempt"
    assert list((out / "scratch").iterdir()) == []
    assert sorted(path.name for path in out.glob("campaign*")) == ["campaign.sqlite"]
    assert list(_inside(out.resolve())) == []


def test_run__makes_both_traces(tmp_path: Path, write_scenario: Callable[..., Path]) -> None:
    scenario = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=2)
    text = scenario.read_text().replace("rtt = 0.1", 'rtt = 0.1, return_link = ["plain", "unprotected"]')
    scenario.write_text(text)
    assert _run(scenario, tmp_path / "out").status == 0
    rows = results_of(tmp_path / "out")
    plain, raw = (rows[rows["return_link"] == kind] for kind in ("plain", "unprotected"))
    assert (len(plain), len(raw)) == (4, 4)
    assert plain["return_trace"].isna().all()
    assert not plain["return_link_lost"].any()
    assert (raw["return_link_lost"] > 0).all(), "3 s of a channel that erases 2 % of the slots"
    assert not (raw["return_offset_s"] == raw["forward_offset_s"]).any()
    assert len(list((tmp_path / "out" / "cache").glob("*.npy"))) == 2, "none and ARQ, each made once"


def test_engines__do_no_run_twice_and_append_rows_of_their_own_version(
    scenario: Path, undisturbed: pd.DataFrame, simulator: Path, tmp_path: Path
) -> None:
    """Two have one simulator. The other's has one byte more at its end: it has a hash of its own."""
    out, other = tmp_path / "out", Path(shutil.copy(simulator, tmp_path / "ns"))
    other.write_bytes(simulator.read_bytes() + b"\0")
    theirs = os.environ | {"CLIFT_NS": str(other)}
    with (
        subprocess.Popen(_command(scenario, out)) as our_engine,
        subprocess.Popen(_command(scenario, out), env=theirs) as their_engine,
    ):
        _await_simulation(out)
        here = _run(scenario, out)  # warns if it finds the other one's rows
    assert (our_engine.returncode, their_engine.returncode, here.status) == (0, 0, 0), here.err
    assert _run(scenario, out).status == 0
    rows = pq.read_table(out / "results.parquet").to_pandas()
    assert sorted(rows.groupby("simulator").size()) == [len(undisturbed)] * 2
    assert set(rows["attempt"]) == {1}
    point = ["tcp", "scheme", "seed"]
    by_point = rows.groupby(point)["goodput_bps"].agg(["min", "max"])
    assert (by_point["min"] == by_point["max"]).all()
    assert (
        by_point["min"]
        .sort_index()
        .equals(undisturbed.set_index(point)["goodput_bps"].sort_index().rename("min"))
    )


def test_engine__that_is_stopped_goes_on_whatever_the_wall_clock_says(
    scenario: Path, undisturbed: pd.DataFrame, tmp_path: Path
) -> None:
    """Each look at it finds it ten years earlier or later, in the engine, its workers and the simulator."""
    out, environment = tmp_path / "out", preloaded(Path(__file__).with_name("wild_clock.c"), tmp_path)
    with subprocess.Popen(_command(scenario, out), stderr=subprocess.PIPE, env=environment) as engine:
        _await_simulation(out)
        engine.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        engine.send_signal(signal.SIGCONT)
        assert engine.communicate()[1] == b""
    assert engine.returncode == 0
    assert results_of(out).equals(undisturbed)
    rows = pq.read_table(out / "results.parquet")
    assert set(rows["attempt"].to_pylist()) == {1}
    assert all(0 < one < 600 for one in rows["wall_time_s"].to_pylist()), "600 s is the scenario's timeout"


def test_run__that_is_killed_is_a_row_and_is_retried_on_demand(
    tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    """One simulation is killed, and the worker of another one."""
    out = tmp_path / "out"
    scenario = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=2, duration_s=400)
    with subprocess.Popen(_command(scenario, out), stderr=subprocess.PIPE) as engine:
        simulation = _await_simulation(out)
        os.kill(simulation, signal.SIGKILL)
        os.kill(_parent(_await_simulation(out, simulation)), signal.SIGKILL)
        engine.communicate()
    assert engine.returncode == 1
    rows = pq.read_table(out / "results.parquet").to_pylist()
    killed = [row for row in rows if row["status"] == "killed"]
    assert (len(rows), len(killed)) == (4, 2)
    assert all("SIGKILL" in row["message"] for row in killed)
    assert any("replay.tcl" in (row["command"] or "") for row in killed)
    assert list(_inside(out.resolve())) == []
    assert _run(scenario, out).status == 1, "a failed run is not tried again unasked"
    assert _run(scenario, out, "--retry-failed").status == 0
    rows = pq.read_table(out / "results.parquet").to_pylist()
    assert sorted(row["attempt"] for row in rows) == [1, 1, 2, 2]
    assert {row["status"] for row in rows} == {"done"}


def test_run__that_hangs_is_a_row(tmp_path: Path, write_scenario: Callable[..., Path]) -> None:
    scenario = write_scenario(
        tmp_path / "s.toml", tcp='["cubic"]', seeds=1, duration_s=100_000, grid="timeout = 0.2"
    )
    result = _run(scenario, tmp_path / "out", "--json")
    assert result.status == 1
    assert json.loads(result.out)["failed"] == 2
    for row in pq.read_table(tmp_path / "out" / "results.parquet").to_pylist():
        assert row["status"] == "timed out"
        assert "stopped after 0.2 s" in row["message"]
        assert "replay.tcl" in row["command"]
        assert row["simulator"]
    said = _run(scenario, tmp_path / "out", "--quiet").err
    assert re.search(r"the first: timed out: \w+, .*, seed 1: stopped after 0\.2 s$", said, re.MULTILINE)


def test_interrupted_run__keeps_what_it_has(tmp_path: Path, write_scenario: Callable[..., Path]) -> None:
    out = tmp_path / "out"
    scenario = write_scenario(tmp_path / "s.toml", tcp='["newreno", "cubic"]', seeds=60, duration_s=300)
    with subprocess.Popen(_command(scenario, out), stderr=subprocess.PIPE, text=True) as engine:
        _await_simulation(out)
        until(lambda: finished_runs(out), engine)
        engine.send_signal(signal.SIGINT)
        said = engine.communicate()[1]
    assert engine.returncode == 130
    kept = finished_runs(out)
    assert 0 < kept < 240
    line = (
        f"interrupted: {kept} of 240 runs are kept in {out}; the same command executes the other {240 - kept}"
    )
    assert said == f"{line}\n"
    rows = results_of(out)
    assert (len(rows), set(rows["status"])) == (kept, {"done"})
    assert list((out / "scratch").iterdir()) == []
    assert list(_inside(out.resolve())) == []


def test_run__interrupted_while_its_workers_start_ends_in_one_line(scenario: Path, tmp_path: Path) -> None:
    command = _command(scenario, tmp_path / "out")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as engine:
        children = Path(f"/proc/{engine.pid}/task/{engine.pid}/children")
        until(lambda: any(_imports_libraries(pid) for pid in children.read_text().split()), engine)
        os.killpg(engine.pid, signal.SIGINT)  # as a terminal does
        said = engine.communicate()[1]
    assert engine.returncode == 130
    assert re.fullmatch(r"interrupted: 0 of \d+ runs are kept in [^\n]+\n", said), said


def _imports_libraries(pid: str) -> bool:
    """Whether the process forks workers, and is amid its imports."""
    process = Path("/proc", pid)
    is_server = b"multiprocessing.forkserver" in (process / "cmdline").read_bytes()
    return is_server and "/pyarrow/" in (process / "maps").read_text()


def test_full_disk__ends_a_run_in_one_line(scenario: Path, undisturbed: pd.DataFrame, tmp_path: Path) -> None:
    with disk(tmp_path / "disk", "-o", "size=16m") as small:
        out, filler = small / "out", small / "filler"
        with subprocess.Popen(_command(scenario, out), stderr=subprocess.PIPE, text=True) as engine:
            until(lambda: list((out / "cache").glob("*.json")), engine)
            _fill(filler)
            said = engine.communicate()[1]
        assert engine.returncode == 1
        assert said.count("\n") == 1
        assert "No space left" in said or "no room" in said or "disk is full" in said
        filler.unlink()
        assert _run(scenario, out).status == 0
        assert results_of(out).equals(undisturbed)


@pytest.mark.parametrize("is_kept", [True, False], ids=["renamed", "deleted"])
def test_folder__that_vanishes_during_a_run_ends_it_in_one_line(
    is_kept: bool, scenario: Path, undisturbed: pd.DataFrame, tmp_path: Path
) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"
    with subprocess.Popen(_command(scenario, out), stderr=subprocess.PIPE, text=True) as engine:
        _await_simulation(out)
        out.rename(moved)
        if not is_kept:
            shutil.rmtree(moved, ignore_errors=True)
        said = engine.communicate()[1]
    assert engine.returncode == 1
    assert str(out) in said
    assert said.endswith(": No such file or directory\n")
    assert said.count("\n") == 1
    assert not out.exists()
    if is_kept:
        moved.rename(out)
        assert _run(scenario, out) == (0, "", "")
        assert results_of(out).equals(undisturbed)
        assert list((out / "scratch").iterdir()) == []


def test_simulations__end_with_their_worker_and_their_engine_whoever_is_stopped(
    tmp_path: Path, write_scenario: Callable[..., Path]
) -> None:
    """Of two that would run for days, one loses its worker, and the other one everything."""
    out = tmp_path / "out"
    scenario = write_scenario(tmp_path / "s.toml", tcp='["cubic"]', seeds=1, duration_s=1_000_000)
    with subprocess.Popen(_command(scenario, out)) as engine:
        simulation = _await_simulation(out)
        other = _await_simulation(out, simulation)
        engine.send_signal(signal.SIGSTOP)  # it sees nothing of what follows
        os.kill(_parent(simulation), signal.SIGKILL)
        until(lambda: simulation not in _inside(out.resolve()))
        worker = _parent(other)
        stopped = [worker, _parent(worker)]  # the latter forks workers
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
            until(lambda process=process: _state(process) == "T")
        engine.kill()
    until(lambda: all(_state(process) in "Z" for process in (other, *stopped)))
