"""Bad command lines are refused with exit status 2 and one line, which refusals.txt has whole."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from answers import blocks
from in_process import tmt

from tmt.core.trace import LinkTrace, PhyTrace
from tmt.io import write_trace

CASES = blocks(Path(__file__).with_name("refusals.txt"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refused")
    tx_ns, decode_ns = np.arange(24) * 1_000_000, np.full(24, 5_000_000)
    delivered, once, about = np.ones(24, np.bool_), np.ones(24, np.uint8), {"lldu_bytes": 1500}
    write_trace(folder / "phy.parquet", PhyTrace(tx_ns, decode_ns, about))
    write_trace(folder / "link.parquet", LinkTrace(tx_ns, decode_ns, delivered, once, about))
    (folder / "good.txt").write_text("0 1\n1 1\n")
    (folder / "bad.txt").write_text("0 1\n0 1\n")
    return folder


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_command__is_refused_in_one_line(case: list[str], folder: Path) -> None:
    words, line = case
    assert tmt(*shlex.split(words)[2:], folder=folder) == (2, "", f"{line}\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.txt",
        "good.txt",
        "link.parquet",
        "phy.parquet",
    ]
