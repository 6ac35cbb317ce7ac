"""Groups of flows on one link in the real simulator, against own counts of packets, and arithmetic."""

import json
from typing import Any

import numpy as np
import pytest

import tmt
from tmt import Flow, Path, PlainLink, Traffic
from tmt.core.measure.transport import QUEUE_DROPPED, RECEIVED, SENT
from tmt.run.experiment import ExperimentResult
from tmt.spec.columns import GROUP_RESULTS

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

S = 1_000_000_000
PAYLOAD = 1448


def run_of(*flow: Flow, path: Path | None = None, **traffic: Any) -> ExperimentResult:
    """Run groups over 4 Mbit/s each way for 20 s."""
    of = {"duration": 20, "flow": flow} | traffic
    return tmt.replay_trace(PlainLink(4e6), path or Path(rtt=0.05), Traffic(**of))


def groups_of(run: ExperimentResult) -> list[dict[str, Any]]:
    assert isinstance(run.row["groups"], str)
    found: list[dict[str, Any]] = json.loads(run.row["groups"])
    for one in found:
        assert list(one) == [column.name for column in GROUP_RESULTS]
    return found


def acks_per_packet(run: ExperimentResult, flow: int) -> float:
    """Count the ACKs that reach a flow's sender for each packet that reaches its receiver."""
    own = run.packets[(run.packets["event"] == RECEIVED) & (run.packets["flow"] == flow)]
    return np.count_nonzero(own["direction"] == 1) / np.count_nonzero(own["direction"] == 0)


def in_order_bytes(run: ExperimentResult, flow: int, begin_ns: int = 0, end_ns: int = 1 << 62) -> int:
    """Count the payload that a flow's application got in [begin_ns, end_ns), packet by packet."""
    waiting, expected, total = set(), 0, 0
    for packet in run.packets[run.packets["flow"] == flow]:
        is_return = packet["direction"] == 1
        if packet["event"] != RECEIVED or is_return or packet["sequence"] < expected:
            continue
        waiting.add(int(packet["sequence"]))
        while expected in waiting:
            if expected > 0 and begin_ns <= packet["time_ns"] < end_ns:  # segment 0 is the SYN
                total += PAYLOAD
            expected += 1
    return total


@pytest.mark.parametrize("stack", ["modern", "2009", "2009-as-shipped"])
def test_one_group__gives_the_records_of_the_keys_without_groups(stack: str) -> None:
    spread = {"stack": stack, "start_spread": 2, "delayed_acks": True, "duration": 20}
    plain = {"tcp": "cubic", "flows": 2, "return_flows": 1, "start": 1}
    old = tmt.replay_trace(PlainLink(4e6), 0.05, Traffic(**plain, **spread))
    new = run_of(Flow("cubic", start=1, direction="return"), Flow("cubic", 2, start=1), **spread)
    assert np.array_equal(old.packets, new.packets)
    assert np.array_equal(old.windows, new.windows)
    differing = {name for name, value in old.row.items() if value != new.row[name]}
    assert differing == {"tcp", "groups", "command", "wall_time_s"}
    assert old.row["groups"] is None


def check_pause(stack: str) -> None:
    """Segments 1 to 5 of nine, 3 s, segments 6 to 9; the other group sends all nine at once."""
    flows = (
        Flow("cubic", transfer_bytes=9 * PAYLOAD, pause=3),
        Flow("bbr", start=1, transfer_bytes=9 * PAYLOAD),
    )
    run = run_of(*flows, stack=stack)
    own = run.packets[run.packets["flow"] == 0]
    data = own[(own["event"] == SENT) & (own["direction"] == 0)]
    acks = own[(own["event"] == RECEIVED) & (own["direction"] == 1)]
    half_ns = acks["time_ns"][acks["sequence"] >= 5][0]
    assert data["time_ns"][data["sequence"] == 5][0] < half_ns
    assert data["time_ns"][data["sequence"] >= 6] == pytest.approx([half_ns + 3 * S] * 4, abs=2000)
    other = run.packets[(run.packets["flow"] == 1) & (run.packets["direction"] == 0)]
    assert other["time_ns"].max() < 2 * S
    assert [one["pause_s"] for one in groups_of(run)] == [3, None]
    assert run.row["flows_completed"] == 2


def test_group_s_pause__is_that_of_its_own_transfers() -> None:
    check_pause("modern")


