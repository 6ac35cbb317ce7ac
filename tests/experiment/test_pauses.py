"""Transfers that pause in their middle: when the second half begins, and what the window is then."""

import numpy as np
import pytest
from experiments import asked

from tmt import PlainLink
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run.experiment import ExperimentResult

SEGMENTS = 701  # of which the first half is 351


def paused(stack: str, pause_s: float, tcp: str = "newreno") -> ExperimentResult:
    """A transfer over 10 Mbit/s and 100 ms, whose first half fits into the queue."""
    return asked(
        tcp=tcp,
        stack=stack,
        forward=PlainLink(10e6),
        rtt_ns=100 * NS_PER_MS,
        queue_packets=1000,
        window_packets=1000,
        duration_ns=200 * NS_PER_S,
        transfer_bytes=SEGMENTS * 1448,
        pause_ns=int(pause_s * NS_PER_S),
    ).run()


def check(run: ExperimentResult, pause_s: float) -> None:
    """The second half leaves so long after the acknowledgement of the first; nothing else is left out."""
    packets = run.packets
    acks = packets[(packets["direction"] == 1) & (packets["event"] == RECEIVED)]
    data = packets[(packets["direction"] == 0) & (packets["sequence"] > 0) & (packets["event"] == SENT)]
    half_ns = int(acks["time_ns"][acks["sequence"] >= 351][0])
    again_ns = int(data["time_ns"][data["sequence"] == 352][0])
    assert again_ns - half_ns == pytest.approx(pause_s * NS_PER_S, abs=2000)
    assert not np.any((data["time_ns"] > half_ns) & (data["time_ns"] < again_ns))
    assert run.row["flows_completed"] == 1
    assert run.row["goodput_bytes"] == SEGMENTS * 1448
    assert run.row["pause_s"] == pause_s


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("pause_s", [0, 1.5])
@pytest.mark.parametrize("stack", ["modern", "2009"])
def test_second_half__begins_after_the_pause(stack: str, pause_s: float) -> None:
    check(paused(stack, pause_s), pause_s)


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
def test_window__is_the_initial_one_after_a_long_pause() -> None:
    # RFC 2861: halved for each timeout (0.2 to 0.4 s here) that has passed; ten segments are the least.
    run = paused("modern", 60)
    times = run.windows["time_ns"]
    begin = int(np.argmax(np.diff(times))) + 1
    assert run.windows["cwnd_packets"][begin] == 10
