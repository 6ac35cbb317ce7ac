"""Radio link control against its law for rare erasures: exact on isolated ones, close on random ones."""

import math
from typing import Any

import numpy as np
import pytest
from conversions import converted
from naive import on_link

from tmt import Bernoulli, GilbertElliott, HarqProcesses
from tmt.theory import (
    Bursts,
    Performance,
    RegularLink,
    TwoStateChannel,
    burst_length_law,
    burst_length_moments,
    rlc,
    rlc_acknowledged,
    rlc_over_harq_processes,
    rlc_recovery_slots,
    rlc_unacknowledged,
)

MS = 1_000_000
ONE_REPORT = {"poll_pdus": 2**31 - 1, "window_pdus": 131_072, "status_prohibit_ns": 40 * MS}
"""One report for each gap: others, while the retransmission is on its way, would repeat the NACK."""

LINK = RegularLink(25 * MS, MS, 3 * MS)


def isolated(longest: int = 1) -> tuple[np.ndarray, Bursts]:
    """Return 48 bursts of 1, 2, ... `longest` slots, then again of 1, 400 slots apart, and their figures."""
    erased = np.zeros(20_000, bool)
    lengths = [1 + number % longest for number in range(48)]
    for number, length in enumerate(lengths):
        erased[500 + 400 * number :][:length] = True
    return erased, Bursts(48 / 20_000, np.mean(lengths).item(), np.mean(np.square(lengths)).item())


def test_recovery__by_hand() -> None:
    # Missed 1 + 3 ms after the erased slot, reported 10 ms later; the report takes 25 ms.
    assert rlc_recovery_slots(LINK, 10 * MS) == 39
    assert rlc_recovery_slots(LINK, 10 * MS + 1) == 40


@pytest.mark.parametrize("longest", [1, 6])
@pytest.mark.parametrize("delivery", ["any-order", "in-order"])
def test_acknowledged__has_the_law_exactly_on_isolated_bursts(delivery: str, longest: int) -> None:
    erased, bursts = isolated(longest)
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, delivery=delivery, reassembly_ns=10 * MS, **ONE_REPORT)
    delay_ns, counts = converted(scheme, erased, MS, 3 * MS)
    expected = rlc_acknowledged(bursts, LINK, 10 * MS, in_order=delivery == "in-order")
    assert LINK.rtt_ns / 2e9 + delay_ns.mean() / 1e9 == pytest.approx(expected.recovery_delay_s, rel=1e-12)
    assert counts.efficiency == pytest.approx(expected.efficiency, rel=1e-12)
    assert (counts.lost, counts.unsettled, counts.retransmission_slots) == (0, 0, erased.sum())


def test_acknowledged__repeats_nacks_while_the_retransmission_is_on_its_way() -> None:
    """Without t-StatusProhibit: timers end 14, 25 and 36 ms after the erased slot; it arrives after 42."""
    erased, _ = isolated()
    settings = ONE_REPORT | {"status_prohibit_ns": 0}
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, reassembly_ns=10 * MS, **settings)
    _, counts = converted(scheme, erased, MS, 3 * MS)
    assert counts.retransmission_slots == 3 * erased.sum()


@pytest.mark.parametrize("longest", [1, 6])
@pytest.mark.parametrize("reassembly_ms", [0, 10, 10.5])
def test_unacknowledged__has_the_law_exactly_on_isolated_bursts(reassembly_ms: float, longest: int) -> None:
    (erased, bursts), reassembly_ns = isolated(longest), round(reassembly_ms * MS)
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, mode="unacknowledged", reassembly_ns=reassembly_ns)
    delay_ns, counts = converted(scheme, erased, MS, 3 * MS)
    expected = rlc_unacknowledged(bursts, LINK, reassembly_ns)
    assert LINK.rtt_ns / 2e9 + delay_ns.mean() / 1e9 == pytest.approx(expected.recovery_delay_s, rel=1e-12)
    assert counts.lost / counts.data_rows == pytest.approx(expected.residual_loss, rel=1e-12)


