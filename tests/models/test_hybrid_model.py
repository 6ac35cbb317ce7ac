"""TCP over hybrid FEC/ARQ-SR: against hand arithmetic, enumeration, Monte Carlo and the paper."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from tmt.theory.hybrid import (
    HybridLink,
    hybrid,
    largest_throughput,
    optimal_code_lengths,
    sweep,
    tcp_units_per_s,
)


@pytest.mark.parametrize(
    ("code_length", "frame_units", "unit_loss"), [(5, 3, 0.2), (6, 6, 0.01), (4, 1, 0.5)]
)
def test_trial_loss__is_that_of_too_few_units(code_length: int, frame_units: int, unit_loss: float) -> None:
    lost = sum(
        math.prod(unit_loss if erased else 1.0 - unit_loss for erased in pattern)
        for pattern in itertools.product((0, 1), repeat=code_length)
        if code_length - sum(pattern) < frame_units
    )
    assert HybridLink(unit_loss, code_length, frame_units).trial_loss == pytest.approx(lost, rel=1e-12)


def test_packet_loss__by_hand() -> None:
    # K = N = 2, p = 1/2: P_T = 3/4; delta = 1: P_F = 9/16; X = 3: P = 1 - (7/16)^3 = 1 - 343/4096.
    link = HybridLink(0.5, 2, frame_units=2, packet_frames=3, persistency=1)
    assert link.packet_loss == pytest.approx(1.0 - 343 / 4096)
    # eq. 6: (7/16)^2 (1/4) (2/2)
    assert link.efficiency == pytest.approx(49 / 256 / 4)


def test_retransmissions__by_enumeration_of_all_outcomes() -> None:
    # P_T = 1/2 (K = N = 1, p = 1/2), at most 2 retransmissions, 3 frames: 0, 1, 2 with weights 4, 2, 1 of 7.
    weights = {0: Fraction(4, 7), 1: Fraction(2, 7), 2: Fraction(1, 7)}
    most, last = Fraction(0), Fraction(0)
    for needed in itertools.product(weights, repeat=3):
        weight = math.prod((weights[k] for k in needed), start=Fraction(1))
        most += weight * max(needed)
        last += weight * max(i for i, k in enumerate(needed, start=1) if k == max(needed))
    link = HybridLink(0.5, 1, frame_units=1, packet_frames=3, persistency=2)
    assert link.mean_most_retransmissions == pytest.approx(float(most), rel=1e-12)
    assert link.mean_last_frame == pytest.approx(float(last), rel=1e-12)


@pytest.mark.parametrize(("unit_loss", "code_length", "persistency"), [(0.01, 10, 5), (0.3, 12, None)])
def test_retransmissions__equal_drawn(unit_loss: float, code_length: int, persistency: int | None) -> None:
    """200,000 packets, fixed seed; four standard errors."""
    rng = np.random.default_rng(20261121)
    link = HybridLink(unit_loss, code_length, persistency=persistency)
    # Each transmission really loses units, so that eq. 4 is put to the test as well.
    needed = np.zeros((200_000, 6), dtype=np.int64)
    open_ = np.ones(needed.shape, dtype=bool)
    for _ in itertools.count() if persistency is None else range(persistency + 1):
        open_[open_] = rng.binomial(code_length, unit_loss, open_.sum()) > code_length - 10
        needed += open_
        if not open_.any():
            break
    delivered = needed[~open_.any(axis=1)]
    most = delivered.max(axis=1)
    last = 6 - np.argmax(delivered[:, ::-1] == most[:, np.newaxis], axis=1)
    for sample, mean in ((most, link.mean_most_retransmissions), (last, link.mean_last_frame)):
        assert abs(sample.mean() - mean) < 4.0 * sample.std() / math.sqrt(len(sample))


def test_mean_last_frame__of_frames_that_never_fail_is_the_last_one() -> None:
    assert HybridLink(0.0, 10).mean_last_frame == 6.0
    assert HybridLink(0.0, 10).mean_most_retransmissions == 0.0


def test_repeated_transmissions__exact_and_printed() -> None:
    """The share of a frame's transmissions that another one follows, by hand for P_T = 1/2, delta = 1."""
    link = HybridLink(0.5, 1, frame_units=1, packet_frames=1, persistency=1, rate_units_per_s=1.0)
    # 1 transmission with 1/2, 2 with 1/2: 1.5 in the mean, of which 0.5 are followed by another.
    assert link.mean_transmission_time_s(1.0) == pytest.approx(1.0 / (1.0 - 0.5 / 1.5))
    # Printed: P_T (1 - P_T / 2) = 3/8.
    assert link.mean_transmission_time_s(1.0, printed=True) == pytest.approx(1.0 / (1.0 - 3 / 8))
    assert link.mean_transmission_time_s(0.0) == 1.0


