"""Schedulers of a shared line: slow twins, any cut, and laws in closed form."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import sharing as naive
from numpy.typing import NDArray
from scipy.special import exp1

from tmt.core.problems import Refused
from tmt.core.sharing import Allocation, ProportionalFair, RoundRobin, Scheduler, Weighted

Floats = NDArray[np.float64]


def given_to(scheduler: Scheduler, users: int, slots: int, rates: Floats | None = None) -> list[int]:
    """Return the user of each slot, asked for in pieces of 1, 2, 3, ... slots."""
    allocation: Allocation = scheduler.allocation(users)
    found: list[int] = []
    while len(found) < slots:
        first, size = len(found), min(slots - len(found), 1 + len(found) // 2)
        piece = None if rates is None else rates[:, first : first + size]
        found += allocation.next(size, piece).tolist()
    return found


def test_round_robin__gives_each_user_every_nth_slot() -> None:
    assert given_to(RoundRobin(), 3, 8) == [0, 1, 2, 0, 1, 2, 0, 1]


@settings(max_examples=50)
@given(weights=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_weighted__equals_the_twin_and_is_exact_in_each_cycle(weights: list[int]) -> None:
    cycle = sum(weights)
    users = given_to(Weighted(tuple(weights)), len(weights), 3 * cycle)
    assert users == naive.by_weight(weights, 3 * cycle)
    for begin in range(2 * cycle):
        got = np.bincount(users[begin : begin + cycle], minlength=len(weights))
        assert got.tolist() == weights


def test_weighted__spreads_as_nginx_does() -> None:
    # The example in the message of nginx's commit "Upstream: smooth weighted round-robin balancing": weights
    # 5, 1, 1 give a a b a c a a.
    assert given_to(Weighted((5, 1, 1)), 3, 7) == [0, 0, 1, 0, 2, 0, 0]


@pytest.mark.parametrize("scheduler", [Weighted((7, 7, 7, 7)), ProportionalFair(50)])
def test_equal_users__take_turns(scheduler: Scheduler) -> None:
    rates = np.full((4, 1000), 3.0)
    assert given_to(scheduler, 4, 1000, rates) == given_to(RoundRobin(), 4, 1000)


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), users=st.integers(1, 5), averaging=st.integers(1, 20))
def test_proportional_fair__equals_the_twin(seed: int, users: int, averaging: int) -> None:
    random = np.random.default_rng(seed)
    rates = random.integers(1, 10**6, (users, 60)) * (random.random((users, 60)) < 0.9)
    expected = naive.by_rate(rates.tolist(), averaging)
    assert given_to(ProportionalFair(averaging), users, 60, rates.astype(np.float64)) == expected


def rayleigh(users: int, slots: int) -> Floats:
    """Return the power gains of independent slots of Rayleigh fading, of mean 1."""
    return np.random.default_rng(7).exponential(size=(users, slots))


def means_of(rates: Floats, averaging_slots: int = 10_000) -> Floats:
    """Return what proportional fairness gives each user in a slot, after the first fifth."""
    users, slots = rates.shape
    user = ProportionalFair(averaging_slots).allocation(users).next(slots, rates)
    late = np.arange(slots) >= slots // 5
    return np.array([rates[k, late & (user == k)].sum() / late.sum() for k in range(users)])


@pytest.mark.parametrize("users", [2, 4])
def test_proportional_fair__gains_by_a_harmonic_number_over_rayleigh_fading(users: int) -> None:
    # Rates in proportion to the power gain: the best of n exponential gains has the mean 1 + 1/2 + ... + 1/n
    # (Rényi), and each user is the best in every n-th slot; users 10 dB apart gain alike.
    strengths = 10.0 ** np.linspace(0, 1, users)
    gains = means_of(strengths[:, None] * rayleigh(users, 500_000)) / (strengths / users)
    assert gains == pytest.approx([sum(1 / k for k in range(1, users + 1))] * users, rel=0.015)


def test_proportional_fair__gains_for_two_users_of_shannons_rate_as_in_closed_form() -> None:
    # For a gain x of density exp(-x), E log2(1 + s x) = exp(1/s) E1(1/s) / ln 2 = C(s); the larger of two has
    # the density 2 exp(-x) - 2 exp(-2x), hence the mean 2 C(s) - C(s/2), of which each user gets half.
    def ergodic(snr: float) -> float:
        return float(np.exp(1 / snr) * exp1(1 / snr) / np.log(2))

    for snr in (1.0, 10.0):
        found = means_of(np.log2(1 + snr * rayleigh(2, 500_000)))
        assert found == pytest.approx([ergodic(snr) - ergodic(snr / 2) / 2] * 2, rel=0.01)


def test_weights__must_be_as_many_as_users() -> None:
    assert Weighted((2, 1)).fault(2) is None
    assert Weighted((2, 1)).fault(3) == ("weights", "one for each user, 3", "has 2 weights")
    with pytest.raises(Refused, match="weights"):
        Weighted((2, 0))
