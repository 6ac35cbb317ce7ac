"""The model of two links, beside ns-2: transfers without loss, and go-back-N that is never idle."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.ns2.conftest import Datagrams
from tests.ns2.scripts import output_of
from tmt.core.schema import PACKET_EVENTS
from tmt.theory import two_links
from tmt.theory.split import GoBackNLink, TcpSender, TwoLinks

pytestmark = pytest.mark.ns2

SPLIT = Path(__file__).parents[2] / "analysis" / "jin2006" / "split.tcl"
SEGMENTS, WINDOW, WIRELESS_DELAY_S = 400, 64, 0.002


def _received_s(
    simulator: Path, folder: Path, wired_bps: float, wireless_bps: float, wired_delay_s: float, **more: float
) -> np.ndarray:
    """Return the arrival time of each segment, from the sending of the first, [segments]."""
    rates = {"wired_rate_bps": wired_bps, "wireless_rate_bps": wireless_bps, "wired_delay_s": wired_delay_s}
    more |= {"wireless_delay_s": WIRELESS_DELAY_S, "segments": SEGMENTS, "window_packets": WINDOW}
    output_of(simulator, SPLIT, folder, **rates, **more, wired_loss=0)
    records = np.load(folder / "packets.npy")
    data = records[records["sequence"] > 0]  # 0 is the SYN
    sent, received = (
        data["time_ns"][data["event"] == PACKET_EVENTS.index(event)] for event in ("sent", "received")
    )
    times: np.ndarray = (received - sent.min()) / 1e9
    return times


def _path(wired_bps: float, wireless_bps: float, wired_delay_s: float, processing_s: float = 0.0) -> TwoLinks:
    return TwoLinks(
        wired_packet_s=12_000 / wired_bps,
        wireless_packet_s=12_000 / wireless_bps,
        wired_delay_s=wired_delay_s,
        wireless_delay_s=WIRELESS_DELAY_S,
        wired_ack_s=wired_delay_s + 320 / wired_bps,
        wireless_ack_s=WIRELESS_DELAY_S + 320 / wireless_bps,
        processing_s=processing_s,
    )


RATES = pytest.mark.parametrize(
    ("wired_bps", "wireless_bps"), [(10e6, 2e6), (2e6, 10e6)], ids=["wireless slower", "wired slower"]
)


@RATES
@pytest.mark.parametrize("wired_delay_s", [0.001, 0.045])
def test_end_to_end__has_each_segment_when_ns2_has_it(
    wired_bps: float, wireless_bps: float, wired_delay_s: float, simulator: Path, tmp_path: Path
) -> None:
    """New Reno and a sink that acknowledges every other segment: slow start to a window of 64 packets."""
    found = _received_s(simulator, tmp_path, wired_bps, wireless_bps, wired_delay_s)
    path = _path(wired_bps, wireless_bps, wired_delay_s)
    model = two_links.end_to_end_by_segments_s(path, TcpSender(2, WINDOW, WINDOW, 2), SEGMENTS)
    assert np.abs(found - model).max() < 1e-6


@RATES
@pytest.mark.parametrize(("wired_delay_s", "processing_s"), [(0.001, 0.0), (0.045, 0.003)])
def test_split__has_each_segment_when_ns2_has_it(
    wired_bps: float,
    wireless_bps: float,
    wired_delay_s: float,
    processing_s: float,
    simulator: Path,
    tmp_path: Path,
) -> None:
    """The proxy's connection begins with a SYN of one frame, for which its first data wait."""
    found = _received_s(
        simulator, tmp_path, wired_bps, wireless_bps, wired_delay_s, proxy=1, processing_s=processing_s
    )
    path = _path(wired_bps, wireless_bps, wired_delay_s, processing_s)
    sender = TcpSender(2, WINDOW, WINDOW, 2)
    late = found - two_links.split_by_segments_s(path, sender, sender, SEGMENTS)
    handshake_s = path.wireless_ack_s + path.wireless_delay_s + path.wireless_packet_s / 10
    assert late[0] == pytest.approx(handshake_s, abs=1e-6)
    assert late.min() > -1e-6
    assert late.max() < handshake_s + 1e-6


@pytest.mark.parametrize(
    ("loss", "burst", "processing_s"), [(0.05, None, 0.0), (0.3, None, 0.0003), (0.2, 8.0, 0.0)]
)
def test_go_back_n__takes_the_time_that_the_model_says(
    loss: float, burst: float | None, processing_s: float, send_datagrams: Datagrams
) -> None:
    """20,000 packets of 10 frames back to back, one stream; within four standard errors.

    Between two errors that are repeated a random number of frames passes: the time that n of them take has
    the variance n sigma^2, with sigma estimated from packets in a hundred groups.
    """
    link = GoBackNLink.losing(loss, burst, frames=10, window=10, frame_processing_s=processing_s)
    packets, frame_s = 20_000, 0.0012
    run = send_datagrams(
        None,
        [(i + 1, 1500) for i in range(packets)],
        delay_s=0.001,
        duration_s=1e4,
        limit_=packets + 1,
        scheme="go-back-n",
        unit_bytes_=150,
        window_=10,
        timeout_=9 * (frame_s + processing_s),
        processing_=processing_s,
        alpha_=1 - link.error_after_success,
        beta_=link.error_after_error,
    )
    assert run.status == 0, run.stderr
    assert run.counters["packets_delivered"] == packets
    times = np.array([time for _, time in sorted(run.fates().values(), key=lambda fate: fate[1])]) / 1e9
    groups = np.diff(times[99::200]) / 200
    error = groups.std(ddof=1) / math.sqrt(len(groups))
    assert abs(groups.mean() - link.packet_s(10 * frame_s)) < 4 * error