def test_mean_rtt__of_large_products_is_the_limit_of_medium_ones() -> None:
    link = HybridLink(0.02, 10, persistency=4, rate_units_per_s=1e12, delay_s=0.3, access_rtt_s=0.1)
    # Section 4.4.2: transmission times are negligible beside D.
    limit_s = link.access_rtt_s + 2.0 * link.delay_s * (1.0 + link.mean_most_retransmissions)
    assert link.mean_rtt_s(0.5, 1.0, resequenced=False) == pytest.approx(limit_s)


def test_mean_rtt__with_resequencing_follows_proposition_1() -> None:
    link = HybridLink(0.01, 10, persistency=3)
    without = link.mean_rtt_s(0.4, 20.0, resequenced=False)
    crossing = without - link.access_rtt_s - link.delay_s
    load = 20.0 * crossing
    assert link.mean_rtt_s(0.4, 20.0) == pytest.approx(without + crossing / 2.0 * load / (1.0 + load))


def test_tcp__by_hand() -> None:
    # P = 0.0075, b = 2: sqrt(0.01) = 0.1; 3 sqrt(0.005625) = 0.225; 4 x 0.225 x 0.0075 x 1.0018 = 0.00676215.
    assert tcp_units_per_s(60, 0.5, 0.0075) == pytest.approx(60 / (0.5 * 0.10676215) * 0.9925)
    assert tcp_units_per_s(60, 0.5, 0.0) == math.inf


@pytest.mark.parametrize("persistency", [0, 1, 2, 5])
@pytest.mark.parametrize("connections", [1, 10])
@pytest.mark.parametrize("printed", [False, True])
def test_hybrid__is_where_the_paper_s_loop_ends(persistency: int, connections: int, printed: bool) -> None:
    """R_(n+1) = f(R_n), section 4.4.3, with pi = min(1, C R / alpha B), until it stands still."""
    link = HybridLink(0.01, 10, persistency=persistency)
    capacity, rate = link.efficiency * link.rate_units_per_s, 1.0
    before = 0.0
    while abs(rate - before) > 1e-13 * rate:
        before = rate
        carried = min(capacity, connections * rate)
        rtt = link.mean_rtt_s(carried / capacity, carried / 60 / (1 - link.packet_loss), printed=printed)
        rate = tcp_units_per_s(60, rtt, link.packet_loss)
    found = hybrid(link, connections, printed=printed)
    assert found.connection_units_per_s == pytest.approx(rate, rel=1e-9)
    assert found.throughput == pytest.approx(min(link.efficiency, connections * rate / 10_000.0), rel=1e-9)


def test_hybrid__without_loss_fills_the_link() -> None:
    found = hybrid(HybridLink(0.0, 12), connections=1)
    assert found.throughput == pytest.approx(10 / 12)
    assert found.utilisation == 1.0


def test_optimum__of_the_paper() -> None:
    # Section 4.6: 6 redundant units for K = 10 and p = 0.25.
    assert optimal_code_lengths(0.25, 10) == (16,)


def test_optimum__is_a_tie_where_one_redundant_unit_saves_what_it_costs() -> None:
    # (1 - p)^10 = (10/11) (1 - p)^10 (1 + 10 p) exactly at p = 1/100.
    p = Fraction(1, 100)
    assert (1 - p) ** 10 == Fraction(10, 11) * ((1 - p) ** 11 + 11 * p * (1 - p) ** 10)
    assert optimal_code_lengths(0.01, 10) == (10, 11)
    assert optimal_code_lengths(0.0099, 10) == (10,)
    assert optimal_code_lengths(0.0101, 10) == (11,)


@pytest.mark.parametrize("unit_loss", [1e-5, 0.003, 0.05, 0.4])
@pytest.mark.parametrize("frame_units", [1, 10, 50])
def test_optimum__is_the_best_of_all_lengths(unit_loss: float, frame_units: int) -> None:
    values = {
        n: largest_throughput(unit_loss, n, frame_units) for n in range(frame_units, 8 * frame_units + 40)
    }
    assert optimal_code_lengths(unit_loss, frame_units)[0] == max(values, key=lambda n: values[n])


def test_figure_9__has_its_optima_where_the_two_versions_of_the_paper_put_them() -> None:
    """N = 11 at D = 20 ms in the long version's text, 12 at the longer delays, which the short one names."""
    for delay_s, best in ((0.02, 11), (0.1, 12), (0.2, 12)):
        links = [HybridLink(0.01, n, persistency=0, delay_s=delay_s) for n in range(10, 21)]
        rows = sweep(links, connections=10)
        assert max(rows, key=lambda row: row["throughput"])["code_length"] == best


def test_throughput__never_falls_with_persistency() -> None:
    for delay_s, unit_loss, connections in itertools.product((0.02, 0.1, 0.2), (1e-3, 1e-2), (1, 10)):
        links = [HybridLink(unit_loss, 10, persistency=delta, delay_s=delay_s) for delta in range(11)]
        values = [row["throughput"] for row in sweep(links, connections)]
        assert values == sorted(values)
