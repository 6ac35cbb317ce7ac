"""Window records of a sender against the packet records of the same run."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from experiments import asked, asker

from tests.experiment.conftest import LinkFactory
from tmt import PlainLink, TraceLink
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.schema import CONGESTION_STATES, UNSETTLED
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run.experiment import ExperimentResult

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

S = NS_PER_S
OPEN, _, _, RECOVERY, LOSS = range(len(CONGESTION_STATES))


ask = asker(
    tcp="newreno",
    stack="2009",
    forward=PlainLink(2e6),
    rtt_ns=S // 2,
    duration_ns=30 * S,
    queue_packets=500,
    window_packets=80,
)


def sender(**changes: Any) -> ExperimentResult:
    return ask(**changes).run()


def arrived_acknowledgements(result: ExperimentResult) -> npt.NDArray[np.void]:
    packets = result.packets
    return packets[(packets["direction"] == 1) & (packets["event"] == RECEIVED)]


def sent_data(result: ExperimentResult) -> npt.NDArray[np.void]:
    packets = result.packets
    return packets[(packets["direction"] == 0) & (packets["event"] == SENT)]


def test_window__grows_by_one_with_each_acknowledgement_of_slow_start() -> None:
    # 2 segments at first; below 80 packets nothing queues for long, and nothing is lost.
    result = sender(duration_ns=3 * S)
    arrivals_ns = arrived_acknowledgements(result)["time_ns"]
    windows = result.windows
    at_ns = np.searchsorted(windows["time_ns"], arrivals_ns, side="right") - 1
    expected = np.minimum(2 + np.arange(1, len(arrivals_ns) + 1), 80)
    assert windows["cwnd_packets"][at_ns].tolist() == expected.tolist()
    assert windows["time_ns"][0] == 0
    assert set(windows["ssthresh_packets"]) == {80}
    assert set(windows["state"]) == {OPEN}


def test_smoothed_rtt__is_the_mean_of_rfc_6298_over_the_acknowledgements() -> None:
    # RFC 6298, section 2: the first sample, then 7/8 of the old mean and 1/8 of each new sample. The agent
    # counts in eighths of a millisecond and rounds each sample to milliseconds.
    result = sender(window_packets=200)
    sent_ns = dict(
        zip(sent_data(result)["sequence"].tolist(), sent_data(result)["time_ns"].tolist(), strict=True)
    )
    windows = result.windows
    mean_ns, expected = None, []
    acknowledgements = arrived_acknowledgements(result)
    for time_ns, sequence in zip(acknowledgements["time_ns"], acknowledgements["sequence"], strict=True):
        sample_ns = int(time_ns) - sent_ns[int(sequence)]
        mean_ns = sample_ns if mean_ns is None else mean_ns + (sample_ns - mean_ns) / 8
        expected.append(mean_ns)
    at = np.searchsorted(windows["time_ns"], acknowledgements["time_ns"], side="right") - 1
    np.testing.assert_allclose(windows["srtt_ns"][at], expected, rtol=0, atol=8 * NS_PER_MS)
    assert windows["srtt_ns"][0] == UNSETTLED
    assert windows["srtt_ns"].max() > 1100 * NS_PER_MS, "the queue has added nothing"


def test_recovery__begins_with_a_retransmission_and_halves_the_threshold(link_file: LinkFactory) -> None:
    # One row in every two hundred is lost, alone.
    path = link_file("link.npy", rows=6000, spacing_ns=6 * NS_PER_MS, lost=range(400, 6000, 200))
    result = sender(forward=TraceLink(path, 1500))
    windows, data = result.windows, sent_data(result)
    state = windows["state"].astype(int)
    begins = np.flatnonzero((state[1:] == RECOVERY) & (state[:-1] == OPEN)) + 1
    assert len(begins) >= 5
    assert set(state) == {OPEN, RECOVERY}
    retransmitted_ns = data["time_ns"][data["transmission"] > 1]
    assert np.isin(windows["time_ns"][begins], retransmitted_ns).all()
    halves = windows["cwnd_packets"][begins - 1] // 2
    assert windows["ssthresh_packets"][begins].tolist() == halves.tolist()
    # It ends when an acknowledgement covers all that had been sent when it began.
    ends = np.flatnonzero((state[1:] == OPEN) & (state[:-1] == RECOVERY)) + 1
    acknowledgements = arrived_acknowledgements(result)
    for begin, end in zip(windows["time_ns"][begins], windows["time_ns"][ends], strict=False):
        highest = data["sequence"][data["time_ns"] < begin].max()
        covered = acknowledgements["time_ns"][acknowledgements["sequence"] >= highest]
        assert end == covered[0]


def test_timeout__is_a_state_of_its_own(link_file: LinkFactory) -> None:
    # From 10 to 12 s everything is lost: no acknowledgement comes, and the retransmission timer expires.
    lost = range(10_000 // 6, 12_000 // 6)
    path = link_file("link.npy", rows=6000, spacing_ns=6 * NS_PER_MS, lost=lost)
    result = sender(forward=TraceLink(path, 1500))
    in_loss = result.windows[result.windows["state"] == LOSS]
    assert 10 * S < in_loss["time_ns"][0] < 13 * S
    assert in_loss["cwnd_packets"][0] == 1
    assert result.row["timeouts"] == len(np.unique(in_loss["time_ns"][in_loss["cwnd_packets"] == 1]))


def test_moment__has_one_row_for_each_flow(tmp_path: Path) -> None:
    result = asked(
        tcp="cubic", forward=PlainLink(2e6), rtt_ns=S // 10, duration_ns=20 * S, queue_packets=20, flows=3
    ).run(tmp_path / "run")
    moments = list(zip(result.windows["time_ns"].tolist(), result.windows["flow"].tolist(), strict=True))
    assert len(set(moments)) == len(moments)
    assert set(result.windows["flow"].tolist()) == {0, 1, 2}
