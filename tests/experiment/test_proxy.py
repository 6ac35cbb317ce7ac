"""Split connections and the wired hop through `Experiment`: hand arithmetic, exact records, refusals."""

import numpy as np
import pytest
from experiments import asker

from tests.experiment.conftest import LinkFactory
from tmt import PlainLink, Proxy, TraceLink, Wired
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.schema import PACKET_EVENTS
from tmt.run.setup import set_up

MS = 1_000_000
S = 1000 * MS

WIRED = Wired(rate=10e6, delay=0.045)


replay = asker(
    tcp="newreno", stack="2009", forward=PlainLink(2e6), rtt_ns=20_000, duration_ns=100 * S, wired=WIRED
)


def test_set_up__counts_the_wired_hop() -> None:
    # 2 Mbit/s in packets of 1500 bytes are 166.7 a second; in 90.02 ms, 15.003, rounded up. A proxy's buffer
    # is a window; four times path and queue where one of the stacks is modern.
    path = set_up(*replay()).path
    assert (path.queue_packets, path.window_packets, path.proxy) == (16, 32, None)
    split = set_up(*replay(proxy=Proxy())).path.proxy
    assert split == Proxy("newreno", "2009", 32)
    assert set_up(*replay(proxy=Proxy(stack="modern"))).path.window_packets == 128
    # A wired hop of 1 Mbit/s is the bottleneck: 8 packets, of which a queue has at least 10.
    slow = Wired(rate=1e6, delay=0.045)
    assert set_up(*replay(wired=slow)).path.window_packets == 18


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
class TestRuns:
    """With the real simulator."""

    def test_first_packets_take_the_time_that_arithmetic_says(self) -> None:
        # The SYN and its answer, 40 and 52 bytes at 10 Mbit/s. Then a full packet: 1.2 ms on the wire, 45 ms;
        # at the proxy 3 ms and the second SYN's round trip, 40 and 52 bytes at 2 Mbit/s and 20 us; then 6 ms
        # on the link and 10 us.
        result = replay(stack="modern", proxy=Proxy(delay=0.003), transfer_bytes=1448).run()
        received = result.packets[(result.packets["event"] == RECEIVED) & (result.packets["direction"] == 0)]
        sent = result.packets[(result.packets["event"] == SENT) & (result.packets["direction"] == 0)]
        handshake_ns = 90 * MS + 92 * 8 * 100
        assert sent["time_ns"].tolist() == [0, handshake_ns]
        assert received["sequence"].tolist() == [0, 1]
        onward_ns = handshake_ns + 1_200_000 + 45 * MS + 3 * MS
        assert received["time_ns"].tolist() == pytest.approx(
            [onward_ns + 160_000 + 10_000, onward_ns + 92 * 8 * 500 + 20_000 + 6 * MS + 10_000], abs=3
        )
        # The delay of a packet runs from the sender's transmission.
        assert received["delay_ns"].tolist() == (received["time_ns"] - sent["time_ns"]).tolist()

    def test_flow_without_end_outlives_the_loss_of_its_first_packet(self, link_file: LinkFactory) -> None:
        # A row each 6 ms: those of the first 54 ms are lost, with the first packet, which comes at 46 ms.
        link = TraceLink(str(link_file("l.npy", rows=500, spacing_ns=6 * MS, lost=range(9))), 1500)
        result = replay(proxy=Proxy(), forward=link, duration_ns=S).run()
        assert np.count_nonzero(result.packets["event"] == PACKET_EVENTS.index("link_lost")) == 1
        assert result.row["goodput_bps"] > 0

    @pytest.mark.parametrize("stack", ["2009", "modern"])
    def test_transfer_arrives_whole_through_a_small_buffer(self, stack: str) -> None:
        # 2,000,000 bytes are 1382 segments and the SYN. The link is the bottleneck, so the buffer fills: the
        # sender is held, and nothing is dropped for it.
        result = replay(
            stack=stack,
            proxy=Proxy(buffer_packets=8),
            transfer_bytes=2_000_000,
            rtt_ns=200 * MS,
            wired=Wired(rate=10e6, delay=0.005),
        ).run()
        row = result.row
        assert row["flows_completed"] == 1
        assert row["proxy_fill_max_packets"] == 8
        assert row["held_s"] > 1
        assert row["wired_dropped"] == row["wired_lost"] == row["retransmissions"] == 0
        received = result.packets[(result.packets["event"] == RECEIVED) & (result.packets["direction"] == 0)]
        assert np.unique(received["sequence"]).tolist() == list(range(1383))
        # Eight segments in 200 ms and what sending them takes.
        assert row["completion_s"] == pytest.approx(1382 / 8 * 0.206, rel=0.1)

    def test_the_sender_does_not_see_what_the_link_loses(self, link_file: LinkFactory) -> None:
        # A packet every 6 ms, of which 2 % are lost; queues that hold whatever a window has.
        lost = np.flatnonzero(np.random.default_rng(1).random(5000) < 0.02)
        link = TraceLink(link_file("link.npy", rows=5000, spacing_ns=6 * MS, lost=lost), 1500)
        split = replay(forward=link, proxy=Proxy(), queue_packets=500, duration_ns=20 * S).run().row
        assert split["forward_link_lost"] > 20
        assert split["proxy_retransmissions"] >= split["forward_link_lost"]
        assert split["retransmissions"] == split["timeouts"] == 0
        whole = replay(forward=link, queue_packets=500, duration_ns=20 * S).run().row
        assert whole["retransmissions"] >= whole["forward_link_lost"] > 20
        assert split["goodput_bps"] > 1.2 * whole["goodput_bps"]
        assert split["cwnd_mean_packets"] > 1.5 * whole["cwnd_mean_packets"]

    def test_the_link_does_not_see_what_the_wire_loses(self) -> None:
        row = replay(proxy=Proxy(), duration_ns=20 * S, wired=Wired(rate=10e6, loss=0.02)).run().row
        assert row["wired_lost"] > 20
        assert row["retransmissions"] >= row["wired_lost"]
        assert row["proxy_retransmissions"] == row["forward_queue_dropped"]

    def test_several_flows_share_the_proxy_and_end_the_run_together(self) -> None:
        result = replay(
            flows=4, start_spread_ns=S, transfer_bytes=500_000, proxy=Proxy(stack="modern", tcp="bbr")
        ).run()
        row = result.row
        assert (row["flows_completed"], row["proxy_tcp"], row["proxy_stack"]) == (4, "bbr", "modern")
        # 346 segments and a SYN each; 4 x 500,000 bytes at 2 Mbit/s with headers take 8.3 s.
        for flow in range(4):
            mine = result.packets[result.packets["flow"] == flow]
            received = mine[(mine["event"] == RECEIVED) & (mine["direction"] == 0)]
            assert np.unique(received["sequence"]).tolist() == list(range(347))
            # A segment that arrived was sent one delay before.
            sent = mine[(mine["event"] == SENT) & (mine["direction"] == 0)]
            when = set(zip(sent["sequence"].tolist(), sent["time_ns"].tolist(), strict=True))
            began = zip(received["sequence"], received["time_ns"] - received["delay_ns"], strict=True)
            assert {(int(sequence), int(time_ns)) for sequence, time_ns in began} <= when
        assert 8.3 < row["simulated_s"] < 12

    def test_wired_hop_without_a_proxy_forwards(self) -> None:
        row = replay(wired=Wired(rate=10e6, delay=0.045, loss=0.05), duration_ns=20 * S).run().row
        assert row["proxy"] is False
        assert row["proxy_tcp"] is row["held_s"] is row["proxy_fill_max_packets"] is None
        assert row["retransmissions"] >= row["wired_lost"] > 0
        # 1500 bytes at 10 and at 2 Mbit/s, 45 ms and 10 us.
        assert row["delay_min_s"] == pytest.approx(40 * 8 / 10e6 + 40 * 8 / 2e6 + 0.04501, abs=1e-8)

    @pytest.mark.parametrize("stack", ["2009", "modern"])
    def test_delayed_acks_halve_the_acknowledgements(self, stack: str) -> None:
        def acks_per_packet(*, delayed: bool) -> float:
            result = replay(stack=stack, delayed_acks=delayed, window_packets=20, duration_ns=20 * S).run()
            kinds = list(zip(result.packets["event"], result.packets["direction"], strict=True))
            return kinds.count((SENT, 1)) / kinds.count((RECEIVED, 0))

        assert acks_per_packet(delayed=False) == pytest.approx(1, abs=0.02)
        assert acks_per_packet(delayed=True) == pytest.approx(0.5, abs=0.03)
