"""Groups of flows in one kernel: each flow has its own control, times, delays and acknowledgements."""

import numpy as np
import pytest

import tmt
from tests.experiment.test_flow_groups import acks_per_packet, check_pause, groups_of, in_order_bytes, run_of
from tmt import Flow, PlainLink, Traffic
from tmt.core.measure.transport import SENT
from tmt.spec.stacks import LINUX

pytestmark = pytest.mark.usefixtures("kernel")

S = 1_000_000_000
PAYLOAD = 1448


def test_one_group__gives_the_records_of_the_keys_without_groups() -> None:
    spread = {"stack": LINUX, "start_spread": 2, "delayed_acks": False, "duration": 10}
    plain = {"tcp": "cubic", "flows": 2, "return_flows": 1, "start": 1}
    old = tmt.replay_trace(PlainLink(4e6), 0.05, Traffic(**plain, **spread))
    new = run_of(Flow("cubic", start=1, direction="return"), Flow("cubic", 2, start=1), **spread)
    assert np.array_equal(old.packets, new.packets)
    assert np.array_equal(old.windows, new.windows)


def test_groups_share_the_link__as_an_own_count_of_the_packets_says() -> None:
    run = run_of(Flow("cubic", 2), Flow("bbr", start=5, end=15), stack=LINUX)
    cubic, bbr = groups_of(run)
    parts = [in_order_bytes(run, flow, 5 * S, 15 * S) for flow in range(3)]
    assert cubic["share"] == pytest.approx(sum(parts[:2]) / sum(parts))
    assert bbr["share"] == pytest.approx(parts[2] / sum(parts))
    assert 0.85 * 4e6 * PAYLOAD / 1500 < 8 * sum(parts) / 10 <= 4e6 * PAYLOAD / 1500
    paced = {flow: run.windows["pacing_bps"][run.windows["flow"] == flow].any() for flow in range(3)}
    assert paced == {0: False, 1: False, 2: True}, "of these controls only BBR paces"
    assert run.row["timeouts"] == cubic["timeouts"] + bbr["timeouts"]


def test_a_flow_sends_nothing_new_behind_its_end() -> None:
    run = run_of(Flow("cubic"), Flow("bbr", start=2, end=6), stack=LINUX)
    own = run.packets[(run.packets["flow"] == 1) & (run.packets["event"] == SENT)]
    own = own[own["direction"] == 0]
    assert own["time_ns"].min() == pytest.approx(2 * S, abs=1e6)
    assert 5.9 * S < own["time_ns"][own["transmission"] == 1].max() < 6 * S
    # All that was sent before arrives.
    assert in_order_bytes(run, 1) == PAYLOAD * int(own["sequence"].max())


@pytest.mark.parametrize("direction", ["forward", "return"])
def test_an_rtt_of_its_own__is_an_access_links(direction: str) -> None:
    other = [] if direction == "forward" else [Flow("cubic", transfer_bytes=1)]
    run = run_of(*other, Flow("newreno", rtt=0.45, transfer_bytes=PAYLOAD, direction=direction), stack=LINUX)
    group = groups_of(run)[-1]
    # One way: half of 0.45 s, and over 4 Mbit/s the 52 bytes that end the handshake, then 1500 bytes.
    short_s, full_s = 52 * 8 / 4e6, 1500 * 8 / 4e6
    assert group["delay_p99_s"] == pytest.approx(0.225 + short_s + full_s, abs=1e-6)
    # The SYN and its acknowledgement, then the data.
    assert group["completion_s"] == pytest.approx(0.45 + 2 * short_s + 0.225 + short_s + full_s, abs=1e-5)


def test_group_s_pause__is_that_of_its_own_transfers() -> None:
    check_pause(LINUX)


def test_transfers__end_the_run_unless_a_flow_has_no_end() -> None:
    sizes = Flow("cubic", transfer_bytes=100_000), Flow("bbr", 2, transfer_bytes=300_000, start=1)
    run = run_of(*sizes, stack=LINUX)
    assert run.end_ns < 10 * S
    assert [group["flows_completed"] for group in groups_of(run)] == [1, 2]
    endless = run_of(*sizes, Flow("newreno"), stack=LINUX)
    assert endless.end_ns == pytest.approx(20 * S, abs=1e6)
    assert [group["flows_completed"] for group in groups_of(endless)] == [1, 2, None]


def test_delayed_acknowledgements__are_each_groups_own() -> None:
    run = run_of(
        Flow("newreno", delayed_acks=True),
        Flow("newreno", delayed_acks=False),
        stack=LINUX,
        delayed_acks=True,
    )
    acks_of_data = [acks_per_packet(run, flow) for flow in (0, 1)]
    # Slow start acknowledges every segment in any case.
    assert acks_of_data[0] < 0.85
    assert acks_of_data[1] > 0.95
