"""`tmt course`: the recorded runs of a campaign on the terminal, against the records themselves."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from result_rows import run

from tmt.campaign.store import Store
from tmt.cli.course_command import command
from tmt.core.errors import UsageError
from tmt.core.schema import PACKET_EVENTS
from tmt.results.reading import read_results
from tmt.show.page.report_page import write_report


def _said(*arguments: object) -> list[str]:
    found = CliRunner().invoke(command, [str(one) for one in arguments], catch_exceptions=False)
    assert found.exit_code == 0
    return found.output.splitlines()


@pytest.mark.ns2
def test_course__lists_recorded_runs_and_shows_the_one_that_is_named(campaign_folder: Path) -> None:
    rows = pd.read_parquet(campaign_folder / "results.parquet")
    recorded = rows[rows["records"].notna()]
    listed = _said(campaign_folder)
    assert len(listed) == len(recorded) == 8
    place = next(i for i, line in enumerate(listed, 1) if "cubic over none, probability 0.05, seed 1" in line)
    lines = _said(campaign_folder, place)
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

    record = json.loads("\n".join(_said(campaign_folder, place, "--json")))
    assert record["run"] == lines[0]
    assert len(record["edges_s"]) == 1 + len(record["series"]["capacity"]["values"])
    assert np.mean(record["series"]["capacity"]["values"]) == pytest.approx(0.95e6, rel=0.02)
    assert sum(record["moments"]["link lost"]) == number
    named = json.loads("\n".join(_said(campaign_folder, "--json")))["runs"]
    assert [one["run"] for one in named] == [line[6:] for line in listed]


@pytest.mark.ns2
def test_course__says_that_capacity_is_missing_with_the_trace(campaign_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(campaign_folder, tmp_path / "c", ignore=shutil.ignore_patterns("cache"))
    lines = _said(tmp_path / "c", 1)
    assert f"is not in the cache of {tmp_path / 'c'}, or has too many rows: capacity, " in lines[0]
    assert not any("capacity" in line for line in lines[1:])
    (page,) = write_report(read_results(tmp_path / "c"), tmp_path / "report", figures=False)
    assert "queue of 8 runs are missing" in page.read_text()
    (page,) = write_report(read_results(campaign_folder), tmp_path / "whole", figures=False)
    assert "runs are missing" not in page.read_text()


def test_course__refuses_campaigns_without_records_and_numbers_beyond_them(tmp_path: Path) -> None:
    store = Store(tmp_path / "c")
    store.append(run() | {"key": "0" * 32, "status": "done", "attempt": 1})
    store.close()
    with pytest.raises(UsageError, match=r"no run kept its packet records; name seeds under records"):
        CliRunner().invoke(command, [str(tmp_path / "c")], catch_exceptions=False)
    store = Store(tmp_path / "c")
    store.append(run() | {"key": "1" * 32, "status": "done", "attempt": 1, "records": "records/1", "seed": 2})
    store.close()
    assert _said(tmp_path / "c") == ["   1  cubic over ARQ, seed 2"]
    with pytest.raises(UsageError, match="number 2 is not allowed; there are runs 1 to 1"):
        CliRunner().invoke(command, [str(tmp_path / "c"), "2"], catch_exceptions=False)
