"""TCP through a proxy and over go-back-N: against hand arithmetic, definitions, an event list and limits."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.models import split_events
from tmt.theory import two_links
from tmt.theory.split import (
    GoBackNLink,
    SplitScenario,
    TcpSender,
    TwoLinks,
    added_s,
    sweep,
    transfer,
)
from tmt.theory.tcp import long_run_packets_per_s

SENDER = TcpSender(2, 8, 10, packets_per_ack=2)
PATH = TwoLinks(
    wired_packet_s=0.001,
    wireless_packet_s=0.004,
    wired_delay_s=0.02,
    wireless_delay_s=0.005,
    wired_ack_s=0.02,
    wireless_ack_s=0.005,
)


# Windows, eqs. 2 to 5


def test_windows__by_hand() -> None:
    # b = 2: 2, 3, 4.5, 6.75 in slow start; 2 (3/2)^4 = 10.1 would pass 8, so S = 4 and window 5 has 8. Half
    # a packet more each: 8.5, 9, 9.5; window 9 reaches 10, so M_x = 8.
    assert SENDER.slow_start_windows == 4
    assert SENDER.growing_windows == 8
    assert SENDER.windows(11).tolist() == [2, 3, 4.5, 6.75, 8, 8.5, 9, 9.5, 10, 10, 10]
    # Sent until then: 2, 5, 9.5, 16.25, 24.25, 32.75, 41.75, 51.25, 61.25.
    segments = [1, 2, 3, 5, 9, 10, 16, 17, 24, 25, 51, 52, 61, 62]
    windows = [1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 8, 9, 9, 10]
    assert [int(SENDER.windows_by_segment(m)[-1]) for m in segments] == windows


@pytest.mark.parametrize("b", [1, 2, 3])
@pytest.mark.parametrize(
    ("initial", "threshold", "largest"), [(3, 3, 3), (3, 3, 5), (3, 24, 24), (4, 17, 23), (3, 4, 4)]
)
def test_windows__are_those_of_the_definitions(b: int, initial: int, threshold: int, largest: int) -> None:
    """Eqs. 2 to 5 as they stand, in fractions, each index found by trying one after the other."""
    r = 1 + Fraction(1, b)
    s = next(i for i in itertools.count() if initial * r ** (i - 1) < threshold <= initial * r**i)
    m_x = next(
        i
        for i in itertools.count(s)
        if threshold + Fraction(i - s - 1, b) < largest <= threshold + Fraction(i - s, b)
    )

    def size(k: int) -> Fraction:
        if k <= s:
            return initial * r ** (k - 1)
        return threshold + Fraction(k - s - 1, b) if k <= m_x else Fraction(largest)

    sender = TcpSender(initial, threshold, largest, b)
    assert (sender.slow_start_windows, sender.growing_windows) == (s, m_x)
    assert sender.windows(40).tolist() == pytest.approx([float(size(k)) for k in range(1, 41)], rel=1e-14)
    needed = sender.windows_by_segment(199)
    for m in range(1, 200):
        assert needed[m - 1] == next(
            k for k in itertools.count(1) if sum(size(i) for i in range(1, k + 1)) >= m
        )


# Without loss, eqs. 6, 7, 11 and 14


def test_end_to_end__by_hand_where_the_wireless_link_is_slower() -> None:
    # M = 10 needs K = 4 windows of 2, 3, 4.5. R_e = 1 + 2 x 4 + 20 + 5 + 25 = 59 ms; idle 59 - 8, 59 - 12,
    # 59 - 18 ms = 139 ms; crossing 1 + 20 + 5 ms, sending 10 x 4 ms.
    assert two_links.end_to_end_s(PATH, SENDER, 10)[-1] == pytest.approx(0.026 + 0.040 + 0.139)


def test_end_to_end__by_hand_where_the_wired_link_is_slower() -> None:
    # mu_1 = 6 ms, mu_p = 4 ms: R_e = 4 + 12 + 50 = 66 ms; idle 66 - 12, 66 - 18, 66 - 27 ms.
    path = replace(PATH, wired_packet_s=0.006)
    assert two_links.end_to_end_s(path, SENDER, 10)[-1] == pytest.approx(0.029 + 0.06 + 0.054 + 0.048 + 0.039)


def test_split__by_hand_has_the_time_that_the_printed_one_lacks() -> None:
    # R_2 = 2 x 4 + 5 + 5 = 18 ms: idle 18 - 8, 18 - 12, 0 ms. mu_1 + tau_1 + t_p + tau_2 = 1 + 20 + 3 + 5 ms.
    path = replace(PATH, processing_s=0.003)
    assert two_links.split_s(path, SENDER, 10, printed=True)[-1] == pytest.approx(0.029 + 0.016)
    assert two_links.split_s(path, SENDER, 10)[-1] == pytest.approx(0.029 + 0.016 + 0.040)


@pytest.mark.parametrize("segments", [1, 2, 17, 62, 500])
@pytest.mark.parametrize("wireless_packet_s", [0.0002, 0.004, 0.02])
def test_end_to_end__follows_the_windows_one_by_one(segments: int, wireless_packet_s: float) -> None:
    """A window starts when the one before is sent and its first ACK is there, and segment M ends it all."""
    path = replace(PATH, wireless_packet_s=wireless_packet_s)
    slow, fast = max(0.001, wireless_packet_s), min(0.001, wireless_packet_s)
    start, left = 0.0, float(segments)
    for size in SENDER.windows(segments):
        if left <= size:
            break
        start += max(size * slow, fast + 2 * slow + 0.05)
        left -= size
    latency = two_links.end_to_end_s(path, SENDER, segments)[-1]
    assert latency == pytest.approx(start + left * slow + fast + 0.025)


def test_latencies__of_short_transfers_do_not_depend_on_how_long_the_longest_is() -> None:
    for by in (
        two_links.end_to_end_s,
        two_links.split_s,
        two_links.end_to_end_by_segments_s,
        partial(two_links.split_s, printed=True),
    ):
        assert by(PATH, SENDER, 300)[:40].tolist() == by(PATH, SENDER, 40).tolist()


CASES = [
    (TcpSender(2, 8, 10, 2), TcpSender(4, 8, 20, 2)),
    (TcpSender(1, 64, 64, 1), TcpSender(1, 16, 64, 1)),
    (TcpSender(3, 5.5, 9.25, 3), TcpSender(2, 2, 40, 1)),
    (TcpSender(10, 30, 50, 2), TcpSender(2, 2, 2, 2)),
]


@pytest.mark.parametrize(("sender", "proxy"), CASES)
@pytest.mark.parametrize(
    ("wired_packet_s", "wireless_packet_s"), [(0.001, 0.004), (0.003, 0.001), (2e-3, 2e-3)]
)
def test_by_segments__equals_an_event_list(
    sender: TcpSender, proxy: TcpSender, wired_packet_s: float, wireless_packet_s: float
) -> None:
    path = TwoLinks(wired_packet_s, wireless_packet_s, 0.0173, 0.0031, 0.0179, 0.0037, processing_s=0.0023)
    assert two_links.end_to_end_by_segments_s(path, sender, 400).tolist() == pytest.approx(
        split_events.end_to_end(path, sender, 400), rel=1e-12
    )
    assert two_links.split_by_segments_s(path, sender, proxy, 400).tolist() == pytest.approx(
        split_events.split(path, sender, proxy, 400), rel=1e-12
    )


def test_by_segments__equals_by_windows_where_windows_are_whole() -> None:
    """With b = 1 windows are 1, 2, 4, ... 64, 64, each as long as the ACKs of the one before say."""
    sender = TcpSender(1, 64, 64, packets_per_ack=1)
    assert two_links.end_to_end_by_segments_s(PATH, sender, 900).tolist() == pytest.approx(
        two_links.end_to_end_s(PATH, sender, 900).tolist()
    )


def test_split_by_segments__equals_by_windows_where_the_proxy_never_waits() -> None:
    """All segments are at the proxy before its first window is acknowledged."""
    path = replace(PATH, wired_packet_s=1e-9, wired_delay_s=0.01)
    sender, proxy = TcpSender(1000, 1000, 1000, 1), TcpSender(1, 32, 32, 1)
    assert two_links.split_by_segments_s(path, sender, proxy, 900).tolist() == pytest.approx(
        two_links.split_s(path, proxy, 900).tolist(), rel=1e-6
    )


def test_split_by_segments__waits_for_data_that_are_not_there() -> None:
    """The first connection needs 0.2 s for its window of 2 to come round; the proxy's needs 10 ms."""
    path = replace(PATH, wired_delay_s=0.1, wired_ack_s=0.1)
    sender = TcpSender(2, 2, 2, 1)
    # 2 segments in each 1 + 100 + 100 ms; the last two leave from 9 x 201 ms on, the first of them is at the
    # proxy 1 + 100 ms later, and both need 4 ms each and 5 ms together.
    latency = two_links.split_by_segments_s(path, sender, SENDER, 20)[-1]
    assert latency == pytest.approx(9 * 0.201 + 0.101 + 0.008 + 0.005)
    assert two_links.split_s(path, SENDER, 20)[-1] < 0.25


