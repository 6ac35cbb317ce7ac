"""`tmt.tune_trace`: a search from Python gives what the command gives, and shows itself in notebooks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from small_search import Searched

import tmt
from tmt.core.errors import InputError, UsageError
from tmt.io import open_trace, write_trace
from tmt.results.tune import trace_task
from tmt.results.tune.tuning import plan_tuning


def test_tune_scenario__is_the_search_of_the_command(searched: Searched) -> None:
    found = tmt.tune_scenario(searched.scenario, searched.folder, jobs=1)
    assert found.recommendation.winner.name == searched.result["winner"]["name"]
    frame = found.to_frame()
    assert frame["candidate"].tolist() == [one["name"] for one in searched.result["standings"]]
    assert frame["fate"].tolist() == [one["fate"] for one in searched.result["standings"]]
    winner = frame.loc[frame["goodput"].idxmax()]
    assert winner["goodput low"] < winner["goodput"] < winner["goodput high"]
    shown = found._repr_html_()
    assert f"Use {winner['candidate']}" in shown
    assert shown.count("<table>") == 2
    assert "Goodput, kbit/s" in shown
    drawn = found.chart().to_dict()
    alt.Chart.from_dict(drawn, validate=True)
    finalists = {one.standing.name for one in found.recommendation.finalists}
    assert {row["candidate"] for row in drawn["datasets"]["rows"]} == finalists


def test_tune_trace__of_a_data_frame_is_the_search_over_its_file(trace: Path, tmp_path: Path) -> None:
    """Also where a notebook's arrays give the numbers."""
    settings: dict[str, Any] = {"objective": "efficiency", "schemes": ("arq", "fec"), "held_out": 2}
    plain: dict[str, Any] = {"fec.data": [10], "fec.repair": [1, 3], "fec.depth": [1], "in_order": [True]}
    of_numpy: dict[str, Any] = {"fec.data": np.array([10]), "fec.repair": [np.int64(1), np.int32(3)]}
    of_numpy |= {"fec.depth": (np.uint8(1),), "in_order": [np.True_]}
    measured, bare = tmt.read_trace(trace), tmp_path / "bare.parquet"
    write_trace(bare, replace(measured, metadata={"lldu_bytes": 750}))  # as a frame: no length
    settings |= {"varied": plain, "courses": 6, "jobs": 1}
    of_file = tmt.tune_trace(bare, 0.05, out=tmp_path / "file", **settings)
    settings |= {"varied": of_numpy, "courses": np.int64(6), "jobs": np.int64(1)}
    frame = measured.to_frame().assign(size_bytes=750)
    of_frame = tmt.tune_trace(frame, 0.05, out=tmp_path / "frame", **settings)
    pd.testing.assert_frame_equal(of_frame.to_frame(), of_file.to_frame())
    assert of_file.recommendation.winner.name == "ARQ"  # it delivers every decoded slot


def test_tune_trace__warns_of_calls_of_0_2(searched: Searched, trace: Path, tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match="a scenario is searched by tune_scenario"):
        tmt.tune_trace(searched.scenario, out=searched.folder, jobs=1)
    old = {"tcp": "hybla", "queue_packets": 50, "duration_s": 1, "courses": 4, "held_out": 2, "jobs": 1}
    with pytest.warns(DeprecationWarning, match=r"tune_trace\(trace, tmt.Path\(rtt=0.05, queue_packets=50\)"):
        found = tmt.tune_trace(
            trace, tmp_path / "out", rtt=0.05, objective="efficiency", schemes=["arq", "none"], **old
        )
    assert found.task.traffic == tmt.Traffic("hybla", duration=1)
    assert {path.queue_packets for path in found.task.scenario.path} == {50}


def test_tune_trace__shows_its_defects(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TypeError of TMT's own code is not a refusal of the user's arguments."""

    def defective(_path: Path) -> None:
        raise TypeError("a defect")

    monkeypatch.setattr(trace_task, "look_at", defective)
    with pytest.raises(TypeError, match="a defect"):
        tmt.tune_trace(trace, 0.1, out=tmp_path / "out")


def test_tune_trace__of_another_frame_in_the_same_folder_looks_again(trace: Path, tmp_path: Path) -> None:
    """A session may go on for days; the hash of the first frame gave the second one's results."""
    frame = tmt.read_trace(trace).to_frame().assign(size_bytes=750)
    clean = frame.assign(decode_time_ns=frame["decode_time_ns"].max())
    settings = {"objective": "efficiency", "schemes": ("none", "fec"), "courses": 4, "jobs": 1}
    best = []
    for given in (frame, clean):
        found = tmt.tune_trace(given, 0.05, out=tmp_path / "out", held_out=2, **settings).to_frame()
        best.append(found["efficiency"].max())
    assert best[0] < best[1] == 1.0


def test_tune_trace__refuses_a_frame_without_sizes(trace: Path, tmp_path: Path) -> None:
    frame = tmt.read_trace(trace).to_frame()
    with pytest.raises(InputError, match=r"trace_from_frame\(frame, lldu_bytes=...\)"):
        tmt.tune_trace(frame, 0.1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tune_scenario__needs_a_goal(searched: Searched, tmp_path: Path) -> None:
    scenario = tmt.Scenario.read(searched.scenario)
    with pytest.raises(UsageError, match="tune: is missing; allowed: a table \\[tune\\] with an objective"):
        tmt.tune_scenario(replace(scenario, tune=None), tmp_path / "out")


def test_run_scenario__refuses_a_number_of_processes_that_never_ends(tmp_path: Path) -> None:
    """With -1 it waited for ever for workers."""
    with pytest.raises(UsageError, match="jobs: -1 is not allowed; allowed: a whole number from 1"):
        tmt.run_scenario(tmp_path / "any.toml", jobs=-1)


def test_tune_trace__opens_its_file_no_more_than_it_must(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for span and hash, once into memory."""
    opened = []

    def watched(path: Path, *words: Any) -> Any:
        opened.append(path)
        return open_trace(path, *words)

    copied = tmp_path / "phy.parquet"  # no other test has looked at this file
    copied.write_bytes(trace.read_bytes())
    monkeypatch.setattr("tmt.campaign.phy_file.open_trace", watched)
    monkeypatch.setattr("tmt.io.open_trace", watched)
    plan_tuning(trace_task.trace_task(copied, tmt.Path(0.1), tmt.Traffic(), tmt.Tune(), schemes=("arq",)))
    assert list(map(str, opened)) == [str(copied)] * 2