def test_groups_share_the_link__as_an_own_count_of_the_packets_says() -> None:
    run = run_of(Flow("cubic", 2), Flow("bbr", start=5, end=15))
    cubic, bbr = groups_of(run)
    assert run.row["tcp"] == "2 cubic + bbr start=5 end=15"
    assert [cubic["group"], bbr["group"]] == ["2 cubic", "bbr start=5 end=15"]
    begin_ns, end_ns = 5 * S, 15 * S
    parts = [in_order_bytes(run, flow, begin_ns, end_ns) for flow in range(3)]
    assert cubic["share"] == pytest.approx(sum(parts[:2]) / sum(parts))
    assert bbr["share"] == pytest.approx(parts[2] / sum(parts))
    assert run.row["competition_s"] == 10
    jain = sum(parts) ** 2 / (3 * sum(part**2 for part in parts))
    assert run.row["competition_fairness"] == pytest.approx(jain)
    # The cubic flows are active for 20 s, the other one for 10 s.
    whole = [in_order_bytes(run, flow) for flow in range(2)]
    assert cubic["goodput_bps"] == pytest.approx(8 * sum(whole) / 20)
    assert bbr["goodput_bps"] == pytest.approx(8 * in_order_bytes(run, 2, 0, end_ns + 1) / 10)
    assert cubic["fairness"] == pytest.approx(sum(whole) ** 2 / (2 * (whole[0] ** 2 + whole[1] ** 2)))
    assert run.row["goodput_bps"] == pytest.approx(cubic["goodput_bps"] + bbr["goodput_bps"])
    # Together the groups fill the link of 4 Mbit/s.
    assert 0.85 * 4e6 * PAYLOAD / 1500 < 8 * sum(parts) / 10 <= 4e6 * PAYLOAD / 1500


def test_losses_and_retransmissions__are_those_of_the_groups_packets() -> None:
    run = run_of(Flow("cubic", 2), Flow("newreno"))
    for flows, group in zip(([0, 1], [2]), groups_of(run), strict=True):
        own = run.packets[np.isin(run.packets["flow"], flows) & (run.packets["direction"] == 0)]
        sent = own[own["event"] == SENT]
        assert group["segments_sent"] == len(sent)
        assert group["retransmissions"] == np.count_nonzero(sent["transmission"] > 1)
        assert group["queue_dropped"] == np.count_nonzero(own["event"] == QUEUE_DROPPED) > 0
    for name in ("segments_sent", "retransmissions", "timeouts"):
        assert run.row[name] == sum(group[name] for group in groups_of(run))


def test_a_flow_sends_nothing_new_behind_its_end() -> None:
    run = run_of(Flow("cubic"), Flow("bbr", start=2, end=6))
    own = run.packets[
        (run.packets["flow"] == 1) & (run.packets["direction"] == 0) & (run.packets["event"] == SENT)
    ]
    assert own["time_ns"].min() == 2 * S
    first = own[own["transmission"] == 1]
    assert 5.9 * S < first["time_ns"].max() < 6 * S


@pytest.mark.parametrize("direction", ["forward", "return"])
def test_an_rtt_of_its_own__is_an_access_links(direction: str) -> None:
    other = [] if direction == "forward" else [Flow("cubic", transfer_bytes=1)]
    run = run_of(*other, Flow("newreno", rtt=0.45, transfer_bytes=PAYLOAD, direction=direction))
    group = groups_of(run)[-1]
    assert group["rtt_s"] == 0.45
    # One way: half of 0.45 s, a packet of 1500 bytes over 4 Mbit/s in 3 ms, over the access link 12 ns.
    assert group["delay_p99_s"] == pytest.approx(0.225 + 0.003, abs=1e-6)
    # The SYN of 40 bytes and its acknowledgement, then the data.
    assert group["completion_s"] == pytest.approx(0.45 + 0.228 + (40 + 40) * 8 / 4e6, abs=2e-4)


def test_transfers__end_the_run_unless_a_flow_has_no_end() -> None:
    sizes = Flow("cubic", transfer_bytes=100_000), Flow("bbr", 2, transfer_bytes=300_000, start=1)
    run = run_of(*sizes)
    assert isinstance(run.row["simulated_s"], float)
    assert run.row["simulated_s"] < 10
    assert [group["flows_completed"] for group in groups_of(run)] == [1, 2]
    assert run.row["flows_completed"] == 3
    assert run.row["transfer_bytes"] is None
    assert run.row["completion_s"] == max(group["completion_s"] for group in groups_of(run))
    for group, (count, size) in zip(groups_of(run), ((1, 100_000), (2, 300_000)), strict=True):
        assert group["goodput_bytes"] == count * -(-size // PAYLOAD) * PAYLOAD
    endless = run_of(*sizes, Flow("newreno"))
    assert endless.row["simulated_s"] == 20
    assert [group["flows_completed"] for group in groups_of(endless)] == [1, 2, None]
    assert endless.row["flows_completed"] == 3


def test_return_groups__compete_among_themselves() -> None:
    two = Flow("cubic", direction="return"), Flow("newreno", direction="return")
    run = run_of(*two, Flow("bbr"))
    bbr, *back = groups_of(run)
    assert [one["tcp"] for one in back] == ["cubic", "newreno"]
    assert bbr["share"] is None
    assert run.row["competition_s"] is None
    assert back[0]["share"] + back[1]["share"] == pytest.approx(1)
    assert run.row["return_goodput_bps"] == pytest.approx(back[0]["goodput_bps"] + back[1]["goodput_bps"])
    assert (run.row["flows"], run.row["return_flows"]) == (1, 2)


def test_delayed_acknowledgements__are_each_groups_own() -> None:
    run = run_of(Flow("newreno", delayed_acks=True), Flow("newreno", delayed_acks=False))
    acks_of_data = [acks_per_packet(run, flow) for flow in (0, 1)]
    assert acks_of_data[0] < 0.7
    assert acks_of_data[1] == pytest.approx(1, abs=0.02)
    assert [group["delayed_acks"] for group in groups_of(run)] == [True, False]