# Go-back-N, eqs. 1 and 10


def test_go_back_n__with_independent_errors_is_the_classical_formula() -> None:
    # Efficiency (1 - e) / (1 - e + N e), Bertsekas and Gallager: 0.9 / 1.4 for e = 0.1, N = 5.
    assert GoBackNLink(0.1, 0.1, window=5).slots_per_frame == pytest.approx(1.4 / 0.9)


def test_go_back_n__of_window_1_tries_again_in_the_next_slot() -> None:
    # Every slot is used, so slots per frame = 1 / (1 - share of errors), r = 0.25, q = 0.05: 0.3 / 0.25.
    assert GoBackNLink(0.05, 0.75, window=1).slots_per_frame == pytest.approx(1.2)


def test_go_back_n__takes_steps_of_the_chain_and_not_powers_of_s() -> None:
    link = GoBackNLink(0.2, 0.6, window=7)
    chain = np.linalg.matrix_power(np.array([[0.8, 0.2], [0.4, 0.6]]), 7)
    assert link.error_a_window_later == pytest.approx(chain[1, 1])
    assert link.slots_per_frame == pytest.approx(1 + 7 * 0.2 / chain[1, 0])


@pytest.mark.parametrize(("q", "s", "window"), [(0.02, 0.02, 10), (0.02, 0.8, 10), (0.3, 0.1, 4)])
def test_go_back_n__agrees_with_monte_carlo(q: float, s: float, window: int) -> None:
    """A million slots of one chain, fixed seed, in 100 parts; four standard errors of their mean."""
    rng = np.random.default_rng(20261121)
    uniform = rng.random(1_000_000)
    error = np.zeros(len(uniform), dtype=bool)
    for slot in range(1, len(error)):
        error[slot] = uniform[slot] < (s if error[slot - 1] else q)
    per_part = []
    for part in error.reshape(100, -1):
        slot = delivered = 0
        while slot < len(part):
            delivered += not part[slot]
            slot += window if part[slot] else 1
        per_part.append(delivered / slot)
    mean, deviation = np.mean(per_part), np.std(per_part, ddof=1)
    assert abs(mean - 1 / GoBackNLink(q, s, window=window).slots_per_frame) < 4 * deviation / math.sqrt(100)


