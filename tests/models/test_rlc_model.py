"""Radio link control against its law for rare erasures: exact on isolated ones, close on random ones."""

import numba
import numpy as np
import pytest
from naive import on_link
from naive.on_link import OnLink

from tmt import GilbertElliott
from tmt.core.converter import Counts, joined
from tmt.core.trace import PhyTrace
from tmt.theory import (
    Bursts,
    RegularLink,
    TwoStateChannel,
    burst_length_law,
    burst_length_moments,
    rlc,
    rlc_acknowledged,
    rlc_recovery_slots,
    rlc_unacknowledged,
)

MS = 1_000_000
ONE_REPORT = {"poll_pdus": 2**31 - 1, "window_pdus": 131_072, "status_prohibit_ns": 40 * MS}
"""One report for each gap: others, while the retransmission is on its way, would repeat the NACK."""

LINK = RegularLink(25 * MS, MS, 3 * MS)


needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million slots: the kernel needs the JIT for them"
)


def converted(scheme: OnLink, erased: np.ndarray) -> tuple[np.ndarray, Counts]:
    """Return the delays of the delivered rows, with decoding in 3 ms, and the counts."""
    converter = scheme.converter()
    trace = PhyTrace(np.arange(len(erased)) * MS, np.where(erased, 0, 3 * MS))
    rows = joined(converter.feed(trace), converter.finish())
    return rows.delay_ns[rows.delivered], converter.counts


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
    delay_ns, counts = converted(scheme, erased)
    expected = rlc_acknowledged(bursts, LINK, 10 * MS, in_order=delivery == "in-order")
    assert LINK.rtt_ns / 2e9 + delay_ns.mean() / 1e9 == pytest.approx(expected.recovery_delay_s, rel=1e-12)
    assert counts.efficiency == pytest.approx(expected.efficiency, rel=1e-12)
    assert (counts.lost, counts.unsettled, counts.retransmission_slots) == (0, 0, erased.sum())


def test_acknowledged__repeats_nacks_while_the_retransmission_is_on_its_way() -> None:
    """Without t-StatusProhibit: timers end 14, 25 and 36 ms after the erased slot; it arrives after 42."""
    erased, _ = isolated()
    settings = ONE_REPORT | {"status_prohibit_ns": 0}
    _, counts = converted(on_link.rlc(rtt_ns=LINK.rtt_ns, reassembly_ns=10 * MS, **settings), erased)
    assert counts.retransmission_slots == 3 * erased.sum()


@pytest.mark.parametrize("longest", [1, 6])
@pytest.mark.parametrize("reassembly_ms", [0, 10, 10.5])
def test_unacknowledged__has_the_law_exactly_on_isolated_bursts(reassembly_ms: float, longest: int) -> None:
    (erased, bursts), reassembly_ns = isolated(longest), round(reassembly_ms * MS)
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, mode="unacknowledged", reassembly_ns=reassembly_ns)
    delay_ns, counts = converted(scheme, erased)
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


@needs_jit
@pytest.mark.parametrize("delivery", ["any-order", "in-order"])
def test_acknowledged__is_near_the_law_for_rare_random_bursts(delivery: str) -> None:
    """Four million slots, seed 4: 410 bursts of 2 slots on average; four standard errors are a fifth."""
    parameters = (0.9999, 0.5)
    erased = GilbertElliott(*parameters).erasures(4).next(4_000_000)
    scheme = on_link.rlc(rtt_ns=LINK.rtt_ns, delivery=delivery, reassembly_ns=10 * MS, **ONE_REPORT)
    delay_ns, counts = converted(scheme, erased)
    expected = rlc(TwoStateChannel(*parameters), LINK, 10 * MS, delivery=delivery)
    wait_s = expected.recovery_delay_s - LINK.recovery_delay_s(0.0)
    assert delay_ns.mean() / 1e9 - 3e-3 == pytest.approx(wait_s, rel=0.2)
    assert counts.efficiency == pytest.approx(expected.efficiency, abs=5e-5)
