"""Random replays with the usual programs; `make sanitize` plays thousands under the sanitizers."""

from pathlib import Path

import pytest

from tests.ns2.drawn_replays import write_traces
from tests.ns2.random_replays import play
from tmt.core.errors import SimulatorError
from tmt.run import load_backend

pytestmark = pytest.mark.ns2


@pytest.mark.parametrize(("backend", "runs"), [("ns2", 8), ("linux", 4), ("quic", 4)])
def test_random_replays__end_well_with_possible_figures(backend: str, runs: int, tmp_path: Path) -> None:
    try:
        program = load_backend(backend).program()
    except SimulatorError as error:
        pytest.skip(f"{error}")
    traces = write_traces(tmp_path)
    outcomes = [play(program, seed, traces, backend) for seed in range(1, runs + 1)]
    assert [(one.seed, one.findings) for one in outcomes if one.findings] == []
    assert not any(one.is_cut for one in outcomes)
