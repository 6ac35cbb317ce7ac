"""Logs whose modes stand beside those of our rules: what is kept of them is what their sources say."""

import csv
import gzip
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.log_modes.__main__ import NS3, read_attempts, read_phone
from analysis.log_modes.attempts import NR_SCOPE, count
from tests.measured.imports import import_trace, written
from tmt.io import read_phy

PAGE = Path(__file__).parents[2] / "docs" / "import" / "cellular.md"
ANALYSIS = Path(__file__).parents[2] / "analysis" / "log_modes"


@pytest.mark.parametrize(
    ("importer", "mode"), [("nr-scope", [16]), ("ns3-lte", [0, 0]), ("ns3-nr", [0]), ("ng-scope", [5])]
)
def test_sample_of_the_page__keeps_the_mcs_of_each_attempt(
    importer: str, mode: list[int], tmp_path: Path
) -> None:
    section = PAGE.read_text().partition(f"## `{importer}`\n")[2]
    sample = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert sample is not None
    assert import_trace(importer, written(tmp_path, sample[1])).mode.tolist() == mode


@pytest.mark.parametrize(("direction", "word", "erased"), [("down", "DL", 102), ("up", "UL", 158)])
def test_attempts_of_ns3__are_those_of_the_log(
    measured_data: Path, direction: str, word: str, erased: int
) -> None:
    trace = read_phy(ANALYSIS / NS3.format(direction))
    assert trace.mode is not None
    assert trace.es_n0_mdb is not None
    assert np.count_nonzero(trace.decode_time_ns == 0) == erased
    with gzip.open(measured_data / "formats" / "ns3mmwave_RxPacketTrace.txt.gz", "rt") as file:
        rows = [line.split() for line in file if line.split()[0] == word]
    assert trace.mode.tolist() == [int(row[11]) for row in rows]
    assert trace.es_n0_mdb / 1000 == pytest.approx([float(row[13]) for row in rows], abs=1e-3)
    assert (trace.decode_time_ns == 0).tolist() == [row[14] == "1" for row in rows]


def test_phone__has_the_seconds_of_the_log(measured_data: Path) -> None:
    kept = {(row.snr_db, row.cqi): row.seconds for row in read_phone().itertuples()}
    assert sum(kept.values()) == 3307
    with gzip.open(measured_data / "formats" / "ucc5g_example.csv.gz", "rt") as file:
        rows = [
            row for row in csv.DictReader(file) if row["State"] == "D" and "-" not in (row["SNR"], row["CQI"])
        ]
    assert Counter((float(row["SNR"]), float(row["CQI"])) for row in rows) == kept


def test_counted_attempts__are_those_of_the_logs(measured_data: Path) -> None:
    pd.testing.assert_frame_equal(count(measured_data), read_attempts(), check_dtype=False)


def test_counted_attempts_of_5g_lena__have_the_modes_of_the_log(measured_data: Path) -> None:
    lines = (measured_data / "formats" / "ns3nr_RxPacketTrace.txt").read_text().splitlines()[1:]
    mode = Counter(fields[12] for fields in map(str.split, lines) if fields[10] == "2")
    counts = read_attempts().query("log == '5G-LENA, down'").groupby("mode")["attempts"].sum()
    assert mode == {str(int(one)): number for one, number in counts.items()}


@pytest.mark.parametrize(("name", "user"), NR_SCOPE.values())
def test_mcs_28__repeats_as_in_table_2(measured_data: Path, name: str, user: int) -> None:
    """In tables 1 and 3 it is a mode of its own (TS 38.214, 5.1.3.1)."""
    grants = pd.read_csv(measured_data / "formats" / "nrscope_5g_dci" / f"{name}.csv.gz")
    reserved = grants.query(f"ue == {user} and dci_format == '1_1' and mcs_index >= 28")
    assert len(reserved) > 300
    assert (reserved["redundancy_version"] > 0).mean() > 0.95
