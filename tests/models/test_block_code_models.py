"""HARQ and FEC: against enumeration, slow twins, limits and long traces."""

import itertools
import math
from dataclasses import astuple, dataclass

import numpy as np
import pytest
from enumeration import emission, moves, path_probability, patterns
from naive import schemes as naive
from scipy import stats

from tmt.theory import Performance, RegularLink, TwoStateChannel, block_law, erasure_count_law, fec, harq

LINK = RegularLink(500_000_000, 1_000_000, 36_000_000)


@dataclass
class Life:
    """Means over a block's life, enumerated."""

    slots: float = 0.0
    delivered: float = 0.0
    waited: float = 0.0


def _enumerate(
    channel: TwoStateChannel, feedback: int, data: int, repair: int, extra: int, rounds: int
) -> Life:
    """Follow every erasure pattern and state path of a block that no other block's repair interrupts."""
    life = Life()

    def follow(
        weight: float, state: int, now: int, arrivals: list[int], erased: list[int], left: int
    ) -> None:
        """`now` is the slot of the last LLDU sent; `arrivals` and `erased` hold slots."""
        need = data - len(arrivals)
        if need <= 0:
            life.delivered += weight * data
            life.waited += weight * sum(arrivals[data - 1] - slot for slot in erased)
            return
        if left == 0:
            life.delivered += weight * (data - len(erased))
            return
        length = need + extra
        life.slots += weight * length
        for path in itertools.product((0, 1), repeat=length):
            steps = (feedback, *[1] * (length - 1))
            reached = weight
            for (here, there), step in zip(itertools.pairwise((state, *path)), steps, strict=True):
                reached *= moves(channel, step)[here][there]
            for pattern in itertools.product((False, True), repeat=length):
                arrived = [now + feedback + j for j, gone in enumerate(pattern) if not gone]
                follow(
                    reached * emission(channel, path, pattern),
                    path[-1],
                    now + feedback + length - 1,
                    arrivals + arrived,
                    erased,
                    left - 1,
                )

    size = data + repair
    for path in itertools.product((0, 1), repeat=size):
        for pattern in itertools.product((False, True), repeat=size):
            weight = path_probability(channel, range(size), path) * emission(channel, path, pattern)
            life.slots += weight * size
            arrivals = [slot for slot in range(size) if not pattern[slot]]
            erased = [slot for slot in range(data) if pattern[slot]]
            follow(weight, path[-1], size - 1, arrivals, erased, rounds)
    return life


@pytest.mark.parametrize(
    ("data", "repair", "extra", "rounds"), [(1, 0, 0, 3), (2, 1, 0, 2), (2, 0, 1, 1), (1, 2, 1, 2)]
)
def test_independent_erasures__equal_enumeration(data: int, repair: int, extra: int, rounds: int) -> None:
    channel = TwoStateChannel(0.7, 0.3)
    life = _enumerate(channel, 5, data, repair, extra, rounds)
    found = harq(channel, RegularLink(5, 1), data, repair, extra, rounds)
    assert math.isclose(found.efficiency, life.delivered / life.slots, rel_tol=1e-9)
    assert math.isclose(found.residual_loss, 1 - life.delivered / data, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("data", "repair", "extra", "rounds"), [(1, 0, 0, 3), (2, 1, 0, 2), (2, 0, 1, 1), (1, 2, 1, 2)]
)
@pytest.mark.parametrize("errors", [(0.0, 1.0), (0.0002, 0.7)])
def test_harq__with_memory_across_rounds_equals_enumeration_where_requests_are_rare(
    data: int, repair: int, extra: int, rounds: int, errors: tuple[float, float]
) -> None:
    # Bad slots are one in 600, so that interruptions by other blocks, which the enumeration omits, change
    # the results by about a thousandth; the correlation over the feedback, 0.4^3, changes them by far more.
    channel = TwoStateChannel(0.999, 0.4, *errors)
    life = _enumerate(channel, 3, data, repair, extra, rounds)
    found = harq(channel, RegularLink(3, 1), data, repair, extra, rounds)
    assert math.isclose(found.efficiency, life.delivered / life.slots, rel_tol=1e-5)
    assert math.isclose(found.residual_loss, 1 - life.delivered / data, rel_tol=5e-3)
    waited = found.recovery_delay_s * 1e9 - 1.5
    assert math.isclose(waited, life.waited / life.delivered, rel_tol=5e-3)


def test_harq__without_rounds_is_fec() -> None:
    channel = TwoStateChannel(0.98, 0.9)
    found, expected = harq(channel, LINK, 10, 2, extra=1, rounds=0), fec(channel, LINK, 10, 2)
    assert astuple(found) == pytest.approx(astuple(expected), rel=1e-12)


@pytest.mark.parametrize("rounds", [0, 1, 2, 5, 40])
def test_harq__delivers_more_with_every_round_and_in_the_end_all(rounds: int) -> None:
    channel = TwoStateChannel(0.98, 0.9)
    fewer, more = (harq(channel, LINK, 10, 2, 1, r) for r in (rounds, rounds + 1))
    assert more.residual_loss < fewer.residual_loss or fewer.residual_loss < 1e-12
    assert more.recovery_delay_s >= fewer.recovery_delay_s
    assert rounds < 40 or more.residual_loss < 1e-12