def test_burst_length_moments__are_those_of_the_law() -> None:
    channel = TwoStateChannel(0.97, 0.8, 0.05, 0.7)
    lengths, law = np.arange(1, 400), burst_length_law(channel, 399)
    expected = (float(law @ lengths), float(law @ lengths**2))
    assert burst_length_moments(channel) == pytest.approx(expected, rel=1e-9)


def test_rlc__chooses_the_mode_and_knows_channels_without_bursts() -> None:
    channel = TwoStateChannel(0.999, 0.5)
    bursts = Bursts.of(channel)
    assert bursts == Bursts(pytest.approx(0.001 / 0.501 / 2), pytest.approx(2.0), pytest.approx(6.0))
    assert rlc(channel, LINK, 5 * MS, "unacknowledged") == rlc_unacknowledged(bursts, LINK, 5 * MS)
    in_any_order = rlc_acknowledged(bursts, LINK, 5 * MS, in_order=False)
    assert rlc(channel, LINK, 5 * MS, delivery="any-order") == in_any_order
    assert rlc(TwoStateChannel(1.0, 0.5), LINK).residual_loss == 0.0
    assert rlc(TwoStateChannel(0.0, 1.0), LINK, mode="unacknowledged").residual_loss == 1.0


@pytest.mark.parametrize("delivery", ["any-order", "in-order"])
def test_acknowledged__is_near_the_law_for_rare_random_bursts(delivery: str) -> None:
    """Four million slots, seed 4: 410 bursts of 2 slots on average; four standard errors are a fifth."""
    parameters = (0.9999, 0.5)
    erased = GilbertElliott(*parameters).erasures(4).next(4_000_000)
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, delivery=delivery, reassembly_ns=10 * MS, **ONE_REPORT)
    delay_ns, counts = converted(scheme, erased, MS, 3 * MS)
    expected = rlc(TwoStateChannel(*parameters), LINK, 10 * MS, delivery=delivery)
    wait_s = expected.recovery_delay_s - LINK.recovery_delay_s(0.0)
    assert delay_ns.mean() / 1e9 - 3e-3 == pytest.approx(wait_s, rel=0.2)
    assert counts.efficiency == pytest.approx(expected.efficiency, abs=5e-5)


def link(feedback_slots: int) -> RegularLink:
    """Slots of 1 ms that take 1 ms to decode, and to be detected as erased."""
    return RegularLink((feedback_slots - 1) * MS, MS, MS, MS)


def wait_slots(found: Performance, feedback_slots: int) -> float:
    return (found.recovery_delay_s - link(feedback_slots).recovery_delay_s(0.0)) * 1000


def model(p: float, slots: int, **parameters: Any) -> Performance:
    return rlc_over_harq_processes(TwoStateChannel(1 - p, p), link(slots), slots, **parameters)


def test_any_order__by_hand() -> None:
    # K = 4, R = 2, p = 0.1: a segment waits 0 slots with 0.9, 4 slots with 0.09; HARQ gives up 0.01. RLC's
    # retransmission follows 1 + 1 + 10 + 3 slots later, and HARQ may repeat that one, too.
    found = model(0.1, 4, max_transmissions=2, reassembly_ns=10 * MS, delivery="any-order")
    assert math.isclose(wait_slots(found, 4), (4 * 0.09 + 0.01 * 15) / 0.99)
    assert math.isclose(found.efficiency, 0.9)
    once = model(0.1, 4, max_transmissions=2, reassembly_ns=10 * MS, max_retransmissions=1)
    assert math.isclose(once.residual_loss, 0.01**2)


@pytest.mark.parametrize("p", [0.05, 0.4])
def test_in_order__of_one_process_by_hand(p: float) -> None:
    # K = 1, so many transmissions that HARQ gives nothing up: no segment waits for another one.
    found = model(p, 1, max_transmissions=60, reassembly_ns=60 * MS)
    assert math.isclose(wait_slots(found, 1), p / (1 - p), rel_tol=1e-9)


