"""FECTCP in a replay: over plain links and link traces, from the records to the row."""

import numpy as np
import pytest
from experiments import asker

from tests.experiment.conftest import LinkFactory
from tmt import PlainLink, TraceLink
from tmt.core.measure import transport
from tmt.core.measure.transport import DECODED, FORWARD, RECEIVED, SENT
from tmt.core.units import NS_PER_MS
from tmt.run.experiment import ExperimentResult
from tmt.spec.stacks import HEADER_BYTES

pytestmark = [pytest.mark.ns2, pytest.mark.usefixtures("simulator")]

S = 1_000_000_000
PAYLOAD = 1500 - HEADER_BYTES


replay = asker(
    tcp="fectcp",
    forward=PlainLink(2e6),
    rtt_ns=S // 10,
    duration_ns=60 * S,
    queue_packets=50,
    window_packets=100,
)


def symbols_of(result: ExperimentResult) -> np.ndarray:
    """Return the records of symbols that arrived: data packets but for the handshake."""
    packets = result.packets
    return packets[
        (packets["direction"] == FORWARD) & (packets["event"] == RECEIVED) & (packets["sequence"] > 0)
    ]


def test_transfer__ends_with_the_symbol_that_decodes_it() -> None:
    result = replay(transfer_bytes=1000 * PAYLOAD, code="5%").run()
    row = result.row
    assert (row["code"], row["block_segments"], row["code_overhead"]) == ("5%", 1000, 0.05)
    symbols = symbols_of(result)
    enough_ns = int(symbols["time_ns"][1050 - 1])
    assert row["completion_s"] == (enough_ns - result.flows[0].start_ns) / S
    assert row["goodput_bytes"] == 1000 * PAYLOAD
    assert row["flows_completed"] == 1
    assert row["goodput_bps"] == pytest.approx(8 * 1000 * PAYLOAD / row["completion_s"])
    assert row["retransmissions"] == 0
    assert row["max_transmissions"] == 1
    # The sender continues until the ACK of the decoded data arrives, a round trip later.
    assert 1 <= len(symbols) - 1050 < 50


def test_endless_flow__delivers_whole_blocks(link_file: LinkFactory) -> None:
    lost = np.flatnonzero(np.random.default_rng(2).random(10_000) < 0.1)
    path = link_file("link.npy", rows=10_000, spacing_ns=6 * NS_PER_MS, lost=lost)
    result = replay(forward=TraceLink(path, 1500), code="0%", block_segments=100).run()
    row = result.row
    blocks = result.packets[result.packets["event"] == DECODED]
    assert (blocks["size_bytes"] == 100 * PAYLOAD).all()
    assert blocks["sequence"].tolist() == list(range(0, 100 * len(blocks), 100))
    assert row["goodput_bytes"] == 100 * PAYLOAD * len(blocks)
    arrived = len(symbols_of(result))
    # Later symbols replace the lost symbols of a block: few are in vain, and few blocks are open.
    assert arrived - 300 < 100 * len(blocks) <= arrived
    assert 0.05 < row["forward_link_lost"] / row["segments_sent"] < 0.15
    events = np.bincount(result.packets["event"][result.packets["direction"] == FORWARD], minlength=6)
    on_the_way = events[SENT] - events[1:DECODED].sum()
    assert 0 <= on_the_way <= 150


def test_ten_percent_losses__cost_it_less_than_any_tcp(link_file: LinkFactory) -> None:
    lost = np.flatnonzero(np.random.default_rng(3).random(10_000) < 0.1)
    path = link_file("link.npy", rows=10_000, spacing_ns=6 * NS_PER_MS, lost=lost)
    over = replay(forward=TraceLink(path, 1500))
    fectcp, cubic = (over.changed(tcp=tcp).run().row["goodput_bps"] for tcp in ("fectcp", "cubic"))
    assert fectcp > 2 * cubic


