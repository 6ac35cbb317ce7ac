"""Runs of QUIC in simulated time: deliveries, repeatability, fates of datagrams, and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments import Asked, asked
from in_process import tmt

from tests.linux.schedules import check_fates
from tests.ns2.conftest import Datagrams
from tmt import Flow, PlainLink, TraceLink
from tmt.core.errors import SimulatorError
from tmt.core.measure.transport import DECODED, RECEIVED, SENT
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.run import load_backend
from tmt.spec.queue import CoDel
from tmt.spec.stacks import QUIC, STACKS

RATE_BPS = 2e6


def experiment(**settings: Any) -> Asked:
    """A GEO link of 2 Mbit/s for 20 s."""
    own = {"tcp": "cubic", "stack": QUIC, "forward": PlainLink(RATE_BPS), "rtt_ns": 500 * NS_PER_MS}
    return asked(**own | {"duration_ns": 20 * NS_PER_S} | settings)


@pytest.mark.usefixtures("quic")
@pytest.mark.parametrize("tcp", STACKS[QUIC])
def test_control__fills_a_link_that_loses_nothing(tcp: str) -> None:
    row = experiment(tcp=tcp, duration_ns=60 * NS_PER_S, rtt_ns=100 * NS_PER_MS).run().row
    assert isinstance(row["goodput_bps"], float)
    # A datagram has about 60 bytes of headers. quinn calls its BBR experimental: it leaves a quarter unused.
    assert 0.7 < row["goodput_bps"] / RATE_BPS < 0.97


@pytest.mark.usefixtures("quic")
@pytest.mark.parametrize("tcp", STACKS[QUIC])
def test_run__repeats_to_the_nanosecond(tcp: str, tmp_path: Path) -> None:
    settings = {"tcp": tcp, "forward": PlainLink(20e6), "queue_packets": 20, "seed": 3}
    first, again = (experiment(**settings).run(tmp_path / name) for name in ("first", "again"))
    assert np.array_equal(first.packets, again.packets)
    assert np.array_equal(first.windows, again.windows)


@pytest.mark.usefixtures("quic")
@pytest.mark.parametrize("in_order", [False, True])
def test_schedule__has_ns2_s_fates(lossy_trace: Path, in_order: bool, send_datagrams: Datagrams) -> None:
    run = experiment(forward=TraceLink(lossy_trace), in_order=in_order, queue_packets=30).run()
    check_fates(run, lossy_trace, in_order, send_datagrams)


@pytest.mark.usefixtures("quic")
def test_transfer__is_handed_over_whole_and_completes_with_its_last_byte() -> None:
    result = experiment(transfer_bytes=100_000).run()
    handed = result.packets[result.packets["event"] == DECODED]
    data = result.packets[(result.packets["direction"] == 0) & (result.packets["event"] != DECODED)]
    sent, received = data[data["event"] == SENT], data[data["event"] == RECEIVED]
    assert int(handed["size_bytes"].sum()) == result.row["goodput_bytes"] == 100_000
    assert list(handed["sequence"]) == [0, *np.cumsum(handed["size_bytes"])[:-1]]
    assert result.row["completion_s"] == (handed["time_ns"][-1] - sent["time_ns"][0]) / NS_PER_S
    # A client's first flight fills one datagram of the link's size or less; data follow a round trip later.
    full_ns = 1500 * 8 / RATE_BPS * NS_PER_S
    assert int(sent["time_ns"][0]) == 0
    assert handed["time_ns"][0] >= 3 * 250 * NS_PER_MS + full_ns
    assert int(received["delay_ns"].min()) <= 250 * NS_PER_MS + full_ns
    assert int(data["size_bytes"].max()) == 1500


@pytest.mark.usefixtures("quic")
def test_losses__are_told_by_the_sender_and_mended(lossy_trace: Path) -> None:
    result = experiment(forward=TraceLink(lossy_trace), in_order=True, transfer_bytes=1_000_000).run()
    row = result.row
    assert row["flows_completed"] == 1
    assert row["max_transmissions"] is None
    assert isinstance(row["retransmissions"], int)
    lost = row["forward_link_lost"] + row["forward_queue_dropped"]  # type: ignore[operator]
    assert lost > 0
    # Whatever is lost is declared lost, but for probes behind the end; over this link nothing else is late.
    assert lost - 2 <= row["retransmissions"] <= lost + 2


@pytest.mark.usefixtures("quic")
def test_gaps__of_more_than_1024_do_not_end_a_run() -> None:
    # Slow start over 250 Mbit/s and 0.6 s overshoots a queue of a quarter of the path: thousands of holes.
    run = experiment(
        forward=PlainLink(250e6), rtt_ns=600 * NS_PER_MS, queue_packets=3125, transfer_bytes=100_000_000
    ).run()
    assert run.row["flows_completed"] == 1
    assert run.row["forward_queue_dropped"] > 1024  # type: ignore[operator]


@pytest.mark.usefixtures("quic")
def test_second_half__begins_after_the_pause() -> None:
    settings = {"forward": PlainLink(10e6), "transfer_bytes": 701 * 1448, "duration_ns": 60 * NS_PER_S}
    packets = experiment(**settings, pause=1.5).run().packets
    handed = packets[packets["event"] == DECODED]
    gap = int(np.diff(handed["time_ns"]).max())
    # The pause, the acknowledgement's way back and the data's way there.
    assert gap == pytest.approx(2 * NS_PER_S, abs=30 * NS_PER_MS)
    assert int(handed["size_bytes"].sum()) == 701 * 1448


@pytest.mark.usefixtures("quic")
def test_groups__compete_and_a_return_flow_shares_the_links() -> None:
    groups = (Flow("cubic", count=2), Flow("bbr", start=2), Flow("cubic", direction="return"))
    row = (
        asked(stack=QUIC, flow=groups, forward=PlainLink(10e6), back=PlainLink(5e6), rtt=0.1, duration=20)
        .run()
        .row
    )
    assert 0.6 < row["goodput_bps"] / 10e6 < 1  # type: ignore[operator]
    assert 0.5 < row["return_goodput_bps"] / 5e6 < 1  # type: ignore[operator]


@pytest.mark.usefixtures("quic")
def test_discipline__drops_before_the_queue_is_full() -> None:
    row = experiment(forward=PlainLink(10e6), rtt=0.1, queue=CoDel(), queue_packets=1000).run().row
    assert row["forward_aqm_dropped"] > 0  # type: ignore[operator]
    assert row["forward_queue_dropped"] == 0


@pytest.mark.usefixtures("quic")
@pytest.mark.parametrize("tcp", ["newreno", "cubic"])
def test_marks__take_the_place_of_drops(tcp: str) -> None:
    settings = {"forward": PlainLink(10e6), "rtt": 0.1, "queue": CoDel(), "queue_packets": 1000, "tcp": tcp}
    row = experiment(**settings, ecn="classic").run().row
    assert row["forward_marked"] > 0  # type: ignore[operator]
    assert row["retransmissions"] == row["forward_aqm_dropped"] == 0
    # Each mark that is answered halves the window, or takes three tenths of it: the link stays in use.
    assert 0.6 < row["goodput_bps"] / 10e6 < 0.97  # type: ignore[operator]


def test_missing_program__tells_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tmt.run.quic._HOME", tmp_path)
    monkeypatch.delenv("CLIFT_QUIC", raising=False)
    with pytest.raises(SimulatorError, match="make quic"):
        load_backend("quic").stamp()


@pytest.mark.usefixtures("quic")
def test_figures_on_the_terminal__are_named_after_quic(tmp_path: Path) -> None:
    words = "replay --rate 1e6 --rtt 0.1 --duration 2 --stack quic"
    told = tmt(*words.split(), folder=tmp_path)
    assert "\nRetransmissions " in told.out
    assert "Goodput counts QUIC payload" in told.out
    assert "TCP" not in told.out
