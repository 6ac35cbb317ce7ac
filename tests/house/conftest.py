"""A folder with a PHY and a link trace, and a function that runs command lines in it."""

from collections.abc import Callable
from pathlib import Path

import in_process
import numpy as np
import pytest
from in_process import Said

from tmt import Arq
from tmt.core.convert import convert
from tmt.core.trace import PhyTrace
from tmt.io import write_trace


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with a PHY trace of 2 s, half of it erased, and a link trace of it."""
    slots = np.arange(2000)
    phy = PhyTrace(slots * 1_000_000, np.where(slots % 2, 0, 36_000_000), {"lldu_bytes": 1500})
    write_trace(tmp_path / "phy.parquet", phy)
    write_trace(tmp_path / "link.parquet", convert(phy, Arq(), rtt=0.01))
    (tmp_path / "link.csv").write_text("tx_time,delay,delivered,transmissions\n0,0.1,1,1\n1,0.1,1,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tmt(folder: Path) -> Callable[[str], Said]:
    """Return a function that runs a command line in `folder`."""
    return lambda words: in_process.tmt(*words.split(), folder=folder)