def test_late_packets__do_not_break_it(link_file: LinkFactory) -> None:
    # A tenth of all packets overtaken by those of the next 150 ms.
    delay_ns = np.where(np.random.default_rng(4).random(10_000) < 0.1, 150 * NS_PER_MS, 0)
    path = link_file("link.npy", rows=10_000, spacing_ns=6 * NS_PER_MS, delay_ns=delay_ns)
    over = replay(forward=TraceLink(path, 1500), in_order=False)
    result = over.changed(code="0%", block_segments=100).run()
    # Two late ones in a row look like two lost ones: as with 10 % losses, but nothing stops.
    assert result.row["goodput_bps"] > 0.5 * 2e6 * PAYLOAD / 1500
    whole = over.changed(transfer_bytes=500 * PAYLOAD).run()
    assert whole.row["flows_completed"] == 1


def test_overheads__are_drawn_from_the_runs_seed() -> None:
    endless = replay(code="lt", block_segments=100)
    first, again, other = (endless.changed(seed=seed).run().row for seed in (1, 1, 2))
    assert first["code_overhead"] == again["code_overhead"] != other["code_overhead"]
    assert 0.1 < first["code_overhead"] < 0.5


def test_stacks__have_the_same_fectcp() -> None:
    old, modern = (replay(stack=stack, duration_ns=10 * S).run().packets for stack in ("2009", "modern"))
    assert np.array_equal(old, modern)


def test_several_flows__are_told_apart() -> None:
    result = replay(flows=3, transfer_bytes=300 * PAYLOAD, start_spread_ns=S).run()
    assert result.row["flows_completed"] == 3
    assert [flow.goodput_bytes for flow in result.flows] == [300 * PAYLOAD] * 3
    for number, flow in enumerate(result.flows):
        own = result.packets[result.packets["flow"] == number]
        decoded = own[own["event"] == DECODED]
        assert len(decoded) == 1
        assert flow.stop_ns == decoded["time_ns"][0]


def test_windows__show_what_it_does() -> None:
    windows = replay(duration_ns=30 * S).run().windows
    halved = np.flatnonzero(np.diff(windows["cwnd_packets"]) < -0.4 * windows["cwnd_packets"][:-1])
    assert len(halved) >= 2
    assert (windows["state"][halved + 1] == 3).all()
    assert windows["srtt_ns"][-1] > S // 10


def test_nothing_decoded__is_no_goodput() -> None:
    row = replay(duration_ns=S // 2).run().row
    assert row["goodput_bytes"] == 0
    assert row["code_overhead"] is None
    assert row["received_bps"] > 0


def test_delivery__of_coded_data_by_hand() -> None:
    events = [(5, SENT, 0, 52), (10, RECEIVED, 1, 152), (11, RECEIVED, 3, 152), (12, RECEIVED, 4, 152)]
    events += [(12, DECODED, 0, 200), (20, RECEIVED, 6, 152), (20, DECODED, 2, 100)]
    packets = np.zeros(len(events), transport_dtype())
    for row, (time_ns, event, sequence, size_bytes) in zip(packets, events, strict=True):
        row["time_ns"], row["event"], row["sequence"], row["size_bytes"] = (
            time_ns,
            event,
            sequence,
            size_bytes,
        )
    (flow,) = transport.deliveries(packets, flows=1, end_ns=100, header_bytes=52, handed_over=True)
    assert flow.in_order_ns.tolist() == [12, 20]
    assert flow.payload_bytes.tolist() == [200, 100]
    (flow,) = transport.deliveries(
        packets, flows=1, end_ns=100, header_bytes=52, handed_over=True, transfer_bytes=200
    )
    assert (flow.completed, flow.stop_ns, flow.goodput_bytes) == (True, 12, 200)
    (flow,) = transport.deliveries(packets[:4], flows=1, end_ns=100, header_bytes=52, handed_over=True)
    assert flow.goodput_bytes == 0


def transport_dtype() -> np.dtype:
    from tmt.core.schema import PACKET_RECORDS

    return PACKET_RECORDS.dtype
