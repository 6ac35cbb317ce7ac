"""A link trace with measured sizes has the measured link's rate in ns-2."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.measured.imports import import_trace

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

TMT = Path(sys.executable).with_name("tmt")


def test_lte_uplink__carries_its_17_kbit_per_s(measured_data: Path, tmp_path: Path) -> None:
    """CUBIC keeps the queue full; the link's bytes, by the csv module, bound and almost reach its rate.

    A packet of 1500 bytes lies over some thirteen blocks; the last one under way is what may be missing.
    """
    log = measured_data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv"
    with log.open() as file:
        carried = sum(int(row["tb_bytes"]) for row in csv.DictReader(file) if row["attempt"] == "1")
    import_trace("lte-harq", log, tmp_path / "link.parquet", as_="link")
    command = [
        str(TMT),
        "replay",
        "--forward",
        "link.parquet",
        "--rtt",
        "0.05",
        "--duration",
        "57.9",
        "--json",
    ]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    received = json.loads(result.stdout)["received_bps"] * 57.9 / 8
    assert 0.95 * carried < received <= carried
