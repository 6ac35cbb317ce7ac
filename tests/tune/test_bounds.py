"""No conversion delivers more than the bounds by which models rule candidates out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from naive import on_link
from naive.on_link import OnLink

from tmt import Arq, Fec, HarqProcesses, Hybrid, NoScheme, SlidingWindow, Tetrys
from tmt.core.convert import convert
from tmt.core.trace import PhyTrace
from tmt.results.tune.courses import most_delivered

SLOT_NS = 1_000_000
SCHEMES: list[OnLink] = [
    OnLink(NoScheme()),
    on_link.arq(20 * SLOT_NS),
    on_link.arq(0, max_transmissions=2),
    OnLink(Fec(3, 2)),
    OnLink(Fec(4, 1, 3)),
    on_link.harq(3, 1, 15 * SLOT_NS),
    on_link.harq(10, 4, 5 * SLOT_NS, extra=2, rounds=1),
    on_link.harq_processes(20 * SLOT_NS, processes=4, max_transmissions=3),
    on_link.harq_processes(20 * SLOT_NS, processes=8, detection_delay_ns=3 * SLOT_NS, max_transmissions=3),
    on_link.harq_processes(20 * SLOT_NS, processes=4, max_transmissions=3, retransmission="synchronous"),
    on_link.harq_processes(0, repetitions=3),
    OnLink(SlidingWindow(6, 2)),
    on_link.tetrys(6, 2, 5 * SLOT_NS),
    on_link.tetrys(40, 2, 5 * SLOT_NS, detection_delay_ns=SLOT_NS),
    on_link.rlc(rtt_ns=10 * SLOT_NS),
    on_link.rlc(rtt_ns=10 * SLOT_NS, window_pdus=3),
    on_link.rlc_over(HarqProcesses, rtt_ns=10 * SLOT_NS, processes=4),
    on_link.rlc_over(Arq, rtt_ns=10 * SLOT_NS, window_pdus=5, max_transmissions=2, max_retransmissions=0),
    on_link.rlc_over(Tetrys, 6, 2, rtt_ns=5 * SLOT_NS, window_pdus=4),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), loss=st.floats(0, 0.9), n_slots=st.integers(60, 400), data=st.data())
def test_most_delivered__is_an_upper_bound(
    scheme: OnLink, seed: int, loss: float, n_slots: int, data: st.DataObject
) -> None:
    """Count the rows first sent and delivered within any window; the scheme begins before it."""
    random = np.random.default_rng(seed)
    tx_time_ns = np.arange(n_slots, dtype=np.int64) * SLOT_NS
    decode_time_ns = np.where(random.random(n_slots) < loss, 0, 2 * SLOT_NS)
    rows = convert(PhyTrace(tx_time_ns, decode_time_ns), *scheme)
    first = data.draw(st.integers(0, n_slots // 2))
    last = data.draw(st.integers(first + 10, n_slots))
    window = PhyTrace(tx_time_ns[first:last], decode_time_ns[first:last])
    end_ns = last * SLOT_NS  # slots up to here may have been decoded
    inside = (rows.tx_time_ns >= tx_time_ns[first]) & (rows.tx_time_ns < end_ns)
    delivered = inside & rows.delivered & (rows.tx_time_ns + rows.delay_ns < end_ns)
    assert np.count_nonzero(delivered) <= most_delivered(*scheme, window)


def test_most_delivered__by_hand() -> None:
    """Ten slots, all decoded: FEC(3, 2) sends at most 3 + 3, two processes at an RTT of 4 slots at most 6."""
    slots = PhyTrace(np.arange(10, dtype=np.int64) * SLOT_NS, np.ones(10, np.int64))
    assert most_delivered(Fec(3, 2), 0, slots) == 6
    assert most_delivered(*on_link.harq_processes(4 * SLOT_NS, processes=2), slots) == 6
    assert most_delivered(*on_link.harq_processes(0, repetitions=4), slots) == 3
    assert most_delivered(*on_link.tetrys(2, 8, 4 * SLOT_NS), slots) == 6
    assert most_delivered(*on_link.rlc(rtt_ns=4 * SLOT_NS, window_pdus=2), slots) == 6
    assert most_delivered(*on_link.rlc(rtt_ns=4 * SLOT_NS, window_pdus=2, mode="unacknowledged"), slots) == 10
    assert most_delivered(*on_link.arq(4 * SLOT_NS), slots) == 10
    assert most_delivered(Hybrid(3, 2, online=True), 4e-9 * SLOT_NS, slots) == 10


def test_most_delivered__of_soft_combining_does_not_count_decoded_slots() -> None:
    """Two transmissions at 2.9 dB below the threshold are decoded together, though no slot alone is."""
    n_slots = 40
    erased = PhyTrace(
        np.arange(n_slots, dtype=np.int64) * SLOT_NS,
        np.zeros(n_slots, np.int64),
        es_n0_mdb=np.full(n_slots, -2900, np.int32),
    )
    scheme = on_link.harq_processes(0, repetitions=2, combining="chase", combining_threshold_db=0.0)
    rows = convert(erased, *scheme)
    assert np.count_nonzero(rows.delivered) == most_delivered(*scheme, erased) == n_slots / 2
    assert most_delivered(replace(scheme.scheme, online=True), scheme.rtt, erased) == n_slots
