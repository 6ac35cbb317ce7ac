"""Split connections in the simulator: exact, bounded, both ways, with every variant, to a clean end."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ns2.scripts import run_script
from tmt.spec.stacks import FECTCP, NS2_STACKS, PRAGUE, STACKS

pytestmark = pytest.mark.ns2

SCRIPT = Path(__file__).with_name("split_connections.tcl")
MIDDLE = "1"
SPLIT = [(stack, tcp) for stack in NS2_STACKS for tcp in STACKS[stack] if tcp not in (FECTCP, PRAGUE)]
"""Stacks and variants that a proxy splits: it has no ECN, which Prague needs."""


@dataclass(frozen=True)
class Transfers:
    """A run of the script: its counters, and each flow's segments at the proxy."""

    counters: dict[str, float]
    arrived: dict[int, list[tuple[float, int]]]
    sent_on: dict[int, list[tuple[float, int]]]

    def of_flows(self, name: str) -> list[float]:
        return [value for key, value in self.counters.items() if key.split("_", 2)[2:] == [name]]


def transfer(simulator: Path, folder: Path, settings: str) -> Transfers:
    """Run the script with names and values of settings; it ends when nothing is left to happen."""
    done = run_script(simulator, SCRIPT, folder, *settings.split())
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("cmd ")]
    arrived, sent_on = defaultdict(list), defaultdict(list)
    for line in (folder / "out.tr").read_text().splitlines():
        event, time_s, start, end, kind, _, _, flow, _, _, sequence, _ = line.split()
        if kind == "tcp" and event == "r" and end == MIDDLE:
            arrived[int(flow)].append((float(time_s), int(sequence)))
        if kind == "tcp" and event == "+" and start == MIDDLE:
            sent_on[int(flow)].append((float(time_s), int(sequence)))
    return Transfers({name: float(value) for name, value in lines}, dict(arrived), dict(sent_on))


def check_exact(run: Transfers, flows: int, packets: int, capacity: int) -> None:
    """All segments are forwarded, after in-order arrival; the buffer never overflows and ends empty."""
    for flow in range(flows):
        here: set[int] = set()
        in_order = 0
        arrivals = iter(run.arrived[flow])
        arrival = next(arrivals, None)
        for time_s, sequence in run.sent_on[flow]:
            while arrival is not None and arrival[0] <= time_s:
                here.add(arrival[1])
                arrival = next(arrivals, None)
            while in_order in here:
                in_order += 1
            assert sequence < in_order, f"flow {flow}: {sequence} went on at {time_s} s"
        # The SYN, and the offered segments.
        assert {sequence for _, sequence in run.sent_on[flow]} == set(range(packets + 1))
    assert min(run.of_flows("done_s")) > 0
    assert set(run.of_flows("proxy_fill")) == set(run.of_flows("proxy_refused")) == {0}
    assert max(run.of_flows("proxy_most_fill")) <= capacity


@pytest.mark.parametrize(("stack", "tcp"), SPLIT)
def test_split__is_exact_in_both_directions(stack: str, tcp: str, simulator: Path, tmp_path: Path) -> None:
    # The other stack goes on from the proxy, so that both kinds of sender meet both.
    other = "2009" if stack == "modern" else "modern"
    settings = (
        f"stack {stack} tcp {tcp} proxy_stack {other} proxy_tcp cubic to_right 2 to_left 2 packets 60 "
        "proxy_buffer_packets 10 proxy_delay_s 0.001 wired_loss 0.01 wired_ack_loss 0.01 "
        "link_loss 0.02 link_ack_loss 0.01"
    )
    run = transfer(simulator, tmp_path, settings)
    check_exact(run, flows=4, packets=60, capacity=10)


@pytest.mark.parametrize(("stack", "tcp"), SPLIT)
def test_split__sends_on_with_every_variant(stack: str, tcp: str, simulator: Path, tmp_path: Path) -> None:
    other = "2009" if stack == "modern" else "modern"
    settings = (
        f"stack {other} tcp cubic proxy_stack {stack} proxy_tcp {tcp} packets 100 "
        "proxy_buffer_packets 30 link_loss 0.03"
    )
    run = transfer(simulator, tmp_path, settings)
    check_exact(run, flows=1, packets=100, capacity=30)
    assert run.counters["flow_0_retransmissions"] == 0


@pytest.mark.parametrize("stack", ["2009", "modern"])
@pytest.mark.parametrize("delayed", [0, 1])
def test_full_buffer__holds_the_sender(stack: str, delayed: int, simulator: Path, tmp_path: Path) -> None:
    # 300 packets through a buffer of 6: six at a time on a link of 100 ms, whatever the wired hop could do.
    run = transfer(
        simulator,
        tmp_path,
        f"stack {stack} proxy_stack {stack} packets 300 proxy_buffer_packets 6 delayed_acks {delayed}",
    )
    check_exact(run, flows=1, packets=300, capacity=6)
    assert run.counters["flow_0_proxy_most_fill"] == 6
    assert run.counters["flow_0_retransmissions"] == run.counters["flow_0_proxy_retransmissions"] == 0
    assert 300 / 6 * 0.1 < run.counters["flow_0_done_s"] < 300 / 6 * 0.2 + 1
    assert run.counters["flow_0_held_ns"] > 0.5e9 * run.counters["flow_0_done_s"]


@pytest.mark.parametrize("stack", ["2009", "modern"])
def test_lost_updates__are_asked_for(stack: str, simulator: Path, tmp_path: Path) -> None:
    run = transfer(
        simulator,
        tmp_path,
        f"stack {stack} proxy_stack {stack} packets 200 proxy_buffer_packets 2 wired_ack_loss 0.4",
    )
    check_exact(run, flows=1, packets=200, capacity=2)
    assert run.counters["flow_0_window_probes"] > 3


def test_selective_acknowledgements__repair_the_first_connection(simulator: Path, tmp_path: Path) -> None:
    run = transfer(
        simulator,
        tmp_path,
        "stack modern proxy_stack modern packets 1000 proxy_buffer_packets 500 wired_loss 0.03",
    )
    check_exact(run, flows=1, packets=1000, capacity=500)
    lost = run.counters["flow_0_retransmissions"]
    assert 15 < lost < 60
    assert run.counters["flow_0_timeouts"] == run.counters["flow_0_proxy_duplicates"] == 0
    assert run.counters["flow_0_proxy_retransmissions"] == 0


def test_end__leaves_no_timer_behind(simulator: Path, tmp_path: Path) -> None:
    # After the last acknowledgement only its way back and one expiry of each set timer remain.
    for stack, most_s in (("modern", 2), ("2009", 4)):
        run = transfer(simulator, tmp_path, f"stack {stack} proxy_stack {stack} to_left 1")
        assert run.counters["end_s"] < max(run.of_flows("done_s")) + most_s
