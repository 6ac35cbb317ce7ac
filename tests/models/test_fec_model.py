"""FEC against its slow twin over every erasure pattern, and against the binomial law."""

import math

import numpy as np
import pytest
from enumeration import patterns
from naive import schemes as naive
from scipy import stats

from tmt.theory import Performance, RegularLink, TwoStateChannel, block_law, erasure_count_law, fec

LINK = RegularLink(rtt_ns=500, slot_interval_ns=3, decode_time_ns=36)


def _by_enumeration(channel: TwoStateChannel, data: int, repair: int, depth: int) -> Performance:
    slots = depth * (data + repair)
    tx = [LINK.slot_interval_ns * s for s in range(slots)]
    delivered = waited_ns = lost = 0.0
    for pattern, weight in patterns(channel, range(slots)):
        decode = [0 if erased else LINK.decode_time_ns for erased in pattern]
        rows = naive.fec(tx, decode, data, repair, depth).rows
        arrived = [row for row in rows if row.delivered]
        delivered += weight * len(arrived)
        waited_ns += weight * sum(row.delay_ns for row in arrived)
        lost += weight * (len(rows) - len(arrived))
    delay_s = (LINK.rtt_ns / 2 + waited_ns / delivered) / 1e9
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
    found = fec(channel, LINK, data, repair, depth)
    assert math.isclose(found.efficiency, expected.efficiency, rel_tol=1e-12)
    assert math.isclose(found.recovery_delay_s, expected.recovery_delay_s, rel_tol=1e-12)
    assert math.isclose(found.residual_loss, expected.residual_loss, rel_tol=1e-9)


def test_fec__loses_what_the_binomial_law_says_when_erasures_are_independent() -> None:
    # An LLDU is lost when it is erased and N_R or more of the other N - 1 are: p P(X >= N_R), X ~ Bin(21, p).
    p = 0.3
    found = fec(TwoStateChannel(1 - p, p), LINK, data=10, repair=12)
    assert math.isclose(found.residual_loss, p * stats.binom.sf(11, 21, p), rel_tol=1e-9)


def test_fec__interleaved_deeply_is_fec_on_independent_erasures() -> None:
    channel = TwoStateChannel(0.99, 0.9)
    p = channel.erasure_probability
    deep = fec(channel, LINK, 10, 4, depth=500)
    assert math.isclose(deep.residual_loss, p * stats.binom.sf(3, 13, p), rel_tol=1e-9)


def test_fec__of_an_error_free_channel_delivers_all_data_after_decoding() -> None:
    # Eq. 1 as printed gives 0 here; 10 of 22 slots carry data.
    found = fec(TwoStateChannel(1.0, 0.5), RegularLink(500_000_000, 1_000_000, 36_000_000), 10, 12)
    assert found == Performance(10 / 22, 0.286, 0.0)


def test_fec__without_any_delivery_has_no_delay() -> None:
    found = fec(TwoStateChannel(0.5, 0.5, 1.0, 1.0), LINK, 3, 2)
    assert (found.efficiency, found.residual_loss) == (0.0, 1.0)
    assert math.isnan(found.recovery_delay_s)


def test_block_law__agrees_with_itself_and_with_the_count_law() -> None:
    channel = TwoStateChannel(0.98, 0.9, 0.01, 0.9)
    law = block_law(channel, 38, 13)
    np.testing.assert_allclose(law.counts.sum(axis=0), erasure_count_law(channel, 51), atol=1e-13)
    # Each of m erasures is a data LLDU's or a repair LLDU's; recovery happens exactly when m <= N_R.
    np.testing.assert_allclose(law.erased[:, :, :14].sum(), law.recovered, atol=1e-13)
    np.testing.assert_allclose(law.recovered + law.unrecovered, 38 * channel.erasure_probability, rtol=1e-12)
