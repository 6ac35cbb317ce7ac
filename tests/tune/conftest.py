"""A small space over a small trace, searched once by the real command."""

import json
from pathlib import Path

import pytest
from in_process import tmt
from small_search import SPACE, Searched

from tmt import GilbertElliott
from tmt.core.generate import Line
from tmt.io.generation import generate


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of a bursty line of 1 Mbit/s with LLDUs of 750 bytes."""
    path = tmp_path_factory.mktemp("tune") / "phy.parquet"
    line = Line.at_rate(1_000_000, 750, 1_000_000)
    generate(path, GilbertElliott(0.99, 0.8), line, duration_ns=60_000_000_000, seed=1, lldu_bytes=750)
    return path


@pytest.fixture(scope="session")
def searched(simulator: Path, trace: Path) -> Searched:
    scenario, folder = trace.with_name("s.toml"), trace.with_name("out")
    scenario.write_text(SPACE)
    done = tmt("tune", scenario, "--output", folder, "--json", folder=trace.parent)
    assert done.status == 0, done.err
    return Searched(scenario, folder, json.loads(done.out))
