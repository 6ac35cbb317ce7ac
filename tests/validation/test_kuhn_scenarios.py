"""Every scenario runs, in short, with one seed and one variant."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from in_process import tmt

from tmt.core.errors import SimulatorError
from tmt.run.linux.kernel import Kernel

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(
    path
    for path in (ROOT / "scenarios").glob("*.toml")
    if not path.stem.startswith("measured-") and path.stem not in {"ntn-leo", "ntn-meo"}
)
"""All but those that test_measured_scenarios.py runs, and two that differ from ntn-geo in numbers only."""

SHORT = {
    r"^seeds = \d+": "seeds = 1",
    r"^records = .*$": "",
    r"^tcp = .*$": 'tcp = ["cubic"]',
    r"^duration = \d+": "duration = 4",
    r"^start_spread = \d+": "start_spread = 1",
    r"^length = \d+": "length = 20",
    r"^es_n0_db = \[([\d.]+).*$": r"es_n0_db = [\1]",
    r"^realisations = \d+": "realisations = 1",
    r'^(?!published)(.*)"\.\./': rf'\1"{ROOT}/',
}
"""Changes that make a scenario a campaign of seconds: patterns of its lines, and their replacements."""


@pytest.mark.ns2
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_scenario__runs(scenario: Path, tmp_path: Path) -> None:
    text = scenario.read_text()
    if '"linux"' in text:
        try:
            Kernel.find()
        except SimulatorError as error:
            pytest.skip(f"{error}")
    for pattern, replacement in SHORT.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    # Published values lie where the scenario says, seen from its folder.
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    (tmp_path / "analysis").symlink_to(ROOT / "analysis")
    (tmp_path / "own").mkdir()
    text = re.sub(r'^published = "(?=\w)', 'published = "../scenarios/', text, flags=re.MULTILINE)
    short = tmp_path / "own" / scenario.name
    short.write_text(text)
    assert tmt("run", short, "--out", "out", "--jobs", "1", "--quiet", folder=tmp_path) == (0, "", "")
    rows = pq.read_table(tmp_path / "out" / "results.parquet").to_pandas()
    assert set(rows["tcp"]) == {"cubic"}
    protected = rows[rows["scheme"] != "none"]
    assert not len(protected) or (protected["goodput_bytes"] > 0).mean() > 0.5, (
        "at 5 dB some schemes may deliver nothing in 4 s"
    )
