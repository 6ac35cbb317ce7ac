"""Careful Resume and SEARCH over links of constant rate: the window over time, and the page's table."""

import re
from pathlib import Path as File

import numpy as np
import pytest
from experiments import asker

from tmt import Flow, PlainLink, Resume
from tmt.core.measure.transport import SENT

PAGE = File(__file__).parents[2] / "docs" / "careful-resume.md"

S = 1_000_000_000

# 20 Mbit/s and 0.6 s: 1000 packets of 1500 bytes fill the path, another 1000 the queue.
replay = asker(tcp="newreno", forward=PlainLink(20e6), rtt=0.6, queue_packets=1000, duration=30)
REMEMBERED = Resume(window_bytes=1_500_000, rtt=0.6)

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]


def window_at(windows: np.ndarray, seconds: float, column: str = "cwnd_packets") -> float:
    return float(windows[column][np.searchsorted(windows["time_ns"], seconds * S, side="right") - 1])


def test_resume__jumps_to_half_of_the_window_paced_over_a_round_trip() -> None:
    # The handshake takes 0.6 s, the initial packets as long.
    found = replay(resume=REMEMBERED, duration=3).run()
    assert window_at(found.windows, 1.19) == pytest.approx(10, abs=10)
    assert window_at(found.windows, 1.3) == 500
    packets = found.packets[(found.packets["event"] == SENT) & (found.packets["direction"] == 0)]
    times = packets["time_ns"][(packets["time_ns"] > 1.25 * S) & (packets["time_ns"] < 1.75 * S)]
    # 500 packets in 0.6 s: one each 1.2 ms.
    assert len(times) == pytest.approx(0.5 * 500 / 0.6, rel=0.05)
    assert np.diff(times).min() == pytest.approx(0.6 * S / 500, rel=0.05)
    # Then the window doubles in a round trip, by slow start.
    assert window_at(found.windows, 2.4) == pytest.approx(1000, rel=0.05)


def test_resume__is_for_one_flow_and_for_its_lifetime() -> None:
    windows = replay(resume=REMEMBERED, flows=2, duration=3).run().windows
    early = windows[windows["time_ns"] < 1.4 * S]
    largest = [early["cwnd_packets"][early["flow"] == flow].max() for flow in (0, 1)]
    assert largest == [500, pytest.approx(20)]
    expired = replay(resume=Resume(1_500_000, 0.6, lifetime=1.0), duration=3).run().windows
    assert window_at(expired, 1.4) == pytest.approx(20)


def test_resume__of_a_group_is_for_its_first_flow() -> None:
    groups = Flow("cubic"), Flow("newreno", 2, start=1, resume=REMEMBERED)
    windows = asker(forward=PlainLink(20e6), rtt=0.6)(flow=groups, duration=2.5).run().windows
    early = windows[windows["time_ns"] < 2.4 * S]
    largest = [early["cwnd_packets"][early["flow"] == flow].max() for flow in (1, 2)]
    assert largest == [500, pytest.approx(20)]


@pytest.mark.parametrize(("tcp", "beta"), [("newreno", 0.5), ("cubic", 0.7)])
def test_resume__retreats_from_a_path_that_is_worse_than_remembered(tcp: str, beta: float) -> None:
    # Five times the window: 2500 packets at once, which path and queue cannot hold.
    found = replay(tcp=tcp, resume=Resume(7_500_000, 0.6)).run()
    windows = found.windows
    begin = int(np.argmax(windows["state"] == 3))
    # PipeSize is what was delivered since the jump, at most 1667 packets/s for the time since then.
    most = 1667 * (windows["time_ns"][begin] / S - 1.2)
    assert (
        windows["cwnd_packets"][begin:][windows["time_ns"][begin:] == windows["time_ns"][begin]][-1]
        <= most / 2
    )
    # The threshold after the retreat: beta x PipeSize, which path, queue and their refilling bound.
    later = window_at(windows, windows["time_ns"][begin] / S + 1.5, "ssthresh_packets")
    assert beta * 1000 < later < beta * 2500
    # The jump and the window's growth while it is validated, a round trip of 1.2 s, exceed path and queue.
    assert found.row["retransmissions"] < 500 + 1.5 * 1.2 * 1667
    assert found.row["timeouts"] == 0


def test_search__ends_slow_start_before_a_long_queue_overflows() -> None:
    # The window of the path is 1000 packets; SEARCH ends slow start at 5 to 7 times that, and takes back what
    # was delivered in five bins of 0.21 s, 1750 packets. Without it a window of 9000 packets overflows.
    settings = {"queue_packets": 8000, "duration": 20, "receive_buffer_bytes": 2**30}
    search = replay(slow_start="search", **settings).run()
    assert search.row["retransmissions"] == 0
    assert 5000 < search.row["cwnd_max_packets"] < 7500
    ssthresh = search.windows["ssthresh_packets"][-1]
    assert search.row["cwnd_max_packets"] - ssthresh == pytest.approx(1750, rel=0.1)
    assert replay(slow_start="standard", **settings).run().row["retransmissions"] > 0


HALF, WHOLE = (Resume(window_bytes, rtt=0.6) for window_bytes in (18_750_000, 37_500_000))
satellite = asker(forward=PlainLink(250e6), rtt=0.6, transfer_bytes=100_000_000, duration=60)


def test_page__has_the_numbers_of_the_runs() -> None:
    rows = re.findall(r"^\| (newreno|cubic|bbr|bbr3)((?: \| [\d.]+){3}) \|", PAGE.read_text("utf-8"), re.M)
    assert [tcp for tcp, _ in rows] == ["newreno", "cubic", "bbr", "bbr3"]
    for tcp, said in rows:
        runs = [satellite(tcp=tcp, back=PlainLink(3e6), resume=one).run() for one in (None, HALF, WHOLE)]
        assert said.split(" | ")[1:] == [f"{run.row['completion_s']:.1f}" for run in runs], tcp