def test_go_back_n__adds_processing_to_every_frame() -> None:
    # 4 frames of 1 ms + 0.5 ms, 1 + 2 x 0.5 / 0.5 = 3 slots each.
    link = GoBackNLink(0.5, 0.5, frames=4, window=2, frame_processing_s=0.0005)
    assert link.packet_s(0.004) == pytest.approx(0.018)


def test_go_back_n__as_printed_by_hand() -> None:
    # n b D = 20 us; N D = 10 us, times 0.1 x 19 / (1 - 0.5^10).
    link = GoBackNLink(0.1, 0.5, frames=10, window=10, frame_processing_s=1e-6)
    assert added_s(link, 2) == pytest.approx(20e-6 + 10e-6 * 1.9 / (1 - 1 / 1024))


def test_packet_loss__by_enumeration_of_all_patterns() -> None:
    link = GoBackNLink(0.1, 0.7, frames=4)
    chain = {False: {False: 0.9, True: 0.1}, True: {False: 0.3, True: 0.7}}
    lost = 0.0
    for pattern in itertools.product((False, True), repeat=4):
        probability = 0.25 if pattern[0] else 0.75  # q / (q + r) = 0.1 / 0.4
        for before, after in itertools.pairwise(pattern):
            probability *= chain[before][after]
        lost += probability * any(pattern)
    assert link.packet_loss == pytest.approx(lost)


