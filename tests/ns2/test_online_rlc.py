"""Scheme `rlc` in Queue/Clift/Online: beside the offline conversion, and on links that idle."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.ns2.conftest import Datagrams
from tests.ns2.online import DELAY_S, MS, bursty_trace, check_equals_offline, queue_variables
from tmt import Arq, Fec, Harq, HarqProcesses, Rlc, SlidingWindow, Tetrys
from tmt.core.schemes.scheme import Scheme
from tmt.core.trace import PhyTrace

pytestmark = pytest.mark.ns2


def drawn_scheme(rng: np.random.Generator, mode: str, below: str) -> Rlc:
    def one_of(*values: Any) -> Any:
        return values[rng.integers(len(values))]

    parameters: dict[str, Any] = {
        "mode": mode,
        "delivery": one_of("in-order", "any-order"),
        "max_retransmissions": one_of(0, 1, 2, 8),
        "poll_retransmit": one_of(None, 0.005, 0.025_000_001, 0.06),
        "reassembly": one_of(0, 1e-9, 0.003, 0.035),
        "status_prohibit": one_of(0, 0, 0.01, 0.03),
    }
    if not below:
        return Rlc(
            window_pdus=one_of(1, 3, 10, 30, 100, 2048), poll_pdus=one_of(1, 4, 16, 10**6), **parameters
        )
    # Offline, the scheme below fills the slots in which RLC has nothing to send: RLC's window is never full.
    parameters |= {"window_pdus": 100_000, "poll_pdus": one_of(1, 4, 16)}
    combining = one_of("none", "chase", "incremental")
    soft = {"combining": combining, "combining_threshold_db": None if combining == "none" else one_of(0, 2.5)}
    drawn: dict[str, Callable[[], Scheme]] = {
        "arq": lambda: Arq(one_of(1, 2, 4, None), one_of(0, 0.001)),
        "fec": lambda: Fec(one_of(1, 5), one_of(0, 1, 3), one_of(1, 4), one_of(0, 0.001)),
        "harq": lambda: Harq(
            one_of(1, 8), one_of(0, 2), one_of(0, 1), one_of(0, 1, 3), detection_delay=one_of(0, 0.001)
        ),
        "sliding-window": lambda: SlidingWindow(one_of(2, 10, 40), one_of(1, 3, 8)),
        "tetrys": lambda: Tetrys(
            one_of(10, 40, 200), one_of(1, 3, 8, 1000), detection_delay=one_of(0, 0.001)
        ),
        "repetition": lambda: HarqProcesses(
            repetitions=one_of(1, 2, 3), detection_delay=one_of(0, 0.001), **soft
        ),
    }
    if below in drawn:
        return Rlc(drawn[below](), **parameters)
    processes = HarqProcesses(
        one_of(4, 8, 16, 64),
        retransmission=below,
        max_transmissions=one_of(1, 2, 4),
        detection_delay=one_of(0, 0.001),
        **soft,
    )
    return Rlc(processes, **parameters)


@pytest.mark.parametrize(
    ("mode", "below", "cases"),
    [
        ("acknowledged", "", 8),
        ("unacknowledged", "", 3),
        ("acknowledged", "asynchronous", 4),
        ("unacknowledged", "asynchronous", 2),
        ("acknowledged", "synchronous", 3),
        ("acknowledged", "repetition", 3),
        ("acknowledged", "arq", 4),
        ("unacknowledged", "arq", 2),
        ("acknowledged", "fec", 4),
        ("unacknowledged", "fec", 2),
        ("acknowledged", "harq", 4),
        ("unacknowledged", "harq", 2),
        ("acknowledged", "sliding-window", 4),
        ("unacknowledged", "sliding-window", 2),
        ("acknowledged", "tetrys", 5),
        ("unacknowledged", "tetrys", 2),
    ],
)
def test_rlc__equals_offline(mode: str, below: str, cases: int, send_datagrams: Datagrams) -> None:
    for case in range(cases):
        rng = np.random.default_rng([case, len(mode)])
        scheme, phy = drawn_scheme(rng, mode, below), bursty_trace(rng)
        words = {"in_order_": case % 2, "packed_": int(case % 3 == 0)}
        check_equals_offline(send_datagrams, scheme, phy, rng, 50, **words)


def test_rlc__polls_with_the_last_segment_of_a_burst(send_datagrams: Datagrams) -> None:
    """Slots every ms; slots 11 and 60 are erased; three packets at 9.5 ms, one at 59.5 ms.

    Segment 2 arrives at 12.5 ms, so the receiver reports the gap at 15.5 ms, which the sender knows at
    35.5 ms: slot 36 repeats segment 1. Nothing follows the packet of 59.5 ms, so t-PollRetransmit ends at
    110 ms, and slot 110 sends it again.
    """
    tx = np.arange(200, dtype=np.int64) * MS
    decode = np.full(200, MS // 2, np.int64)
    decode[[11, 60]] = 0
    scheme = Rlc(reassembly=0.003, poll_retransmit=0.05)
    run = send_datagrams(
        PhyTrace(tx, decode),
        [(9_500_000, 1000)] * 3 + [(59_500_000, 1000)],
        delay_s=DELAY_S,
        duration_s=0.19,
        **queue_variables(scheme),
    )
    arrivals = [20_500_000, 46_500_000, 46_500_000, 120_500_000]
    assert run.fates() == {uid: ("received", time_ns) for uid, time_ns in enumerate(arrivals)}
    assert run.counters["units_data"] == 4
    assert run.counters["units_repeated"] == 2


def test_rlc__stalls_while_its_window_is_full(send_datagrams: Datagrams) -> None:
    """Slots every ms, and a window of 2: the poll of slot 11 is answered at 11.5 ms.

    The sender knows that at 31.5 ms, so that slots 12 to 31 stall.
    """
    tx = np.arange(100, dtype=np.int64) * MS
    run = send_datagrams(
        PhyTrace(tx, np.full(100, MS // 2, np.int64)),
        [(9_500_000, 1000)] * 3,
        delay_s=DELAY_S,
        duration_s=0.09,
        **queue_variables(Rlc(window_pdus=2)),
    )
    arrivals = [20_500_000, 21_500_000, 42_500_000]
    assert run.fates() == {uid: ("received", time_ns) for uid, time_ns in enumerate(arrivals)}
    assert run.counters["rows_stalled"] == 20
