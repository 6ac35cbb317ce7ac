"""`tmt compare` and `tmt course`: what they print, JSON, pages and refusals."""

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from in_process import tmt
from result_rows import run, stored

from tmt.cli.compare_command import names_of
from tmt.core.schema import PACKET_EVENTS
from tmt.results.reading import read_results
from tmt.show.page.report_page import write_report


def _campaign(folder: Path, gain: float, **values: Any) -> Path:
    """Store six runs, in which CUBIC gains 11, 13 and 15 kbit/s times `gain`."""
    gains = {"newreno": (0, 0, 0), "cubic": (11, 13, 15)}
    rows = (
        run(tcp=tcp, seed=seed, goodput_bps=1e5 + 1000 * gain * gains[tcp][seed - 1], experiment="e")
        for seed in (1, 2, 3)
        for tcp in gains
    )
    return stored(folder, *(row | values for row in rows))


def _said(*arguments: object) -> str:
    said = tmt("compare", *arguments, folder=Path())
    assert (said.status, said.err) == (0, "")
    return said.out


def test_compare__prints_pairs_settings_programs_and_differences(tmp_path: Path) -> None:
    first = _campaign(tmp_path / "one" / "out", 0)
    second = _campaign(tmp_path / "two" / "out", 1, stack="modern", simulator="n" * 64)
    said = _said(first, second, "--output", tmp_path / "page.html")
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[:3] == [
        "one/out: out, 6 runs",
        "two/out: out, 6 runs",
        "6 pairs of runs: the same place in the grid, the same seed",
    ]
    assert "stack n/a modern 6" in lines
    assert f"simulator ns {'n' * 16}" in lines
    # CUBIC gains 11, 13 and 15 kbit/s: 13 +- 4.303 * 2 / sqrt(3).
    assert "CUBIC ARQ 100 ±0 113.0 ±5.0 +13.0 ±5.0* +13.0% 3 0.016" in lines
    assert "3 pairs are equal in everything that they measured, bit by bit." in lines
    assert "<title>one/out and two/out: paired" in (tmp_path / "page.html").read_text()


def test_compare__of_equal_campaigns_says_so_and_no_more(tmp_path: Path) -> None:
    first, second = (_campaign(tmp_path / name, 1) for name in ("a", "b"))
    said = _said(first, second)
    assert said.endswith("All pairs are equal in everything that they measured, bit by bit.\n")
    assert "Goodput" not in said


def test_compare__gives_json(tmp_path: Path) -> None:
    first, second = (_campaign(tmp_path / name, gain) for name, gain in (("a", 0), ("b", 1)))
    found = json.loads(_said(first, second, "--json"))
    assert (found["pairs"], found["equal"], found["unpaired"]) == (6, 3, [])
    cubic = next(cell for cell in found["cells"] if cell["tcp"] == "cubic")
    assert cubic["measures"]["goodput_bps"]["difference"]["mean"] == pytest.approx(13)
    assert found["measures"]["goodput_bps"] == "kbit/s"


def test_compare__of_one_campaign_takes_its_earlier_runs(tmp_path: Path) -> None:
    folder = _campaign(tmp_path / "a", 0)
    refused = tmt("compare", folder, folder=tmp_path)
    assert refused.status == 2
    assert "it has none; name two" in refused.err
    later = (
        run(key=f"{number}" * 32, tcp=tcp, seed=seed, goodput_bps=3e5, experiment="f")
        for number, (tcp, seed) in enumerate(product(("newreno", "cubic"), (1, 2, 3)), 1)
    )
    stored(folder, *later)
    found = json.loads(_said(folder, "--json"))
    assert (found["first"]["name"], found["second"]["name"], found["pairs"]) == ("earlier", "latest", 6)