@pytest.mark.parametrize("loss", [0.0, 1e-6, 0.05, 0.9])
@pytest.mark.parametrize("burst", [None, 1.0, 4.0, 100.0])
def test_losing__gives_the_channel_that_loses_so_much(loss: float, burst: float | None) -> None:
    link = GoBackNLink.losing(loss, burst, frames=10)
    assert link.packet_loss == pytest.approx(loss, rel=1e-9, abs=1e-12)
    if burst is None:
        assert link.error_after_error == link.error_after_success == pytest.approx(link.frame_error)
    else:
        assert 1 / (1 - link.error_after_error) == pytest.approx(burst)


# With loss, eqs. 8, 9, 12, 13 and 15


def test_padhye__by_hand() -> None:
    # p = 0.0075, b = 2: sqrt(0.01) = 0.1; 3 sqrt(0.005625) = 0.225; 0.4 x 0.225 x 0.0075 x 1.0018 is
    # 0.000676215.
    assert long_run_packets_per_s(0.5, 0.0075, 0.4, 2) == pytest.approx(1 / (0.05 + 0.000676215))
    # p = 0.6, b = 1: sqrt(0.4); 3 sqrt(0.225) = 1.42 is bounded by 1; 0.6 x (1 + 11.52) = 7.512.
    assert long_run_packets_per_s(1.0, 0.6, 2.0, 1) == pytest.approx(1 / (math.sqrt(0.4) + 15.024))


def test_latency__by_hand() -> None:
    # p = 1/2, T = 1, 2, 3 s, 2 packets/s: 1/2 (0 + 3/2) + 1/4 (1 + 1) + 1/8 (2 + 1/2) + 1/8 3 = 1.9375 s.
    assert two_links.latency_s(np.array([1.0, 2.0, 3.0]), 0.5, 2.0) == pytest.approx(1.9375)


@pytest.mark.parametrize("loss", [0.001, 0.3, 0.9])
@pytest.mark.parametrize("segments", [1, 2, 50])
def test_segments_before_loss__is_the_mean_over_where_it_falls(segments: int, loss: float) -> None:
    mean = sum(n * (1 - loss) ** n * loss for n in range(segments)) + segments * (1 - loss) ** segments
    assert two_links.segments_before_loss(segments, loss) == pytest.approx(mean)


def test_delivered__is_bounded_by_window_and_link_and_loses_its_share() -> None:
    sender = TcpSender(2, 10, 10, 2, timeout_s=1.0)
    # 10 packets in each cycle of 0.5 s; 1 / 0.1 s on the link.
    assert two_links.delivered_packets_per_s(sender, 0.5, 0.001, 0.0) == pytest.approx(20.0)
    assert two_links.delivered_packets_per_s(sender, 0.5, 0.1, 0.0) == pytest.approx(10.0)
    sent = long_run_packets_per_s(0.5, 0.1, 1.0, 2)
    assert two_links.delivered_packets_per_s(sender, 0.5, 0.001, 0.1) == pytest.approx(0.9 * sent)


def scenario(**changes: Any) -> SplitScenario:
    given: dict[str, Any] = {
        "path": replace(PATH, wired_loss=changes.pop("wired_loss", 0.0)),
        "link": changes.pop("link", GoBackNLink.losing(0.05)),
        "sender": SENDER,
        "proxy": TcpSender(2, 16, 16, 2),
        "segments": 200,
    }
    return SplitScenario(**{**given, **changes})


