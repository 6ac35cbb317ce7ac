"""Marks of ECN, and the kernel's own queueing disciplines, in front of a link of 10 Mbit/s."""

from typing import Any

import numpy as np
import pytest
from link_traces import sent_once

import tmt
from tmt import Flow, Path, PlainLink, Traffic
from tmt.core.errors import UsageError
from tmt.core.measure.transport import AQM_DROPPED, MARKED, QUEUE_DROPPED, RECEIVED, SENT
from tmt.io import write_trace
from tmt.run.experiment import ExperimentResult
from tmt.run.linux import Kernel
from tmt.spec.queue import CoDel, Discipline, DropTail, KernelQdisc
from tmt.spec.stacks import LINUX

pytestmark = pytest.mark.usefixtures("kernel")

S = 1_000_000_000
RATE_BPS = 10e6
RTT_S = 0.04
FULL_NS = 1500 * 8 * S // 10_000_000
"""Time in which the link sends a full packet."""


def run_of(
    queue: Discipline, *flow: Flow, limit: int | None = 500, link: Any = None, **traffic: Any
) -> ExperimentResult:
    link = link or PlainLink(RATE_BPS)
    path = Path(RTT_S, queue=queue, queue_packets=limit)
    return tmt.replay_trace(link, path, Traffic(**{"stack": LINUX, "duration": 10, "flow": flow} | traffic))


def events(run: ExperimentResult, event: int, flow: int | None = None, direction: int = 0) -> Any:
    packets = run.packets[(run.packets["event"] == event) & (run.packets["direction"] == direction)]
    return packets if flow is None else packets[packets["flow"] == flow]


def cuts(run: ExperimentResult) -> list[float]:
    """Return each reduction for marks (Linux's state 2, CWR), as the factor from its beginning to its end."""
    windows, states = run.windows["cwnd_packets"].tolist(), run.windows["state"].tolist()
    found, before = [], 0.0
    for at in range(1, len(states)):
        if states[at] == 2 != states[at - 1]:
            before = windows[at - 1]
        if states[at] != 2 == states[at - 1]:
            found.append(windows[at - 1] / before)
    return found


def waiting_s(run: ExperimentResult) -> np.ndarray:
    """Return how long each full packet waited: its delay without propagation and its own sending."""
    packets = events(run, RECEIVED)
    return packets["delay_ns"][packets["size_bytes"] == 1500] / S - RTT_S / 2 - FULL_NS / S


def test_codel__marks_packets_of_flows_with_ecn_instead_of_dropping_them() -> None:
    marking, dropping = (run_of(CoDel(), tcp="cubic", ecn=ecn) for ecn in ("classic", "off"))
    assert len(events(marking, AQM_DROPPED)) == 0
    assert len(events(marking, MARKED)) == marking.row["forward_marked"] > 5
    # The marked packets arrive: their changed headers have the right checksum.
    assert marking.row["retransmissions"] == 0
    assert dropping.row["forward_marked"] == 0
    assert dropping.row["forward_aqm_dropped"] > 5
    # CUBIC's factor, in whole packets.
    assert np.median(cuts(marking)) == pytest.approx(0.7, abs=0.05)