@pytest.mark.parametrize("p", [0.05, 0.4])
def test_in_order__of_two_processes_by_hand(p: float) -> None:
    # Of F and G failures: the wait is the maximum of 2 F and 2 G - 1. It is at most 2 i with probability
    # (1 - p^(i + 1))^2, and at most 2 i + 1 with (1 - p^(i + 1)) (1 - p^(i + 2)).
    expected = sum(2 - (1 - p ** (i + 1)) ** 2 - (1 - p ** (i + 1)) * (1 - p ** (i + 2)) for i in range(200))
    found = model(p, 2, max_transmissions=60, reassembly_ns=120 * MS)
    assert math.isclose(wait_slots(found, 2), expected, rel_tol=1e-9)


@pytest.mark.parametrize("delivery", ["any-order", "in-order"])
@pytest.mark.parametrize(
    ("p", "slots", "transmissions", "reassembly_ms"),
    [(0.01, 8, 3, 30), (0.1, 8, 4, 40), (0.05, 8, 2, 20), (0.02, 26, 3, 60), (0.001, 26, 1, 35)],
)
def test_law__is_that_of_long_traces(
    p: float, slots: int, transmissions: int, reassembly_ms: int, delivery: str
) -> None:
    """Two million slots of seed 4: four standard errors of the waits are below 10 % where HARQ sends once."""
    erased = Bernoulli(p).erasures(4).next(2_000_000)
    scheme = on_link.rlc_over(
        HarqProcesses,
        rtt_ns=link(slots).rtt_ns,
        detection_delay_ns=MS,
        processes=slots,
        max_transmissions=transmissions,
        reassembly_ns=reassembly_ms * MS,
        delivery=delivery,
        status_prohibit_ns=(slots + 10) * MS,
        poll_pdus=2**31 - 1,
        window_pdus=131_072,
    )
    delay_ns, counts = converted(scheme, erased, MS, MS)
    expected = model(
        p, slots, max_transmissions=transmissions, reassembly_ns=reassembly_ms * MS, delivery=delivery
    )
    tolerance = 0.1 if transmissions == 1 else 0.03
    assert delay_ns.mean() / MS - 1 == pytest.approx(wait_slots(expected, slots), rel=tolerance)
    assert counts.efficiency == pytest.approx(expected.efficiency, rel=1e-3)


def test_loss__is_that_of_long_traces() -> None:
    """200,000 slots of seed 4, one retransmission: four standard errors are 12 % of the loss, 0.0081."""
    erased = Bernoulli(0.3).erasures(4).next(200_000)
    scheme = on_link.rlc_over(
        HarqProcesses,
        rtt_ns=4 * MS,
        detection_delay_ns=MS,
        processes=5,
        max_transmissions=2,
        reassembly_ns=30 * MS,
        max_retransmissions=1,
        status_prohibit_ns=10 * MS,
        poll_pdus=2**31 - 1,
        window_pdus=131_072,
    )
    _, counts = converted(scheme, erased, MS, MS)
    expected = model(0.3, 5, max_transmissions=2, reassembly_ns=30 * MS, max_retransmissions=1)
    assert math.isclose(expected.residual_loss, 0.09**2)
    assert counts.lost / counts.data_rows == pytest.approx(0.0081, rel=0.12)


def test_extremes__have_their_limits() -> None:
    clean = rlc_over_harq_processes(TwoStateChannel(0.5, 0.5, 0.0, 0.0), link(4), 4)
    assert (clean.efficiency, clean.residual_loss) == (pytest.approx(1.0), 0.0)
    assert math.isclose(wait_slots(clean, 4), 0.0, abs_tol=1e-9)
    assert rlc_over_harq_processes(TwoStateChannel(0.5, 0.5, 1.0, 1.0), link(4), 4).residual_loss == 1.0
