"""A sample of the simulated schedules keeps every promise, replays, and finds planted bugs."""

import pytest
from simulation.mutations import MUTATIONS
from simulation.world import play

MOST_SCHEDULES = 150
"""Within so many schedules each planted bug is found; `make simulate` plays thousands."""


def test_schedules__keep_every_promise() -> None:
    failures = [failure for seed in range(1000, 1020) if (failure := play(seed)[1])]
    assert not failures, "\n".join(f"seed {failure.seed}: {failure.reason}" for failure in failures)


def test_schedule__replays_from_its_seed() -> None:
    for seed in range(4):
        assert play(seed)[0] == play(seed)[0]
    assert play(0)[0] != play(1)[0]


@pytest.mark.parametrize("bug", MUTATIONS)
def test_schedules__find_a_planted_bug(bug: str) -> None:
    with MUTATIONS[bug]():
        seeds = range(194, 194 + MOST_SCHEDULES)
        assert any(play(seed)[1] for seed in seeds), "the simulation does not notice it"
