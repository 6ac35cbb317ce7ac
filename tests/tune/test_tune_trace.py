"""`tmt.tune_trace`: a search from Python gives what the command gives, and shows itself in notebooks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

import tmt
from tmt.core.errors import InputError, UsageError
from tmt.io import open_trace
from tmt.results.tune import trace_task
from tmt.results.tune.tuning import plan_tuning

if TYPE_CHECKING:
    from pathlib import Path

    from small_search import Searched


def test_tune_trace__of_a_scenario_is_the_search_of_the_command(searched: Searched) -> None:
    found = tmt.tune_trace(searched.scenario, searched.folder, jobs=1)
    assert found.recommendation.winner is not None
    assert found.recommendation.winner.name == searched.result["winner"]["name"]
    frame = found.to_frame()
    assert frame["candidate"].tolist() == [one["name"] for one in searched.result["standings"]]
    assert frame["fate"].tolist() == [one["fate"] for one in searched.result["standings"]]
    winner = frame.loc[frame["goodput"].idxmax()]
    assert winner["goodput low"] < winner["goodput"] < winner["goodput high"]
    shown = found._repr_html_()
    assert f"Recommendation: {winner['candidate']}" in shown
    assert shown.count("<table>") == 2
    assert "Goodput, kbit/s" in shown
    drawn = found.chart().to_dict()
    alt.Chart.from_dict(drawn, validate=True)
    finalists = {one.standing.name for one in found.recommendation.finalists}
    assert {row["candidate"] for row in drawn["datasets"]["rows"]} == finalists


def test_tune_trace__of_a_data_frame_is_the_search_over_its_file(trace: Path, tmp_path: Path) -> None:
    """Also where a notebook's arrays give the numbers."""
    settings: dict[str, Any] = {
        "rtt": 0.05,
        "objective": "efficiency",
        "schemes": ("arq", "fec"),
        "varied": {"fec.data": [10], "fec.repair": [1, 3], "fec.depth": [1], "in_order": [True]},
        "courses": 6,
        "held_out": 2,
        "jobs": 1,
    }
    of_file = tmt.tune_trace(trace, tmp_path / "file", **settings)
    frame = tmt.read_trace(trace).to_frame()
    settings |= {
        "varied": {
            "fec.data": np.array([10]),
            "fec.repair": [np.int64(1), np.int32(3)],
            "fec.depth": (np.uint8(1),),
            "in_order": [np.True_],
        },
        "courses": np.int64(6),
        "jobs": np.int64(1),
    }
    of_frame = tmt.tune_trace(frame.assign(size_bytes=750), tmp_path / "frame", **settings)
    pd.testing.assert_frame_equal(of_frame.to_frame(), of_file.to_frame())
    assert of_file.recommendation.winner is not None
    assert of_file.recommendation.winner.name == "ARQ"  # it delivers every decoded slot


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "rtt is missing"),
        ({"rtt": 0.1}, "out is missing"),
        ({"rtt": 0.1, "out": "out", "speed": 1}, "speed is no parameter of a search; there are rtt, "),
        ({"rtt": 0.1, "out": "out", "objective": "godput"}, "'godput' in 'godput' is not allowed"),
        ({"rtt": 0.1, "out": "out", "objectives": ["goodput"]}, "objectives is no parameter of a search"),
        *(
            ({"rtt": 0.1, "out": "out", name: value}, re.escape(f"{name} is {value!r}; it must be {allowed}"))
            for name, value, allowed in (
                ("objective", 5, "a text or a list of texts"),
                ("constraint", None, "a text or a list of texts"),
                ("schemes", [["arq"]], "a text or a list of texts"),
                ("varied", [1], "a dictionary that gives lists of numbers or texts"),
                ("varied", {"fec.data": 5}, "a dictionary"),
                ("varied", {"fec.data": "10"}, "a dictionary"),
                ("varied", {1: [2]}, "a dictionary"),
                ("courses", "a", "a whole number"),
                ("level", 1j, "a number or a text"),
                ("rtt", [0.1], "a number or a text"),
            )
        ),
        *(({"rtt": 0.1, "out": "out", "jobs": jobs}, "jobs is .*; it must") for jobs in (-1, 0, "x")),
        ({"rtt": 0.1, "out": "out", "level": "x"}, 'value "x" is not allowed; allowed: number'),
    ],
)
def test_tune_trace__refuses(
    settings: dict[str, object], reason: str, trace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=reason):
        tmt.tune_trace(tmt.read_trace(trace), **settings)


def test_tune_trace__shows_a_defect_of_the_search_as_one(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A TypeError of TMT's own code is no refusal of the user's arguments."""

    def defective(_path: Path) -> None:
        raise TypeError("a defect")

    monkeypatch.setattr(trace_task, "look_at", defective)
    with pytest.raises(TypeError, match="a defect"):
        tmt.tune_trace(trace, tmp_path / "out", rtt=0.1)


def test_tune_trace__of_another_frame_in_the_same_folder_looks_again(trace: Path, tmp_path: Path) -> None:
    """A session may go on for days; the hash of the first frame gave the second one's results."""
    frame = tmt.read_trace(trace).to_frame().assign(size_bytes=750)
    clean = frame.assign(decode_time_ns=frame["decode_time_ns"].max())
    settings = {"rtt": 0.05, "objective": "efficiency", "schemes": ("none", "fec"), "courses": 4, "jobs": 1}
    best = []
    for given in (frame, clean):
        found = tmt.tune_trace(given, tmp_path / "out", held_out=2, **settings).to_frame()
        best.append(found["efficiency"].max())
    assert best[0] < best[1] == 1.0


def test_tune_trace__refuses_a_frame_without_sizes(trace: Path, tmp_path: Path) -> None:
    frame = tmt.read_trace(trace).to_frame()
    with pytest.raises(InputError, match=r"trace_from_frame\(frame, lldu_bytes=...\)"):
        tmt.tune_trace(frame, tmp_path / "out", rtt=0.1)
    assert not (tmp_path / "out").exists()


def test_tune_trace__of_a_scenario_takes_no_settings_of_the_link(searched: Searched) -> None:
    with pytest.raises(UsageError, match=r"table \[tune\]"):
        tmt.tune_trace(searched.scenario, rtt=0.1)


def test_run_scenario__refuses_a_number_of_processes_that_never_ends(tmp_path: Path) -> None:
    """With -1 it waited for ever for workers."""
    with pytest.raises(UsageError, match="jobs is -1; it must be a whole number of at least 1"):
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
    monkeypatch.setattr("tmt.campaign.conversions.open_trace", watched)
    monkeypatch.setattr("tmt.io.open_trace", watched)
    plan_tuning(trace_task.trace_task(copied, 0.1, schemes=("arq",)))
    assert opened == [copied] * 2
