"""Every scenario runs, in short, with one seed and one variant."""

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from in_process import tmt

from tmt import Lms, Scenario
from tmt.core.errors import SimulatorError
from tmt.run.linux import Kernel
from tmt.spec.traffic import LINUX

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(
    path
    for path in (ROOT / "scenarios").glob("*.toml")
    if not path.stem.startswith("measured-") and path.stem not in {"ntn-leo", "ntn-meo"}
)
"""All but those that test_measured_scenarios.py runs, and two that differ from ntn-geo in numbers only."""


def short(scenario: Scenario) -> Scenario:
    """Return a campaign of seconds: one seed, one variant, one Es/N0, short traces and flows."""
    first: dict[str, float] = {}
    traces = []
    for trace in scenario.trace:
        channel = trace.channel
        if isinstance(channel, Lms):
            channel = replace(channel, es_n0_db=first.setdefault(channel.profile, channel.es_n0_db))
        length = None if trace.length is None else 20
        realisations = None if trace.realisations is None else 1
        traces.append(replace(trace, channel=channel, length=length, realisations=realisations))
    cubic = {"tcp": "cubic", "code": None, "block_segments": None, "seeds": None, "duration": 4}
    traffic = [replace(one, **cubic, start_spread=min(one.start_spread, 1)) for one in scenario.traffic]
    axes = {"trace": tuple(dict.fromkeys(traces)), "traffic": tuple(dict.fromkeys(traffic))}
    return replace(scenario, seeds=1, records=(), **axes)


@pytest.mark.ns2
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario__runs(path: Path, tmp_path: Path) -> None:
    scenario = Scenario.read(path)
    if any(one.stack == LINUX for one in scenario.traffic):
        try:
            Kernel.find()
        except SimulatorError as error:
            pytest.skip(f"{error}")
    short(scenario).write(tmp_path / path.name)
    assert tmt("run", path.name, "--output", "out", "--jobs", "1", "--quiet", folder=tmp_path) == (0, "", "")
    rows = pq.read_table(tmp_path / "out" / "results.parquet").to_pandas()
    assert set(rows["tcp"]) == {"cubic"}
    protected = rows[rows["scheme"] != "none"]
    assert not len(protected) or (protected["goodput_bytes"] > 0).mean() > 0.5, (
        "at 5 dB some schemes may deliver nothing in 4 s"
    )
