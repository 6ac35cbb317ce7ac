"""Radio link control against its law for rare erasures: exact on isolated ones, close on random ones."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from tmt.channels import Bernoulli
from tmt.models import RegularLink, rlc_acknowledged, rlc_recovery_slots, rlc_unacknowledged
from tmt.schemes import Counts, Rlc
from tmt.schemes.converter import joined
from tmt.trace import PhyTrace

MS = 1_000_000
ONE_REPORT = {"poll_pdus": 2**31 - 1, "rlc_window": 131_072, "status_prohibit_ns": 30 * MS}
"""One report for each gap: others, while the retransmission is on its way, would repeat the NACK."""

LINK = RegularLink(25 * MS, MS, 3 * MS)


needs_jit = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million slots: the kernel needs the JIT for them"
)


def converted(scheme: Rlc, erased: np.ndarray) -> tuple[np.ndarray, Counts]:
    """Return the delays of the delivered rows, with decoding in 3 ms, and the counts."""
    converter = scheme.converter()
    trace = PhyTrace(np.arange(len(erased)) * MS, np.where(erased, 0, 3 * MS))
    rows = joined(converter.feed(trace), converter.finish())
    return rows.delay_ns[rows.delivered], converter.counts


def isolated() -> np.ndarray:
    erased = np.zeros(20_000, bool)
    erased[500:19_500:400] = True
    return erased


def test_recovery__by_hand() -> None:
    # Missed 1 + 3 ms after the erased slot, reported 10 ms later; the report takes 25 ms.
    assert rlc_recovery_slots(LINK, 10 * MS) == 39
    assert rlc_recovery_slots(LINK, 10 * MS + 1) == 40


@pytest.mark.parametrize("delivery", ["any-order", "in-order"])
def test_acknowledged__has_the_law_exactly_on_isolated_erasures(delivery: str) -> None:
    erased = isolated()
    scheme = Rlc(rtt_ns=LINK.rtt_ns, delivery=delivery, reassembly_ns=10 * MS, **ONE_REPORT)
    delay_ns, counts = converted(scheme, erased)
    # The erasures are counted per segment: a retransmission takes a slot and gives no row.
    fraction = erased.sum() / len(delay_ns)
    expected = rlc_acknowledged(fraction, LINK, 10 * MS, in_order=delivery == "in-order")
    assert LINK.rtt_ns / 2e9 + delay_ns.mean() / 1e9 == pytest.approx(expected.recovery_delay_s, rel=1e-12)
    assert (counts.lost, counts.unsettled, counts.retransmission_slots) == (0, 0, erased.sum())


def test_acknowledged__repeats_nacks_while_the_retransmission_is_on_its_way() -> None:
    """Without t-StatusProhibit: timers end 14, 25 and 36 ms after the erased slot; it arrives after 42."""
    erased = isolated()
    settings = ONE_REPORT | {"status_prohibit_ns": 0}
    _, counts = converted(Rlc(rtt_ns=LINK.rtt_ns, reassembly_ns=10 * MS, **settings), erased)
    assert counts.retransmission_slots == 3 * erased.sum()


@pytest.mark.parametrize("reassembly_ms", [0, 10, 10.5])
def test_unacknowledged__has_the_law_exactly_on_isolated_erasures(reassembly_ms: float) -> None:
    erased, reassembly_ns = isolated(), round(reassembly_ms * MS)
    scheme = Rlc(rtt_ns=LINK.rtt_ns, rlc_mode="unacknowledged", reassembly_ns=reassembly_ns)
    delay_ns, counts = converted(scheme, erased)
    expected = rlc_unacknowledged(erased.sum() / len(delay_ns), LINK, reassembly_ns)
    assert LINK.rtt_ns / 2e9 + delay_ns.mean() / 1e9 == pytest.approx(expected.recovery_delay_s, rel=1e-12)
    assert counts.lost == erased.sum()


@needs_jit
def test_acknowledged__is_near_the_law_for_rare_random_erasures() -> None:
    """A million slots, p = 0.0002, seed 4: 200 erasures, 0.8 % of which meet another one's recovery."""
    erased = Bernoulli(0.0002).erasures(4).next(1_000_000)
    scheme = Rlc(rtt_ns=LINK.rtt_ns, delivery="any-order", reassembly_ns=10 * MS, **ONE_REPORT)
    delay_ns, counts = converted(scheme, erased)
    late_ns = delay_ns[delay_ns > 3 * MS] - 3 * MS
    assert late_ns.mean() / MS == pytest.approx(rlc_recovery_slots(LINK, 10 * MS), rel=0.02)
    assert counts.efficiency == pytest.approx(1 - erased.mean(), abs=2e-5)
