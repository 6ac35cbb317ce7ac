"""Bad command lines are refused with exit status 2 and one line, which refusals.txt has whole."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from answers import cases
from in_process import tmt

from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import write_trace

FILES = {
    "good.txt": "0 1\n1 1\n",
    "bad.txt": "0 1\n0 1\n",
    "up.txt": "1\n3\n",
    "snr.csv": "time,snr\n0.0,9.5\n",
    "dates.csv": "time,es_n0_db\n2026-01-01 00:00:00,9.5\n",
    "low.txt": "0 -20\n9 -25\n",
    "slots.csv": "frame,slot,crc\n1023,19,OK\n0,1,KO\n",
}
FILES["s.toml"] = """
seeds = 1
trace = { file = "phy.parquet" }
scheme = { name = "none" }
path = { rtt = 0.1 }
traffic = { duration = 1 }
"""
FILES["lost.toml"] = FILES["s.toml"].replace("phy", "gone")
FILES["link.toml"] = FILES["s.toml"].replace("phy", "link")
FILES["series.toml"] = FILES["s.toml"].replace("rtt = 0.1", 'rtt = 0.1, rtt_series = "series/gone.csv"')
FILES["bound.toml"] = FILES["s.toml"] + 'expect = { column = "goodput_bps", least = 1, tcp = "bbr" }\n'
PACK = b"PK\3\4\x80"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refused")
    tx_ns, decode_ns = np.arange(60) * 1_000_000, np.full(60, 5_000_000)
    delivered, once, about = np.ones(24, np.bool_), np.ones(24, np.uint8), {"lldu_bytes": 1500}
    write_trace(folder / "phy.parquet", PhyTrace(tx_ns[:24], decode_ns[:24], about))
    write_trace(folder / "long.parquet", PhyTrace(tx_ns, decode_ns, about))
    write_trace(folder / "late.parquet", PhyTrace(tx_ns + 500_000, decode_ns, about))
    write_trace(folder / "link.parquet", LinkTrace(tx_ns[:24], decode_ns[:24], delivered, once, about))
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "s.pack.zip").write_bytes(PACK)
    return folder


@cases(__file__, "refusals.txt")
def test_command__is_refused_in_one_line(case: list[str], folder: Path) -> None:
    words, line = case
    before = contents(folder)
    assert tmt(*shlex.split(words)[2:], folder=folder) == (2, "", f"{line}\n")
    assert contents(folder) == before
