"""The Neyman type A channel: kernel against slow twin, erasures against definition and formulas."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import neyman_a as naive

from tmt import NeymanA
from tmt.core.channels.neyman_a.kernel import neyman_a
from tmt.theory import ClusteredErrors

CASES = [
    NeymanA(0.1, 10, 0),
    NeymanA(0.05, 3, 0.2),
    NeymanA(0.2, 8, 1),
    NeymanA(0.3, 4, 2.5),
    NeymanA(0.02, 40, 30),
    NeymanA(0.3, 0.5, 7),
]


@settings(max_examples=100)
@given(
    gaps=st.lists(st.sampled_from([0.0, 0.125, 0.5, 0.9, 1.0, 2.25, 7.0]), max_size=12),
    cluster_slots=st.sampled_from([0.0, 0.25, 0.75, 1.0, 1.5, 4.0, 9.125]),
    errors=st.sampled_from([0.1, 1.0, 20.0]),
    cuts=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    seed=st.integers(0, 2**32),
)
def test_kernel__erases_what_the_twin_erases(
    gaps: list[float], cluster_slots: float, errors: float, cuts: list[int], seed: int
) -> None:
    first = 2**40  # where a float has room for the slot, but not for the place in it
    begin = np.cumsum(np.array(gaps))
    begin_slot, begin_part = first + np.floor(begin).astype(np.int64), begin % 1.0
    end_slot = begin_slot + np.floor(begin_part + cluster_slots).astype(np.int64)
    end_part = (begin_part + cluster_slots) % 1.0
    uniforms = np.random.default_rng(seed).random(sum(cuts))
    erased = np.empty(len(uniforms), np.bool_)
    done = forgotten = begun = 0
    for cut in cuts:
        piece = slice(done, done + cut)
        rest = slice(forgotten, None)
        begun, ended = neyman_a(
            uniforms[piece],
            first + done,
            begin_slot[rest],
            begin_part[rest],
            end_slot[rest],
            end_part[rest],
            begun,
            errors,
            cluster_slots,
            erased[piece],
        )
        done, forgotten, begun = done + cut, forgotten + ended, begun - ended
    begins = list(zip(begin_slot.tolist(), begin_part.tolist(), strict=True))
    assert erased.tolist() == naive.erased(begins, errors, cluster_slots, first, uniforms.tolist())


def runs_without_erasure(erased: np.ndarray[Any, np.dtype[np.bool_]], length: int) -> float:
    """Return the share of stretches of so many slots, side by side, in which nothing is erased."""
    whole = len(erased) // length * length
    return float((~erased[:whole].reshape(-1, length).any(axis=1)).mean())


@pytest.mark.jit
@pytest.mark.parametrize("channel", CASES, ids=str)
def test_erasures__leave_stretches_alone_as_often_as_the_formula_says(channel: NeymanA) -> None:
    # The probabilities of stretches of 1, 2, 5 and 20 slots without erasure say how erasures are spread. 200
    # blocks of 1000 slots give each one with its own standard deviation; four of them allowed.
    theory = ClusteredErrors.with_loss(channel.probability, channel.errors_per_cluster, channel.cluster_slots)
    assert theory.clusters == pytest.approx(channel.clusters_per_slot, rel=1e-9)
    erased = channel.erasures(21).next(200_000)
    for length in (1, 2, 5, 20):
        shares = [runs_without_erasure(block, length) for block in erased.reshape(200, -1)]
        tolerance = 4 * np.std(shares, ddof=1) / math.sqrt(len(shares))
        assert np.mean(shares) == pytest.approx(theory.no_error(length), abs=tolerance)


@pytest.mark.jit
@pytest.mark.parametrize("channel", [CASES[1], CASES[3]], ids=str)
def test_erasures__are_those_slots_that_hold_an_error(channel: NeymanA) -> None:
    # The definition, error for error, against the channel: share of erased slots and of pairs of them, in 100
    # and in 500 blocks of 400 slots; four standard deviations of the difference allowed.
    source = np.random.default_rng(5)
    by_definition = np.zeros((100, 400), np.bool_)
    for block in by_definition:
        places = naive.error_places(
            channel.clusters_per_slot, channel.errors_per_cluster, channel.cluster_slots, 400, source
        )
        block[[math.floor(place) for place in places]] = True
    ours = channel.erasures(6).next(200_000).reshape(500, 400)
    for measure in (lambda e: e.mean(axis=1), lambda e: (e[:, 1:] & e[:, :-1]).mean(axis=1)):
        theirs, own = measure(by_definition), measure(ours)
        tolerance = 4 * math.hypot(theirs.std() / 10, own.std() / math.sqrt(500))
        assert theirs.mean() == pytest.approx(own.mean(), abs=tolerance)


@pytest.mark.jit
def test_erasures__count_as_neyman_has_it_when_clusters_are_far_apart() -> None:
    # Clusters of 4 errors in the mean over 80 slots, one in 2500 slots: in windows of 2500 slots the number
    # of erased slots has nearly the mean m1 m2 = 4 and the variance m1 m2 (1 + m2) = 20 (4 if they were
    # independent). 400 windows leave 6 % on the mean and 11 % on the variance; four of them allowed.
    erased = NeymanA(1.6e-3, 4, 80).erasures(9).next(1_000_000)
    counts = erased.reshape(400, -1).sum(axis=1)
    assert counts.mean() == pytest.approx(4.0, rel=0.24)
    assert counts.var() == pytest.approx(20.0, rel=0.44)


@pytest.mark.parametrize("channel", [NeymanA(0.6, 2, 0.4), NeymanA(0.2, 3, 700.5)], ids=str)
def test_erasures__do_not_depend_on_the_cut_where_blocks_of_clusters_end(channel: NeymanA) -> None:
    # Blocks of 1024 clusters end every 1100 slots or so, and every 14,000.
    cuts = [1, 1086, 0, 1, 2, 5000, 8000, 8, 25_902]
    stream = channel.erasures(4)
    pieces = np.concatenate([stream.next(cut) for cut in cuts])
    assert np.array_equal(pieces, channel.erasures(4).next(sum(cuts)))


@pytest.mark.jit
def test_erasures__start_as_if_the_channel_had_always_run() -> None:
    # 2000 first slots, erased with probability 0.3: standard deviation 0.0102; four of them allowed.
    channel = NeymanA(0.3, 5, 20)
    first = [channel.erasures(seed).next(1)[0] for seed in range(2000)]
    assert np.mean(first) == pytest.approx(0.3, abs=0.041)


def test_erasures__never_happen_with_probability_0() -> None:
    assert not NeymanA(0.0, 5, 20).erasures(3).next(100_000).any()
