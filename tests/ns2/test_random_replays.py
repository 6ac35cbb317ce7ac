"""Twenty random replays with the usual simulator; `make sanitize` plays thousands under the sanitizers."""

from pathlib import Path

import pytest

from tests.ns2.drawn_replays import write_traces
from tests.ns2.random_replays import play

pytestmark = pytest.mark.ns2


def test_random_replays__end_well_with_possible_figures(simulator: Path, tmp_path: Path) -> None:
    traces = write_traces(tmp_path)
    outcomes = [play(simulator, seed, traces) for seed in range(1, 21)]
    assert [(one.seed, one.findings) for one in outcomes if one.findings] == []
    assert not any(one.is_cut for one in outcomes)