def test_harq__of_single_lldus_without_repair_is_arq_on_independent_erasures() -> None:
    # Blocks of one LLDU, requests of one: selective repeat with R + 1 transmissions, p = 0.2, k = 500:
    # (0.2 + 2 * 0.04) * 500 / (1 + 0.2 + 0.04) slots of waiting per delivered LLDU.
    found = harq(TwoStateChannel(0.8, 0.2), LINK, 1, 0, extra=0, rounds=2)
    assert math.isclose(found.efficiency, 0.8, rel_tol=1e-12)
    assert math.isclose(found.residual_loss, 0.008, rel_tol=1e-9)
    assert math.isclose(found.recovery_delay_s, 0.286 + 0.14 / 1.24, rel_tol=1e-9)


SHORT_LINK = RegularLink(rtt_ns=500, slot_interval_ns=3, decode_time_ns=36)


def _by_enumeration(channel: TwoStateChannel, data: int, repair: int, depth: int) -> Performance:
    slots = depth * (data + repair)
    tx = [SHORT_LINK.slot_interval_ns * s for s in range(slots)]
    delivered = waited_ns = lost = 0.0
    for pattern, weight in patterns(channel, range(slots)):
        decode = [0 if erased else SHORT_LINK.decode_time_ns for erased in pattern]
        rows = naive.fec(tx, decode, data, repair, depth).rows
        arrived = [row for row in rows if row.delivered]
        delivered += weight * len(arrived)
        waited_ns += weight * sum(row.delay_ns for row in arrived)
        lost += weight * (len(rows) - len(arrived))
    delay_s = (SHORT_LINK.rtt_ns / 2 + waited_ns / delivered) / 1e9
    return Performance(delivered / slots, delay_s, lost / (depth * data))


@pytest.mark.parametrize(
    ("data", "repair", "depth"), [(1, 0, 1), (3, 0, 1), (2, 1, 1), (3, 3, 1), (1, 4, 1), (2, 1, 2), (1, 1, 3)]
)
@pytest.mark.parametrize(
    "channel",
    [TwoStateChannel(0.9, 0.7), TwoStateChannel(0.8, 0.6, 0.1, 0.8), TwoStateChannel(0.2, 0.1, 0.3, 0.9)],
)
def test_fec__equals_its_twin(channel: TwoStateChannel, data: int, repair: int, depth: int) -> None:
    expected = _by_enumeration(channel, data, repair, depth)
    found = fec(channel, SHORT_LINK, data, repair, depth)
    assert math.isclose(found.efficiency, expected.efficiency, rel_tol=1e-12)
    assert math.isclose(found.recovery_delay_s, expected.recovery_delay_s, rel_tol=1e-12)
    assert math.isclose(found.residual_loss, expected.residual_loss, rel_tol=1e-9)


def test_fec__loses_what_the_binomial_law_says_when_erasures_are_independent() -> None:
    # An LLDU is lost when it is erased and N_R or more of the other N - 1 are: p P(X >= N_R), X ~ Bin(21, p).
    p = 0.3
    found = fec(TwoStateChannel(1 - p, p), SHORT_LINK, data=10, repair=12)
    assert math.isclose(found.residual_loss, p * stats.binom.sf(11, 21, p), rel_tol=1e-9)


def test_fec__interleaved_deeply_is_fec_on_independent_erasures() -> None:
    channel = TwoStateChannel(0.99, 0.9)
    p = channel.erasure_probability
    deep = fec(channel, SHORT_LINK, 10, 4, depth=500)
    assert math.isclose(deep.residual_loss, p * stats.binom.sf(3, 13, p), rel_tol=1e-9)


def test_fec__of_an_error_free_channel_delivers_all_data_after_decoding() -> None:
    # Eq. 1 as printed gives 0 here; 10 of 22 slots carry data.
    found = fec(TwoStateChannel(1.0, 0.5), RegularLink(500_000_000, 1_000_000, 36_000_000), 10, 12)
    assert found == Performance(10 / 22, 0.286, 0.0)


def test_fec__without_any_delivery_has_no_delay() -> None:
    found = fec(TwoStateChannel(0.5, 0.5, 1.0, 1.0), SHORT_LINK, 3, 2)
    assert (found.efficiency, found.residual_loss) == (0.0, 1.0)
    assert math.isnan(found.recovery_delay_s)


def test_block_law__agrees_with_itself_and_with_the_count_law() -> None:
    channel = TwoStateChannel(0.98, 0.9, 0.01, 0.9)
    law = block_law(channel, 38, 13)
    np.testing.assert_allclose(law.counts.sum(axis=0), erasure_count_law(channel, 51), atol=1e-13)
    # Each of m erasures is a data LLDU's or a repair LLDU's; recovery happens exactly when m <= N_R.
    np.testing.assert_allclose(law.erased[:, :, :14].sum(), law.recovered, atol=1e-13)
    np.testing.assert_allclose(law.recovered + law.unrecovered, 38 * channel.erasure_probability, rtol=1e-12)
