"""What docs/adapting-links.md concludes, from runs whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from analysis.adapting.answers import agreement, best_targets, overtaking_costs, resume_gains

TARGETS = (0.001, 0.01, 0.1)


def runs_of(goodputs: tuple[float, float, float]) -> pd.DataFrame:
    """Return three seeds of one variant, whose goodput in Mbit/s is given by target."""
    return pd.DataFrame(
        {"orbit": "GEO", "scheme": "none", "tcp": "cubic", "target": target, "seed": seed}
        | {"goodput_bps": (mbps + noise) * 1e6}
        for target, mbps in zip(TARGETS, goodputs, strict=True)
        for seed, noise in ((1, 0.0), (2, 0.1), (3, -0.1))
    )


@pytest.mark.parametrize(
    ("linux", "same_and_worse"),
    [((1, 5, 3), (1, 0)), ((1, 3, 5), (0, 1))],
    ids=["the same best target", "the target of ns-2 is worse"],
)
def test_agreement__counts_equal_and_worse_targets(
    linux: tuple[float, float, float], same_and_worse: tuple[int, int]
) -> None:
    usual = best_targets(runs_of((1, 4, 2)))
    assert usual[0].target == 0.01
    assert agreement(usual, best_targets(runs_of(linux))) == same_and_worse


def test_agreement__counts_no_target_as_worse_that_the_intervals_do_not_part() -> None:
    other = runs_of((1, 4, 4.01))
    rising = other["target"] == TARGETS[2]
    other.loc[rising, "goodput_bps"] += np.array([1e6, -1e6, 0])
    assert agreement(best_targets(runs_of((1, 4, 2))), best_targets(other)) == (0, 0)


def test_overtaking_costs__are_of_the_goodput_in_order() -> None:
    runs = pd.DataFrame(
        {"stack": "2009", "tcp": "cubic", "overtaking": overtaking, "seed": seed, "goodput_bps": bps}
        for overtaking, bps in ((False, 10.0), (True, 9.0))
        for seed in (1, 2)
    )
    assert [one.mean for one in overtaking_costs(runs)["change"]] == pytest.approx([-0.1])


def test_resume_gains__are_by_the_capacity_that_is_remembered() -> None:
    runs = pd.DataFrame(
        {
            "capacity": capacity,
            "tcp": "cubic",
            "resume_window_bytes": window,
            "seed": seed,
            "completion_s": took_s,
        }
        for capacity, window, took_s in ((1, None, 0.5), (1, 5e5, 0.4), (4, None, 1.0), (4, 5e5, 1.1))
        for seed in (1, 2)
    )
    gains = resume_gains(runs)
    assert list(gains["capacity"]) == [1, 4]
    assert [one.mean for one in gains["change"]] == pytest.approx([-0.2, 0.1])
