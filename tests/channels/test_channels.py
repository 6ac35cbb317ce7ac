"""Erasure streams do not depend on the pieces, and have the laws of the models."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tmt import Bernoulli, ErrorFree, GilbertElliott, Handover, Lms, NeymanA, Shadows, Snr
from tmt.core.channels import CHANNELS
from tmt.core.channels.base import Channel, SlotChannel
from tmt.core.channels.gilbert_elliott.kernel import gilbert_elliott
from tmt.core.errors import UsageError

EXAMPLES: list[SlotChannel] = [
    ErrorFree(),
    Bernoulli(0.3),
    GilbertElliott(0.9, 0.6, 0.1, 0.8),
    NeymanA(0.3, 4, 2.5),
]


def test_channels__are_known_by_the_names_that_users_type() -> None:
    by_slots = {"error-free", "bernoulli", "gilbert-elliott", "neyman-a"}
    assert set(CHANNELS) == by_slots | {"lms", "shadows", "snr", "handover"}
    assert {type(example) for example in EXAMPLES} == set(CHANNELS.values()) - {Lms, Shadows, Snr, Handover}


@pytest.mark.parametrize("channel", EXAMPLES, ids=lambda channel: channel.name)
@settings(max_examples=25)
@given(cuts=st.lists(st.integers(0, 9), min_size=1, max_size=12), seed=st.integers(0, 2**64))
def test_erasures__do_not_depend_on_the_cut(channel: SlotChannel, cuts: list[int], seed: int) -> None:
    whole = channel.erasures(seed).next(sum(cuts))
    stream = channel.erasures(seed)
    assert np.array_equal(np.concatenate([stream.next(slots) for slots in cuts]), whole)


def test_erasures__differ_from_seed_to_seed() -> None:
    for channel in EXAMPLES[1:]:
        first, second = (channel.erasures(seed).next(200) for seed in (1, 2))
        assert not np.array_equal(first, second)


def test_error_free__erases_nothing() -> None:
    assert not ErrorFree().erasures(7).next(1000).any()


@pytest.mark.parametrize(("probability", "count"), [(0.0, 0), (1.0, 1000)])
def test_bernoulli__is_certain_at_the_ends_of_its_range(probability: float, count: int) -> None:
    assert Bernoulli(probability).erasures(7).next(1000).sum() == count


def test_bernoulli__erases_the_stated_share_independently() -> None:
    # 20 000 slots: standard deviation of the share sqrt(0.2 * 0.8 / 20 000) = 0.0028; four of them allowed.
    erased = Bernoulli(0.2).erasures(11).next(20_000)
    assert erased.mean() == pytest.approx(0.2, abs=0.0114)
    # Pairs of neighbours are both erased with probability 0.2 ** 2.
    assert (erased[1:] & erased[:-1]).mean() == pytest.approx(0.04, abs=0.008)


def test_gilbert_elliott_kernel__moves_and_erases_as_written_by_hand() -> None:
    # Columns: fate, move. Good with alpha 0.9, error 0.1: 0.05 erases, 0.95 leaves; bad with beta 0.5, error
    # 0.7: 0.8 does not erase, 0.4 stays; 0.6 erases, 0.5 leaves; good again: 0.2 does not erase, 0.1 stays.
    draws = np.array([[0.05, 0.95], [0.8, 0.4], [0.6, 0.5], [0.2, 0.1]])
    erased = np.empty(4, np.bool_)
    assert not gilbert_elliott(draws, 0.9, 0.5, 0.1, 0.7, False, erased)
    assert erased.tolist() == [True, False, True, False]


def test_gilbert_elliott__has_the_stationary_law_of_the_paper() -> None:
    # Kuhn 2014, section 3.3: p = (1 - alpha) / (2 - alpha - beta) = 0.01 / 0.51; with errors in both states
    # (50 * 0.02 + 1 * 0.7) / 51.
    assert GilbertElliott(0.99, 0.5).erasure_probability == pytest.approx(1 / 51)
    assert GilbertElliott(0.99, 0.5, 0.02, 0.7).erasure_probability == pytest.approx(1.7 / 51)


def test_gilbert_elliott__starts_from_the_stationary_law() -> None:
    # 4000 first slots, erased with probability 0.2 / 0.6: standard deviation 0.0075; four of them allowed.
    channel = GilbertElliott(0.8, 0.6)
    first = [channel.erasures(seed).next(1)[0] for seed in range(4000)]
    assert np.mean(first) == pytest.approx(1 / 3, abs=0.03)


def test_gilbert_elliott__makes_bursts_and_gaps_of_the_stated_mean_length() -> None:
    # Means 1 / (1 - beta) = 4 and 1 / (1 - alpha) = 20; about 830 of each in 20 000 slots, so that standard
    # deviations of the means are sqrt(12 / 830) = 0.12 and sqrt(380 / 830) = 0.68; four of them allowed.
    erased = GilbertElliott(0.95, 0.75).erasures(5).next(20_000)
    bursts = np.count_nonzero(erased[1:] & ~erased[:-1]) + erased[0]
    assert erased.sum() / bursts == pytest.approx(4.0, abs=0.5)
    assert (~erased).sum() / bursts == pytest.approx(20.0, abs=2.8)


@pytest.mark.parametrize("channel", [Bernoulli(0.5), NeymanA(0.5, 5, 1), Lms(es_n0_db=5), Shadows()], ids=str)
def test_realisation__refuses_a_negative_seed(channel: Channel) -> None:
    with pytest.raises(UsageError, match="seed is -1; it must be 0 or more"):
        channel.realisation(-1)
