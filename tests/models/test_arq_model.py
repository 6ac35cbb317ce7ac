"""ARQ against closed forms, against a larger chain solved numerically, and against its slow twin."""

import math

import numpy as np
import pytest
from enumeration import moves
from naive import schemes as naive

from tmt.theory import RegularLink, TwoStateChannel, arq, delivered_by_transmission, no_scheme

LINK = RegularLink(500_000_000, 1_000_000, 36_000_000)


@pytest.mark.parametrize(
    ("report_ns", "slots"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (500, 50), (501, 51)]
)
def test_feedback_slots__is_the_first_slot_not_before_the_report(report_ns: int, slots: int) -> None:
    assert RegularLink(report_ns, 10).feedback_slots == slots
    assert RegularLink(0, 10, detection_delay_ns=report_ns).feedback_slots == slots


def test_arq__counts_no_round_trip_when_nothing_is_erased() -> None:
    # The printed formula gives 1.5 RTT here.
    found = arq(TwoStateChannel(1.0, 0.5), LINK)
    assert (found.efficiency, found.recovery_delay_s, found.residual_loss) == (1.0, 0.286, 0.0)


def test_arq__waits_p_over_one_minus_p_round_trips() -> None:
    # p = 1/3: half a round trip more per LLDU: 0.25 + 0.036 + 0.5 * 0.5 s.
    found = arq(TwoStateChannel(0.99, 0.98), LINK)
    assert math.isclose(found.recovery_delay_s, 0.536)
    assert math.isclose(found.efficiency, 2 / 3)


@pytest.mark.parametrize("channel", [TwoStateChannel(0.98, 0.95), TwoStateChannel(0.9, 0.8, 0.1, 0.7)])
@pytest.mark.parametrize("slots", [1, 7, 500])
def test_arq__with_a_remote_limit_is_arq_without(channel: TwoStateChannel, slots: int) -> None:
    link = RegularLink(slots * 1_000_000, 1_000_000)
    unlimited, limited = arq(channel, link), arq(channel, link, max_transmissions=3000)
    assert math.isclose(limited.recovery_delay_s, unlimited.recovery_delay_s, rel_tol=1e-9)
    assert limited.residual_loss < 1e-12


def test_arq__of_independent_erasures_has_the_truncated_geometric_law() -> None:
    delivered = delivered_by_transmission(TwoStateChannel(0.8, 0.2), feedback_slots=9, max_transmissions=4)
    np.testing.assert_allclose(delivered, 0.8 * 0.2 ** np.arange(4), rtol=1e-12)
    # Delays of 0, 1, 2, 3 feedback times with those weights, over their sum.
    link = RegularLink(9, 1)
    mean = 9 * (0.2 + 2 * 0.04 + 3 * 0.008) / (1 + 0.2 + 0.04 + 0.008)
    assert math.isclose(arq(TwoStateChannel(0.8, 0.2), link, 4).recovery_delay_s, (4.5 + mean) / 1e9)


@pytest.mark.parametrize("channel", [TwoStateChannel(0.98, 0.95), TwoStateChannel(0.9, 0.8, 0.1, 0.7)])
@pytest.mark.parametrize("limit", [1, 2, 5])
@pytest.mark.parametrize("slots", [1, 4])
def test_delivered_by_transmission__is_the_long_run_of_the_chain_of_state_and_attempt(
    channel: TwoStateChannel, limit: int, slots: int
) -> None:
    # One step of this chain is one slot of a residue class mod k: (state, number of the attempt it carries).
    errors, move = (channel.error_good, channel.error_bad), moves(channel, slots)
    chain = np.zeros((2 * limit, 2 * limit))
    for attempt in range(limit):
        for state in (0, 1):
            for after in (0, 1):
                retry = (attempt + 1) % limit
                chain[2 * attempt + state, 2 * retry + after] += errors[state] * move[state][after]
                chain[2 * attempt + state, after] += (1 - errors[state]) * move[state][after]
    law = np.linalg.matrix_power(chain, 2**20)[0].reshape(limit, 2)
    expected = law @ (1 - np.array(errors)) / law[0].sum()
    np.testing.assert_allclose(delivered_by_transmission(channel, slots, limit), expected, rtol=1e-9)


def test_arq__is_what_the_slow_twin_does_on_a_periodic_channel_of_known_erasures() -> None:
    # Every slot s with s // 5 even is erased, and feedback takes 5 slots: if slot s + k carries what s lost,
    # each LLDU is sent twice, the second time with success.
    tx = [10 * s for s in range(200)]
    decode = [0 if s // 5 % 2 == 0 else 3 for s in range(200)]
    rows = naive.arq(tx, decode, rtt=50).rows
    assert {(row.delay_ns, row.transmissions) for row in rows} == {(53, 2)}


def test_no_scheme__loses_what_is_erased() -> None:
    found = no_scheme(TwoStateChannel(0.99, 0.98), LINK)
    assert math.isclose(found.efficiency, 2 / 3)
    assert math.isclose(found.residual_loss, 1 / 3)
    assert found.recovery_delay_s == 0.286


def test_arq__on_a_dead_channel_delivers_nothing() -> None:
    dead = TwoStateChannel(0.5, 0.5, 1.0, 1.0)
    assert arq(dead, LINK).efficiency == 0.0
    assert arq(dead, LINK, 3).residual_loss == 1.0
    assert math.isnan(arq(dead, LINK).recovery_delay_s)
    assert math.isnan(no_scheme(dead, LINK).recovery_delay_s)
