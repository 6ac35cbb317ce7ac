"""Effects of the mended faults of ns-2's TCP-Linux on results.

docs/tcp-linux.md names the patch without which each test fails.
"""

from typing import Any

import numpy as np
import pytest
from experiments import asker, number

from analysis.tcp.tcp_linux import most_in_flight
from tests.experiment.conftest import LinkFactory
from tmt import PlainLink, TraceLink
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run.experiment import ExperimentResult

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

S = NS_PER_S
VARIANTS = ("newreno", "westwood", "hybla", "cubic", "compound")
SPACING_NS = 6 * NS_PER_MS
"""Between rows of 1500 bytes: 2 Mbit/s."""

PIPE, QUEUE = 83, 500
"""Packets on the path of 0.5 s and in the queue before it."""


ask = asker(
    stack="2009",
    forward=PlainLink(2e6),
    rtt_ns=S // 2,
    duration_ns=300 * S,
    queue_packets=QUEUE,
    window_packets=PIPE + QUEUE,
)


def sender(tcp: str, **changes: Any) -> ExperimentResult:
    return ask(tcp=tcp, **changes).run()


@pytest.mark.parametrize("tcp", VARIANTS)
def test_bound_far_beyond_the_path__costs_nothing(tcp: str) -> None:
    # Slow start overshoots, Hybla's at once and by thousands; what was lost is sent again at the link's rate.
    tight, wide = sender(tcp), sender(tcp, window_packets=10_000)
    assert number(tight, "goodput_bps") > 1.9e6 * 1448 / 1500
    assert number(wide, "received_bps") >= 0.999 * number(tight, "received_bps")
    # The run may end in a recovery, whose packets the receiver has, but not in order.
    assert number(wide, "goodput_bps") > 0.985 * number(tight, "goodput_bps")
    assert number(wide, "max_transmissions") <= 4


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_recovery__survives_lost_retransmissions(seed: int, link_file: LinkFactory) -> None:
    # 1 % of the rows lost, and 9,500 packets to send again after Hybla's first window. With a bound of 600 it
    # gets 1818 kbit/s, the mean of 10 substreams.
    lost = np.flatnonzero(np.random.default_rng(seed).random(51_000) < 0.01)
    path = link_file("link.npy", rows=51_000, spacing_ns=SPACING_NS, lost=lost)
    result = sender("hybla", forward=TraceLink(path, 1500), window_packets=10_000)
    assert number(result, "goodput_bps") > 0.95 * 1.818e6 * 1448 / 1500


@pytest.mark.parametrize("tcp", ["hybla", "compound"])
def test_bound__holds_for_variants_that_do_not_look_at_it(tcp: str) -> None:
    assert most_in_flight(sender(tcp, window_packets=60, duration_ns=60 * S)) == 60
    shipped = sender(tcp, stack="2009-as-shipped", window_packets=60, duration_ns=60 * S)
    assert most_in_flight(shipped) > 110


def test_recovery_as_shipped__lets_westwood_fill_a_path_with_shadows(link_file: LinkFactory) -> None:
    # Shadows of 0.18 s, 4.6 s apart on average; what they hit comes 0.5 s late, as over ARQ. An independent
    # study of the distribution's program found 1609 to 2107 kbit/s in such courses, and 703 to 940 with patch
    # 0016.
    rows = 500 * S // SPACING_NS
    begins_s = np.cumsum(np.random.default_rng(2).exponential(4.6, 200))
    since_s = np.arange(rows) * SPACING_NS / S
    into_s = since_s - begins_s[np.searchsorted(begins_s, since_s, side="right") - 1]
    delay_ns = np.where((into_s >= 0) & (into_s < 0.18), S // 2, 0)
    link = TraceLink(link_file("link.npy", rows=rows, spacing_ns=SPACING_NS, delay_ns=delay_ns), 1500)
    changes = {
        "forward": link,
        "duration_ns": 500 * S,
        "in_order": False,
        "window_packets": 2000,
        "queue_packets": 10_000,
    }
    shipped = number(sender("westwood", stack="2009-as-shipped", **changes), "goodput_bps")
    mended = number(sender("westwood", **changes), "goodput_bps")
    assert 1.4e6 < shipped < 2e6
    assert 0.6e6 < mended < 1e6


@pytest.mark.parametrize("rtt_ms", [500, 810, 1600])
def test_hybla__opens_its_window_at_once_at_any_round_trip_time(rtt_ms: int) -> None:
    # Caini and Firrincieli 2004: the first window is rho = RTT / 25 ms, then 2^rho - 1 more for each
    # acknowledgement, at 20 and more beyond any threshold: the second round trip opens the window up to it.
    # 810 ms is rho = 32.
    result = sender(
        "hybla", rtt_ns=rtt_ms * NS_PER_MS, window_packets=200, duration_ns=3 * rtt_ms * NS_PER_MS
    )
    assert result.windows["cwnd_packets"][1:3].tolist() == [rtt_ms // 25, 200]


def test_smoothed_rtt__follows_samples_that_are_32_seconds_apart(link_file: LinkFactory) -> None:
    # Packets of the first 50 s, the SYN among them, take 50 s longer than all others: the first sample is
    # 50.5 s, all others are 0.5 s. RFC 6298: a sample closes 1/8 of the distance.
    rows = 20_000
    delay_ns = np.where(np.arange(rows) * SPACING_NS < 50 * S, 50 * S, 0)
    path = link_file("link.npy", rows=rows, spacing_ns=SPACING_NS, delay_ns=delay_ns)
    result = sender(
        "newreno", forward=TraceLink(path, 1500), window_packets=20, duration_ns=100 * S, in_order=False
    )
    srtt_s = result.windows["srtt_ns"] / S
    assert srtt_s.max() == pytest.approx(50.5, rel=0.01)
    assert srtt_s[-1] == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("tcp", VARIANTS)
def test_new_flow__forgets_memory(tcp: str, link_file: LinkFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    # malloc fills what it gives. The SYN is lost: the first acknowledgement is a duplicate, sets no snd_una,
    # and Westwood+ begins to count from there. Its estimate becomes the window with the second loss, at 30 s.
    path = link_file("link.npy", rows=20_000, spacing_ns=SPACING_NS, lost=[0, 5000])
    results = []
    for fill in ("1", "165"):
        monkeypatch.setenv("MALLOC_PERTURB_", fill)
        results.append(sender(tcp, forward=TraceLink(path, 1500), duration_ns=60 * S))
    assert results[0].row["forward_link_lost"] == 2
    np.testing.assert_array_equal(results[0].windows, results[1].windows)
    np.testing.assert_array_equal(results[0].packets, results[1].packets)
