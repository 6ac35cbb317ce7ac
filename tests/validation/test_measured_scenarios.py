"""The scenarios over measured links run, and no TCP carries more than its link offers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from in_process import tmt

from tmt import Scenario
from tmt.io import read_phy

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.ns2
@pytest.mark.parametrize(
    "path", sorted((ROOT / "scenarios").glob("measured-*.toml")), ids=lambda path: path.stem
)
def test_scenario__runs_over_its_measured_link(path: Path, simulator: Path, tmp_path: Path) -> None:
    """Each point of the grid, but for seeds and length: one seed, ten seconds from the trace's beginning."""
    assert simulator.is_file()
    scenario = Scenario.read(path)
    replace(
        scenario,
        seeds=1,
        trace=tuple(replace(one, offset=0.0) for one in scenario.trace),
        traffic=tuple(replace(one, duration=10) for one in scenario.traffic),
    ).write(tmp_path / path.name)
    done = tmt("run", path.name, "--output", "out", "--quiet", folder=tmp_path)
    assert done == (0, "", "")
    rows = pd.read_parquet(tmp_path / "out" / "results.parquet")
    assert (rows["status"] == "done").all()
    assert (rows["goodput_bps"] > 0).all()
    assert (rows["goodput_bps"] <= offered_bps(path)).all()


def offered_bps(scenario: Path) -> float:
    """Return the bytes that the slots of the trace's first ten seconds carry."""
    (file,) = {str(one.file) for one in Scenario.read(scenario).trace}
    trace = read_phy(file)
    first = trace.tx_time_ns < 10 * 10**9
    sizes = trace.size_bytes
    if sizes is None:
        sizes = np.full(len(trace), trace.metadata["lldu_bytes"])
    return float(8 * sizes[first].sum() / 10)