def test_dctcp__backs_off_by_the_share_of_marked_packets() -> None:
    run = run_of(CoDel(), tcp="dctcp", ecn="classic")
    assert run.row["forward_marked"] > 20
    assert run.row["retransmissions"] == 0
    # The share is 1 at first and falls by a sixteenth in each of four round trips without a mark.
    # A mark in a window of some fifty packets makes it small.
    found = cuts(run)
    assert found[0] == pytest.approx(1 - (15 / 16) ** 4 / 2, abs=0.01)
    assert np.median(found[len(found) // 2 :]) > 0.85


def test_ecn__is_each_groups_own() -> None:
    groups = Flow("cubic", ecn="classic"), Flow("dctcp", ecn="off"), Flow("dctcp", ecn="classic")
    run = run_of(CoDel(), *groups)
    marks, drops = ([len(events(run, event, flow)) for flow in range(3)] for event in (MARKED, AQM_DROPPED))
    assert marks[1] == 0
    assert min(marks[0], marks[2]) > 0
    assert drops[0] == drops[2] == 0
    assert drops[1] > 0


def most_under_way(run: ExperimentResult, flow: int) -> int:
    """Count the segments that a flow has sent and not seen acknowledged, packet by packet."""
    most = sent = acknowledged = 0
    for packet in run.packets[run.packets["flow"] == flow]:
        if packet["event"] == SENT and packet["direction"] == 0:
            sent = max(sent, int(packet["sequence"]))
        if packet["event"] == RECEIVED and packet["direction"] == 1:
            acknowledged = max(acknowledged, int(packet["sequence"]))
        most = max(most, sent - acknowledged)
    return most


def test_receive_buffers__are_each_groups_own() -> None:
    groups = Flow("newreno", receive_buffer_bytes=65_536), Flow("newreno", receive_buffer_bytes=1 << 22)
    run = run_of(DropTail(), *groups, delayed_acks=False)
    # 65,536 bytes of memory are 65,536 * 160 / 256 bytes of window: 28 segments; the other has 500 and more.
    assert most_under_way(run, 0) == 28
    assert most_under_way(run, 1) > 400
    # All flows of one buffer: as the traffic's.
    alike = Flow("cubic", 2, receive_buffer_bytes=100_000)
    one, other = (
        run_of(DropTail(), alike),
        run_of(DropTail(), tcp="cubic", flows=2, receive_buffer_bytes=100_000),
    )
    assert np.array_equal(one.packets, other.packets)


@pytest.mark.parametrize("qdisc", ["pfifo", "codel", "fq_codel", "fq", "pie", "fq_pie", "cake", "sfq"])
@pytest.mark.parametrize("ecn", ["off", "classic"])
def test_kernels_discipline__fills_the_link_and_repeats(qdisc: str, ecn: str) -> None:
    limit = None if qdisc in ("cake", "sfq") else 500
    groups = Flow("cubic", ecn=ecn), Flow("newreno", rtt=0.05, ecn=ecn)
    first, again = (run_of(KernelQdisc(qdisc), *groups, limit=limit) for _ in range(2))
    assert np.array_equal(first.packets, again.packets)
    assert 0.75 < first.row["goodput_bps"] / (RATE_BPS * 1448 / 1500) <= 1
    marks, drops = first.row["forward_marked"], first.row["forward_aqm_dropped"]
    manages = qdisc in ("codel", "fq_codel", "pie", "fq_pie", "cake")
    assert (marks > 0) == (manages and ecn == "classic")
    if manages and ecn == "off":
        assert drops > 0
    # The standing queue: a few times the target of 5 or 15 ms, or what the limit holds.
    assert (np.median(waiting_s(first)) < 0.05) == manages or qdisc in ("fq", "sfq")
    # The link sends one packet after the other.
    sent = np.sort(events(first, RECEIVED)["time_ns"][events(first, RECEIVED)["size_bytes"] == 1500])
    assert np.diff(sent).min() >= FULL_NS - 2


def test_pfifo__drops_what_finds_as_many_packets_waiting_as_its_limit() -> None:
    run = run_of(KernelQdisc("pfifo"), tcp="cubic", limit=60)
    sent, received, dropped = (events(run, event) for event in (SENT, RECEIVED, QUEUE_DROPPED))
    assert len(dropped) > 0
    carried = sent[np.isin(sent["uid"], received["uid"])]
    begins = received["time_ns"] - (received["size_bytes"] * 800 + int(RTT_S / 2 * S))
    for at_ns in dropped["time_ns"]:
        came, begun = np.count_nonzero(carried["time_ns"] <= at_ns), np.count_nonzero(begins < at_ns - 2)
        # The one that begins at the same time may be counted.
        assert came - begun in (60, 61)
    ours = run_of(DropTail(), tcp="cubic", limit=61)
    assert len(dropped) == pytest.approx(len(events(ours, QUEUE_DROPPED)), rel=0.05)
    assert run.row["goodput_bps"] == pytest.approx(ours.row["goodput_bps"], rel=0.001)


def test_kernels_queue__uses_every_row_of_a_trace_while_packets_wait(tmp_path: Any) -> None:
    rows = np.arange(1, 4000) * 3_000_000
    write_trace(
        tmp_path / "link.npy", sent_once(rows, np.zeros(len(rows), int), np.array([], int), lldu_bytes=1500)
    )
    link = tmt.TraceLink(str(tmp_path / "link.npy"))
    run = run_of(KernelQdisc("pfifo"), tcp="newreno", link=link, limit=100)
    busy = (rows > 2 * S) & (rows < 10 * S - RTT_S * S)
    received = events(run, RECEIVED)
    begun = received["time_ns"] - int(RTT_S / 2 * S)
    # Received a nanosecond late at most, as the kernel's timer is.
    assert np.isin(rows[busy], begun).sum() + np.isin(rows[busy] + 1, begun).sum() == busy.sum()


def test_discipline_that_the_kernel_lacks__is_refused() -> None:
    if Kernel.find().has_qdisc("dualpi2"):
        pytest.skip("this kernel has DualPI2")
    with pytest.raises(UsageError, match=r"^queue.qdisc is dualpi2, which .* does not have$"):
        run_of(KernelQdisc("dualpi2"), tcp="cubic")