@pytest.mark.parametrize("formula", ["segments", "windows", "printed"])
@pytest.mark.parametrize("split", [False, True])
def test_transfer__with_vanishing_loss_goes_to_the_one_without(formula: Any, split: bool) -> None:
    found = [
        transfer(scenario(link=GoBackNLink.losing(p), wired_loss=p), split=split, arq=False, formula=formula)
        for p in (0.0, 1e-9)
    ]
    assert found[1].latency_s == pytest.approx(found[0].latency_s, rel=1e-6)
    if formula != "printed":  # its rate without loss is infinite
        assert found[1].long_run_packets_per_s == pytest.approx(found[0].long_run_packets_per_s, rel=1e-6)


@pytest.mark.parametrize("formula", ["segments", "windows", "printed"])
@pytest.mark.parametrize("split", [False, True])
def test_transfer__over_arq_that_has_nothing_to_do_is_one_without(formula: Any, split: bool) -> None:
    clean = scenario(link=GoBackNLink(0.0, 0.0), wired_loss=0.01)
    with_arq = transfer(clean, split=split, arq=True, formula=formula)
    without = transfer(clean, split=split, arq=False, formula=formula)
    assert with_arq == without


@pytest.mark.parametrize("split", [False, True])
def test_transfer__of_many_segments_is_as_fast_as_in_the_long_run(split: bool) -> None:
    long = transfer(scenario(wired_loss=0.01, segments=200_000), split=split, arq=False)
    assert long.packets_per_s == pytest.approx(long.long_run_packets_per_s, rel=1e-3)


def test_transfer__composes_the_equations() -> None:
    """Both links lossy, each system once by the parts that the equations name."""
    here = scenario(wired_loss=0.01, residual_loss=0.002)
    path, sender, proxy = here.path, here.sender, here.proxy
    slower = replace(path, wireless_packet_s=here.link.packet_s(0.004))
    cycle = 0.001 + 2 * slower.wireless_packet_s + 0.05
    loss = 0.01 + 0.002 - 0.01 * 0.002
    rate = two_links.delivered_packets_per_s(sender, cycle, slower.wireless_packet_s, loss)
    expected = two_links.latency_s(two_links.end_to_end_s(slower, sender, 200), loss, rate)
    assert transfer(here, split=False, arq=True, formula="windows").latency_s == pytest.approx(expected)
    wired = two_links.delivered_packets_per_s(sender, 0.002 + 0.04, 0.001, 0.01)
    wireless = two_links.delivered_packets_per_s(proxy, 0.008 + 0.01, 0.004, 0.05)
    found = transfer(here, split=True, arq=False)
    assert found.long_run_packets_per_s == pytest.approx(min(wired, wireless))
    assert found.packet_loss == pytest.approx(0.01 + 0.05 - 0.0005)


def test_printed__throughputs_of_two_lossy_links() -> None:
    """Section "Both links are lossy": which RTT and which loss each case takes."""
    link = GoBackNLink.losing(0.05, frame_processing_s=1e-4)
    added = added_s(link, 2)

    def rate(rtt_s: float, loss: float) -> float:
        return long_run_packets_per_s(rtt_s, loss, 0.2, 2)

    def found(split: bool, arq: bool, residual: float) -> float:
        here = scenario(link=link, wired_loss=0.01, residual_loss=residual)
        return transfer(here, split=split, arq=arq, formula="printed").long_run_packets_per_s

    assert found(False, False, 0) == pytest.approx(rate(0.05, 0.0595))
    assert found(False, True, 0) == pytest.approx(rate(0.05 + added, 0.01))
    assert found(True, False, 0) == pytest.approx(min(rate(0.04, 0.01), rate(0.01, 0.05)))
    assert found(True, True, 0) == pytest.approx(rate(0.04 + added, 0.01))
    assert found(True, True, 0.04) == pytest.approx(min(rate(0.04, 0.01), rate(0.01 + added, 0.04)))


def test_sweep__has_a_row_for_each_system() -> None:
    rows = sweep([scenario(wired_loss=0.01)])
    assert [(row["split"], row["arq"]) for row in rows] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]
    assert rows[0]["wireless_loss"] == pytest.approx(0.05)
    assert rows[0]["latency_s"] > rows[1]["latency_s"] > rows[3]["latency_s"]
