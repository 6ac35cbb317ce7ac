"""ns-2, the emulator and the kernel over one series of round-trip times, against a slow twin.

The twin of the queue gives each packet's time on the link from the times at which it was sent. The delay is
that of the series at that time, by exact fractions; without overtaking a packet waits for the one before.
"""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from experiments import asked
from link_traces import sent_once

from tests.emulate.conftest import emulator as emulator  # noqa: PLC0414  (a fixture)
from tests.linux.conftest import kernel as kernel  # noqa: PLC0414  (a fixture)
from tests.ns2.conftest import (
    Datagrams,
    send_datagrams as send_datagrams,  # noqa: PLC0414  (a fixture)
)
from tests.ns2.queue_twin import Options, outcomes
from tmt import Path as LinkPath, TraceLink
from tmt.core.schema import PACKET_EVENTS, RTT_SERIES
from tmt.core.trace import LinkTrace
from tmt.io import write_trace
from tmt.run.emulate.emulation import Emulation
from tmt.run.emulate.emulator import run

MS = 10**6
S = 10**9

SERIES = [(0, 80 * MS), (1 * S, 120 * MS), (1 * S, 40 * MS), (2 * S, 70 * MS + 1)]
"""Rises for a second, falls by 80 ms, rises for another; it begins again at 2 s by a step up of 10 ms."""


def rtt_ns(time_ns: int) -> Fraction:
    time_ns %= 2 * S
    (begin, low), (end, high) = SERIES[:2] if time_ns < S else SERIES[2:]
    return low + Fraction((high - low) * (time_ns - begin), end - begin)


def due_ns(link_ns: list[int], overtaking: bool, offset_ns: int = 0) -> list[int]:
    """Return when packets that leave the link at these times, in this order, are at the far end."""
    found: list[int] = []
    for time_ns in link_ns:
        own = time_ns + int(rtt_ns(time_ns + offset_ns)) // 2
        found.append(own if overtaking or not found else max(own, found[-1]))
    return found


@pytest.fixture
def series(tmp_path: Path) -> Path:
    lines = [f"{time_ns},{value_ns}" for time_ns, value_ns in SERIES]
    (tmp_path / "rtt.csv").write_text("\n".join(["time_ns,rtt_ns", *lines]) + "\n")
    return tmp_path / "rtt.csv"


@pytest.fixture
def trace(tmp_path: Path) -> LinkTrace:
    """5000 rows of 1500 bytes, between 0 and 4 ms apart, which come up to 20 ms late."""
    random = np.random.default_rng(3)
    made = sent_once(
        np.cumsum(random.integers(1, 4 * MS, 5000)), random.integers(0, 20 * MS, 5000), lldu_bytes=1500
    )
    write_trace(tmp_path / "link.npy", made)
    return made


OPTIONS = Options(1500, 1000, loop=True, in_order=True)
EVENTS = {name: number for number, name in enumerate(PACKET_EVENTS)}


def check(
    packets: npt.NDArray[np.void], trace: LinkTrace, overtaking: bool, late_ns: tuple[int, int]
) -> list[int]:
    """Compare the arrivals of the forward packets with the twin's; return how late each one is."""
    own = packets[(packets["direction"] == 0) & (packets["uid"] >= 0)]
    sent, received = own[own["event"] == EVENTS["sent"]], own[own["event"] == EVENTS["received"]]
    assert len(received) > 100
    options = Options(1500, 100_000, loop=True, in_order=True, offset_ns=int(trace.tx_time_ns[0]))
    expected = outcomes(trace, [(int(r["time_ns"]), int(r["size_bytes"])) for r in sent], 0, options)
    link_ns = [expected[number][1] for number in range(len(sent))]
    due = dict(zip(sent["uid"].tolist(), due_ns(link_ns, overtaking), strict=True))
    late = [int(row["time_ns"]) - due[int(row["uid"])] for row in received]
    assert min(late) >= late_ns[0]
    assert max(late) <= late_ns[1]
    # The steps were met: half of 80 ms down, without overtaking at the end of a burst of arrivals.
    times_ns = np.array(link_ns) % (2 * S)  # then the series repeats
    assert times_ns.min() < S - 100 * MS
    assert times_ns.max() > S + 100 * MS
    return late


