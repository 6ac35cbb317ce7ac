"""`tmt tune` from the trace to the page, and its refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from answers import cases, replaced
from in_process import tmt
from small_search import SPACE, Searched


def _tuned(folder: Path, *words: object) -> dict[str, Any]:
    """Return the JSON of a search that ends well."""
    done = tmt("tune", *words, "--output", "out", "--json", folder=folder)
    assert done.status == 0, done.err
    return dict(json.loads(done.out))


def test_tune__recommends_what_wastes_no_slots(searched: Searched) -> None:
    result = searched.result
    assert result["winner"]["settings"]["scheme"] in ("arq", "harq")
    assert result["winner"]["settings"].get("repair") != 90
    assert result["counts"]["ruled_out"] == 1  # 90 of 100 slots repair: at most a tenth of the line
    assert result["counts"]["outcomes"] <= 2 * 6
    winner = result["finalists"][0]
    assert winner["held_out"]["goodput"]["count"] == 3
    assert not set(result["seeds_of_search"]) & set(result["seeds_held_out"])
    assert 0 <= result["most_better"] < winner["standing"]["values"]["goodput"]["mean"]


def test_tune__keeps_its_runs_and_goes_on(searched: Searched) -> None:
    before = len(pq.read_table(searched.folder / "results.parquet"))
    again = tmt("tune", searched.scenario, "--output", searched.folder, "--json", folder=searched.folder)
    assert json.loads(again.out) == searched.result
    assert len(pq.read_table(searched.folder / "results.parquet")) == before
    runs = 2 * 3 + searched.result["counts"]["outcomes"]
    assert before == runs


def test_tune__writes_a_scenario_whose_runs_are_those_of_the_winner(searched: Searched) -> None:
    words = ("run", searched.folder / "winner.toml", "--output", searched.folder, "--dry-run", "--json")
    planned = json.loads(tmt(*words, folder=searched.folder).out)
    assert planned["runs"] == 9
    assert planned["to_run"] == 6 - searched.result["counts"]["courses_used"]


def test_tune__takes_schemes_as_new_does(tmp_path: Path) -> None:
    line = ("--channel", "bernoulli", "--probability", "0.1", "--rate", "1e6", "--duration", "60")
    assert tmt("generate", *line, "--lldu-bytes", "1500", "phy.parquet", folder=tmp_path).status == 0
    asked = ("phy.parquet", "--rtt", "0.1", "--dry-run")
    one, both, pieces = (
        _tuned(tmp_path, *asked, *schemes.split())["candidates"]
        for schemes in ("--scheme none", "--scheme none,arq", "--scheme none --scheme arq")
    )
    assert one < both == pieces


def test_tune__writes_a_page_with_every_section(searched: Searched) -> None:
    page = (searched.folder / "tune.html").read_text()
    for part in ("finalists-view", "front-view", "race-view", "candidates-table", "winner of a search"):
        assert part in page
    assert searched.result["winner"]["name"] in page
    assert '"unit">(kbit/s)' in page
    assert "round-trip time" in page
    assert re.search("(?<!k)bit/s", page) is None


def test_tune__of_a_trace_needs_no_scenario(trace: Path, tmp_path: Path) -> None:
    options = """--rtt 0.05 --objective efficiency --scheme arq --scheme fec --courses 8 --held-out 4
        --vary fec.data=10 --vary fec.repair=1:3 --vary fec.depth=1 --vary in_order=true"""
    result = _tuned(tmp_path, trace, *options.split())
    # ARQ delivers every decoded slot, but for the last round trip; FEC(10, 1) at most 10 of 11.
    assert result["winner"]["name"] == "ARQ"
    assert result["counts"]["candidates"] == 4 + 3
    assert all(one["name"].startswith("ARQ") for one in result["ties"])


def test_tune__notes_runs_of_few_round_trips(trace: Path, tmp_path: Path) -> None:
    said = tmt("tune", trace, "--rtt", "1", "--scheme", "arq", "--dry-run", folder=tmp_path)
    lasts = "note: a run lasts 1.2 s, 1.2 round trips, too few for TCP to fill the link"
    assert said.err == f"{lasts}: take a longer trace, or --duration\n"
    said = tmt(
        "tune", trace, "--rtt", "1", "--scheme", "arq", "--duration", "2", "--dry-run", folder=tmp_path
    )
    assert said.err == ""


def test_tune__gives_candidates_every_nth_slot(trace: Path, tmp_path: Path) -> None:
    options = (
        "--every 3 --rtt 0.05 --objective efficiency --scheme none --scheme arq --courses 4 --duration 1"
    )
    result = _tuned(tmp_path, trace, *options.split(), "--duration", "1", "--held-out", "2")
    assert "every = 3" in (tmp_path / result["winner_scenario"]).read_text()


def test_tune__with_two_objectives_gives_a_front(trace: Path, tmp_path: Path) -> None:
    options = """--rtt 0.05 --objective efficiency --objective goodput --scheme none --scheme arq --duration 3
        --vary in_order=true --vary arq.max_transmissions=2 --courses 4 --held-out 2"""
    result = _tuned(tmp_path, trace, *options.split())
    assert [one["text"] for one in result["objectives"]] == ["efficiency", "goodput"]
    assert result["front"]
    assert {one["number"] for one in result["front"]} >= {result["winner"]["number"]}


def test_tune__finds_the_discipline_that_keeps_the_queue_short(
    simulator: Path, trace: Path, tmp_path: Path
) -> None:
    """At 1 Mbit/s 100 packets of 1500 bytes wait for 1.2 s; a target of 10 s is CoDel that never drops."""
    options = """--rtt 0.05 --queue-packets 100 --objective delay-p95 --constraint goodput>2e5 --duration 4
        --scheme arq --vary arq.max_transmissions=none --vary queue=droptail,codel
        --vary codel.target=0.005,10 --vary in_order=true --courses 5 --held-out 2"""
    result = _tuned(tmp_path, trace, *options.split())
    assert [one["name"] for one in result["standings"]] == [
        *("ARQ, droptail", "ARQ, codel", "ARQ, codel target=10.0")
    ]
    winner, *others = sorted(result["standings"], key=lambda one: one["values"]["delay-p95"]["mean"])
    assert result["winner"] == winner
    assert winner["settings"] == {"scheme": "arq", "queue": "codel", "queue.target": 0.005}
    assert all(one["values"]["delay-p95"]["mean"] > 2 * 0.2 for one in others)
    page = (tmp_path / "out" / "tune.html").read_text()
    assert "queue droptail, codel; queue.target 0.005, 10.0" in page
    assert 'queue = { name = "codel"' in (tmp_path / "out" / "winner.toml").read_text()


@cases(__file__, "refusals.txt")
def test_tune__refuses_a_scenario_in_one_line(case: list[str], trace: Path, tmp_path: Path) -> None:
    _, change, answer = case
    scenario = trace.with_name("bad.toml")
    scenario.write_text(replaced(SPACE, change))
    done = tmt("tune", scenario, "--output", "out", folder=tmp_path)
    places = {"FILE": str(scenario), "TRACE": str(trace)}
    word, _, rest = answer.partition(":")
    assert (done.status, done.err) == (2, f"{places[word]}:{rest}\n")
    assert not (tmp_path / "out").exists()


def test_tune__refuses_options_beside_a_scenario(searched: Searched) -> None:
    done = tmt("tune", searched.scenario, "--objective", "delay-p95", folder=searched.folder)
    assert done.status == 2
    assert "--objective: is given with a scenario" in done.err
