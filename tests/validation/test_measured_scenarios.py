"""The scenarios over measured links run, and no TCP carries more than its link offers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from in_process import tmt

from tmt.io import read_phy

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.ns2
@pytest.mark.parametrize(
    "path", sorted((ROOT / "scenarios").glob("measured-*.toml")), ids=lambda path: path.stem
)
def test_scenario__runs_over_its_measured_link(path: Path, simulator: Path, tmp_path: Path) -> None:
    """Each point of the grid, but for seeds and length: one seed, ten seconds from the trace's beginning."""
    assert simulator.is_file()
    text = path.read_text(encoding="utf-8").replace('"../', f'"{ROOT}/')
    text = re.sub(r"(?m)^seeds = .*$", "seeds = 1", text)
    text = re.sub(r"(?m)^duration = .*$", "duration = 10", text)
    text = re.sub(r"(?m)^offset = .*\n", "", text)
    text = re.sub(r"(?m)^(file = .*)$", r"\1\noffset = 0.0", text)
    (tmp_path / path.name).write_text(text, encoding="utf-8")
    done = tmt("run", path.name, "--out", "out", "--quiet", folder=tmp_path)
    assert done == (0, "", "")
    rows = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert (rows["status"] == "done").all()
    assert (rows["goodput_bps"] > 0).all()
    assert (rows["goodput_bps"] <= offered_bps(path)).all()


def offered_bps(scenario: Path) -> float:
    """Return the bytes that the slots of the trace's first ten seconds carry."""
    file = re.search(r'(?m)^file = "(.*)"$', scenario.read_text(encoding="utf-8"))
    assert file
    trace = read_phy(scenario.parent / file[1])
    first = trace.tx_time_ns < 10 * 10**9
    sizes = trace.size_bytes
    if sizes is None:
        sizes = np.full(len(trace), trace.metadata["lldu_bytes"])
    return float(8 * sizes[first].sum() / 10)
