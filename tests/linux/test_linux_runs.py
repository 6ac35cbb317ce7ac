"""Runs of Linux's own TCP in simulated time: deliveries, repeatability and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments import Asked, asked
from in_process import tmt

from tests.experiment import test_pauses as pauses
from tests.experiment.test_return_flows import check, result
from tests.linux.schedules import check_fates
from tests.ns2.conftest import Datagrams
from tmt import PlainLink, Scenario, TraceLink
from tmt.core.errors import SimulatorError, UsageError
from tmt.core.schema import PACKET_EVENTS
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run import linux
from tmt.run.linux import Kernel
from tmt.spec.stacks import LINUX, STACKS

RATE_BPS = 2e6
SEGMENT_SHARE = 1448 / 1500
"""TCP payload in a full packet."""


def experiment(**settings: Any) -> Asked:
    """A GEO link of 2 Mbit/s for 20 s."""
    return asked(
        **{
            "tcp": "cubic",
            "stack": LINUX,
            "forward": PlainLink(RATE_BPS),
            "rtt_ns": 500 * NS_PER_MS,
            "duration_ns": 20 * NS_PER_S,
        }
        | settings
    )


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("tcp", STACKS[LINUX])
def test_control__fills_a_link_that_loses_nothing(tcp: str) -> None:
    row = experiment(tcp=tcp, duration_ns=60 * NS_PER_S, rtt_ns=100 * NS_PER_MS).run().row
    assert isinstance(row["goodput_bps"], float)
    # CDG backs off at random when the delay grows: it keeps 83 to 88 %.
    assert 0.8 < row["goodput_bps"] / (RATE_BPS * SEGMENT_SHARE) <= 1


@pytest.mark.usefixtures("kernel")
def test_run__repeats_to_the_nanosecond(tmp_path: Path) -> None:
    first, again = (experiment(seed=3).run(tmp_path / name) for name in ("first", "again"))
    assert np.array_equal(first.packets, again.packets)
    assert np.array_equal(first.windows, again.windows)


@pytest.mark.usefixtures("kernel")
def test_seed__moves_the_start_of_a_flow() -> None:
    starts = {
        int(experiment(seed=seed, start_spread_ns=NS_PER_S).run().packets["time_ns"][0]) for seed in (1, 2, 3)
    }
    assert len(starts) == 3
    assert max(starts) < NS_PER_S


@pytest.mark.usefixtures("kernel")
def test_transfers__end_when_all_is_delivered() -> None:
    result = experiment(transfer_bytes=100_000, flows=3, duration_ns=100 * NS_PER_S).run()
    row = result.row
    assert row["flows_completed"] == 3
    assert row["goodput_bytes"] == 3 * 70 * 1448  # whole segments
    assert isinstance(row["completion_s"], float)
    # 70 segments a flow: the handshake, and three round trips of slow start from ten segments.
    assert 1.5 < row["completion_s"] < 4


@pytest.mark.usefixtures("kernel")
def test_transfer__is_of_whole_segments_and_ends_with_its_last_acknowledgement() -> None:
    result = experiment(transfer_bytes=100_000).run()
    # ceil(100000 / 1448) segments and the SYN.
    assert int(result.packets["sequence"][result.packets["direction"] == 0].max()) == 70
    assert int(result.packets["size_bytes"][-1]) == 52
    assert result.end_ns - int(result.packets["time_ns"][-1]) < NS_PER_MS


@pytest.mark.usefixtures("kernel")
def test_return_flow__fills_its_link_and_is_counted_apart() -> None:
    check(result(LINUX))


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("pause_s", [0, 1.5])
def test_second_half__begins_after_the_pause(pause_s: float) -> None:
    pauses.check(pauses.paused(LINUX, pause_s), pause_s)


@pytest.mark.usefixtures("kernel")
def test_pacing_rate__is_that_of_the_bandwidth() -> None:
    # BBR's phases of 1 pace at 99 % of the rate that the link delivers: 2 Mbit/s of 1500-byte packets.
    windows = experiment(tcp="bbr", duration_ns=30 * NS_PER_S).run().windows
    late = windows["pacing_bps"][windows["time_ns"] > 10 * NS_PER_S]
    assert np.median(late) == pytest.approx(0.99 * RATE_BPS * SEGMENT_SHARE, rel=0.03)
    assert not experiment(tcp="cubic").run().windows["pacing_bps"].any()


@pytest.mark.ns2
@pytest.mark.usefixtures("kernel", "simulator")
def test_acknowledgements__are_as_many_as_the_kernel_s() -> None:
    """While window and buffer grow, each segment is acknowledged; later, every second one."""
    shares = {}
    for stack, delayed in ((LINUX, False), (LINUX, None), ("modern", None)):
        settings = {"tcp": "newreno", "stack": stack, "delayed_acks": delayed}
        result = experiment(**settings, duration_ns=40 * NS_PER_S).run()
        packets, late = result.packets, result.packets["time_ns"] > 25 * NS_PER_S
        data = (packets["event"] == PACKET_EVENTS.index("received")) & (packets["direction"] == 0)
        acks = (packets["event"] == PACKET_EVENTS.index("sent")) & (packets["direction"] == 1)
        shares[stack, delayed] = [
            np.count_nonzero(acks & part) / np.count_nonzero(data & part) for part in (late, ~late)
        ]
    assert min(shares[LINUX, False]) > 0.95
    assert shares[LINUX, None][0] == pytest.approx(0.5, abs=0.05)
    assert shares["modern", None] == pytest.approx(shares[LINUX, None], abs=0.05)


@pytest.mark.usefixtures("kernel")
def test_window__bounds_the_sender() -> None:
    # 20 packets a round trip of 0.5 s: 20 * 1448 * 8 / 0.506 bit/s.
    row = experiment(window_packets=20).run().row
    assert row["goodput_bps"] == pytest.approx(20 * 1448 * 8 / 0.506, rel=0.1)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("in_order", [False, True])
def test_schedule__has_ns2_s_fates(lossy_trace: Path, in_order: bool, send_datagrams: Datagrams) -> None:
    run = experiment(forward=TraceLink(lossy_trace), in_order=in_order, queue_packets=30).run()
    check_fates(run, lossy_trace, in_order, send_datagrams)


SOUND = dict.fromkeys(
    (*linux.MACHINE_SIGNS, "most_late_ns", "flow_0_sndbuf_limited_us", "qdisc_drops", "recorded_qdisc_drops"),
    0,
)
"""Counters of a sound run."""


def doubt(folder: Path, **changes: int) -> str | None:
    """Return why a run with these counters, else sound ones, is doubted."""
    counters = SOUND | changes
    (folder / "counters.tsv").write_text("".join(f"{key}\t{value}\n" for key, value in counters.items()))
    return linux.reason_to_doubt(folder, 1)


@pytest.mark.parametrize("name", list(linux.MACHINE_SIGNS))
def test_sign_of_the_machine__is_told(name: str, tmp_path: Path) -> None:
    assert doubt(tmp_path, **{name: 7}) == f"{linux.MACHINE_SIGNS[name]} (7 times)"


def test_clock_that_jumps__is_told(tmp_path: Path) -> None:
    for late_ns, reason in (
        (1, None),
        (1001, "the clock jumped: a packet arrived 1001 ns after its due time"),
    ):
        assert doubt(tmp_path, most_late_ns=late_ns) == reason


def test_drops_that_are_not_recorded__are_told(tmp_path: Path) -> None:
    reason = doubt(tmp_path, qdisc_drops=7, recorded_qdisc_drops=5)
    assert reason == "the kernel's queue says that it dropped 7 packets, and 5 are recorded"


def test_send_buffer_that_limits__is_told(tmp_path: Path) -> None:
    reason = doubt(tmp_path, flow_0_sndbuf_limited_us=1_500_000)
    assert reason == "the send buffer limited flow 0 for 1.5 s"


@pytest.mark.usefixtures("kernel")
def test_receive_buffer__bounds_the_window() -> None:
    # 65,536 bytes of memory are 65,536 * 160 / 256 bytes of window: 28 segments a round trip of 0.5 s.
    row = experiment(receive_buffer_bytes=65_536).run().row
    assert row["goodput_bps"] == pytest.approx(28 * 1448 * 8 / 0.5, rel=0.1)


@pytest.mark.usefixtures("kernel")
def test_memory__holds_send_buffers_full_of_small_segments() -> None:
    # The receivers' buffers bound segments to 6,335 bytes, a tenth of a packet.
    settings = {"packet_bytes": 65_535, "receive_buffer_bytes": 25_340, "window_packets": 300}
    row = experiment(**settings, flows=8, duration_ns=2 * NS_PER_S, rtt_ns=10 * NS_PER_MS).run().row
    assert row["goodput_bps"] > 0


def test_missing_kernel__tells_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tmt.run.linux._HOME", tmp_path)
    monkeypatch.delenv("CLIFT_LINUX", raising=False)
    with pytest.raises(SimulatorError, match="make linux-kernel"):
        Kernel.find()


def test_control_of_a_users_kernel__is_a_value_that_needs_no_kernel() -> None:
    assert asked(tcp="my_cc", stack=LINUX, forward=PlainLink(1e6), rtt=0.1).experiment.traffic.tcp == "my_cc"


@pytest.mark.usefixtures("kernel")
def test_control_by_its_own_name__is_that_of_the_kernel() -> None:
    # The kernel's name of New Reno is no name of TMT's.
    own, known = (experiment(tcp=tcp, duration_ns=2 * NS_PER_S).run() for tcp in ("reno", "newreno"))
    assert np.array_equal(own.packets, known.packets)


@pytest.mark.usefixtures("kernel")
def test_new__writes_controls_that_only_the_kernel_names(tmp_path: Path) -> None:
    for names, status in (("cubic,reno", 0), ("cubic,my_cc", 2)):
        made = tmt("new", f"{status}.toml", "--tcp", names, "--stack", LINUX, folder=tmp_path)
        assert (made.status, "tcp is my_cc, which" in made.err) == (status, status == 2)
    assert [one.tcp for one in Scenario.read(tmp_path / "0.toml").traffic] == ["cubic", "reno"]


@pytest.mark.usefixtures("kernel")
def test_control_that_the_kernel_lacks__is_refused_with_the_list_of_those_that_it_has() -> None:
    with pytest.raises(UsageError, match=r"^tcp is my_cc, which .* does not have; allowed: bbr, .*, yeah$"):
        experiment(tcp="my_cc").run()