@pytest.mark.parametrize("overtaking", [False, True])
def test_datagrams__arrive_as_the_twin_says(
    send_datagrams: Datagrams, series: Path, trace: LinkTrace, tmp_path: Path, overtaking: bool
) -> None:
    rows = np.array(SERIES, RTT_SERIES.dtype)
    np.save(tmp_path / "rtt.npy", rows)
    sendings = [(7 * MS * i + 3, 1000) for i in range(700)]
    done = send_datagrams(
        trace,
        sendings,
        in_order_=1,
        limit_=1000,
        loop_=1,
        overtaking_=int(overtaking),
        rtt_offset_=0.25,
        **{"rtt-series": tmp_path / "rtt.npy"},
    )
    expected = outcomes(trace, sendings, 0, OPTIONS)
    link_ns = [expected[number][1] for number in range(700)]
    due = due_ns(link_ns, overtaking, S // 4)
    assert done.fates() == {number: ("received", time_ns) for number, time_ns in enumerate(due)}
    order = [int(row["uid"]) for row in done.packets if row["event"] == EVENTS["received"]]
    assert (order == sorted(order)) is not overtaking


def experiment(series: Path, tmp_path: Path, **settings: Any) -> Any:
    begin = {"forward": TraceLink(str(tmp_path / "link.npy"), lldu_bytes=1500), "rtt": 0.2}
    return asked(
        **begin,
        rtt_series=str(series),
        queue_packets=100_000,
        duration=6,
        start=0.1,
        window_packets=200,
        **settings,
    )


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("overtaking", [False, True])
def test_ns2__delays_tcp_as_the_series_says(
    series: Path, trace: LinkTrace, tmp_path: Path, overtaking: bool
) -> None:
    result = experiment(series, tmp_path, overtaking=overtaking).run()
    check(result.packets, trace, overtaking, (-1, 1))  # ns-2's clock is a double
    assert "the series of round-trip times ends after 2 s; it then repeats" in result.notes


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("overtaking", [False, True])
def test_kernel__delays_tcp_as_the_series_says(
    series: Path, trace: LinkTrace, tmp_path: Path, overtaking: bool
) -> None:
    result = experiment(series, tmp_path, stack="linux", overtaking=overtaking).run()
    check(result.packets, trace, overtaking, (0, 1000))


@pytest.mark.usefixtures("kernel", "simulator")
def test_both_directions__follow_the_series(series: Path, tmp_path: Path, trace: LinkTrace) -> None:
    """On the plain return link an acknowledgement of 52 bytes takes 52 us at 8 Mbit/s, then half the series."""  # noqa: E501
    from tmt import PlainLink

    for stack in ("modern", "linux"):
        result = experiment(series, tmp_path, stack=stack, back=PlainLink(8e6)).run()
        back = result.packets[result.packets["direction"] == 1]
        sent, received = (back[back["event"] == EVENTS[name]] for name in ("sent", "received"))
        free_ns, link_ns = 0, []
        for row in sent:
            free_ns = max(free_ns, int(row["time_ns"])) + 1000 * int(row["size_bytes"])
            link_ns.append(free_ns)
        due = dict(zip(sent["uid"].tolist(), due_ns(link_ns, overtaking=False), strict=True))
        late = [int(row["time_ns"]) - due[int(row["uid"])] for row in received]
        assert len(late) > 50
        assert min(late) >= -1
        assert max(late) <= 1000


DATAGRAMS = """
import socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    end, sent = time.monotonic() + 2.5, 0
    while time.monotonic() < end or sent < 150:
        sender.sendto(bytes(1000), ("10.0.0.2", 9))
        sent += 1
        time.sleep(0.008)
time.sleep(0.3)
"""


@pytest.mark.usefixtures("emulator")
@pytest.mark.parametrize("overtaking", [False, True])
def test_emulator__delays_packets_as_the_series_says(
    series: Path, trace: LinkTrace, tmp_path: Path, overtaking: bool
) -> None:
    emulation = Emulation(
        command=(sys.executable, "-c", DATAGRAMS),
        forward=TraceLink(str(tmp_path / "link.npy"), lldu_bytes=1500),
        path=LinkPath(0.2, rtt_series=str(series), overtaking=overtaking, queue_packets=100_000),
    )
    packets = run(emulation, record=True).packets
    assert packets is not None
    late = check(packets, trace, overtaking, (0, 20 * S))
    # Lateness is the machine's, but not that of 30 packets in a row; a wrong delay would be.
    assert max(min(part) for part in np.array_split(late, 10)) < 20 * MS