def test_names__are_the_shortest_ends_that_differ(tmp_path: Path) -> None:
    assert names_of(tmp_path / "a" / "out" / "q", tmp_path / "b" / "out" / "q") == ("a/out/q", "b/out/q")
    assert names_of(tmp_path / "a", tmp_path / "b") == ("a", "b")
    assert names_of(tmp_path, tmp_path) == ("first", "second")


def _lines(*arguments: object) -> list[str]:
    said = tmt("course", *arguments, folder=Path())
    assert said.status == 0
    return (said.err + said.out).splitlines()


@pytest.mark.ns2
def test_course__lists_recorded_runs_and_shows_the_one_that_is_named(campaign_folder: Path) -> None:
    rows = pd.read_parquet(campaign_folder / "results.parquet")
    recorded = rows[rows["records"].notna()]
    listed = _lines(campaign_folder)
    assert len(listed) == len(recorded) == 8
    place = next(i for i, line in enumerate(listed, 1) if "cubic over none, probability 0.05, seed 1" in line)
    lines = _lines(campaign_folder, place)
    assert lines[0] == "cubic over none, probability 0.05, seed 1"
    assert max(map(len, lines)) <= 80
    assert "capacity" in lines[2]
    assert lines[3].split()[:4] == ["s", "kbit/s", "kbit/s", "%"]
    table = np.array([line.replace(",", "").split() for line in lines[5:] if line], float)
    assert table.shape == (20, 11)
    # The link of 1 Mbit/s loses 5 % of its rows.
    assert table[:, 1].mean() == pytest.approx(950, rel=0.02)
    is_run = (recorded["tcp"] == "cubic") & (recorded["scheme"] == "none")
    is_run &= recorded["trace_parameters"].str.contains('"probability": 0.05')
    (chosen,) = recorded[is_run].to_dict("records")
    packets = pd.read_parquet(campaign_folder / chosen["records"] / "packets.parquet")
    lost = packets[(packets["event"] == PACKET_EVENTS.index("link_lost")) & (packets["direction"] == 0)]
    # Moments closer than a thousandth of the run count once.
    number = int(table[:, 8].sum())
    assert 0 < number <= len(lost) <= number + 5

    record = json.loads("\n".join(_lines(campaign_folder, place, "--json")))
    assert record["run"] == lines[0]
    assert len(record["edges_s"]) == 1 + len(record["series"]["capacity"]["values"])
    assert np.mean(record["series"]["capacity"]["values"]) == pytest.approx(0.95e6, rel=0.02)
    assert sum(record["moments"]["link lost"]) == number
    named = json.loads("\n".join(_lines(campaign_folder, "--json")))["runs"]
    assert [one["run"] for one in named] == [line[6:] for line in listed]


@pytest.mark.ns2
def test_course__says_that_capacity_is_missing_with_the_trace(
    campaign_folder: Path, page: Path, tmp_path: Path
) -> None:
    shutil.copytree(campaign_folder, tmp_path / "c", ignore=shutil.ignore_patterns("cache"))
    lines = _lines(tmp_path / "c", 1)
    assert f"is not in the cache of {tmp_path / 'c'}, or has too many rows: capacity, " in lines[0]
    assert not any("capacity" in line for line in lines[1:])
    (without,) = write_report(read_results(tmp_path / "c"), tmp_path / "report", figures=False)
    assert "queue of 8 runs are missing" in without.read_text()
    assert "runs are missing" not in page.read_text()


def test_course__refuses_campaigns_without_records_and_numbers_beyond_them(tmp_path: Path) -> None:
    stored(tmp_path / "c", run())
    refused = tmt("course", "c", folder=tmp_path)
    assert refused.status == 2
    assert "no run kept its packet records; name seeds under records" in refused.err
    stored(tmp_path / "c", run(key="1" * 32, records="records/1", seed=2))
    assert _lines(tmp_path / "c") == ["   1  cubic over ARQ, seed 2"]
    refused = tmt("course", "c", "2", folder=tmp_path)
    assert refused.status == 2
    assert "number 2 is not allowed; there are runs 1 to 1" in refused.err
