"""Transport metrics, of a run and over time, against slow twins by the definitions, and hand arithmetic."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tmt.core.measure import timeline as over_time, transport
from tmt.core.measure.transport import QUEUE_DROPPED, RECEIVED, SENT
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

S = 1_000_000_000
HEADER = 40


@dataclass(frozen=True)
class Packet:
    time_ns: int
    event: int
    sequence: int
    direction: int = 0
    flow: int = 0
    size_bytes: int = 1500
    transmission: int = 1
    delay_ns: int = -1


def table(*packets: Packet) -> np.ndarray:
    rows = [
        (p.time_ns, p.event, p.direction, p.flow, p.sequence, p.size_bytes, p.transmission, uid, p.delay_ns)
        for uid, p in enumerate(packets)
    ]
    return np.array(rows, PACKET_RECORDS.dtype)


QUEUE_AND_LINK = ("link_lost", "link_unsettled", "queue_dropped", "aqm_dropped", "marked")

packets_strategy = st.lists(
    st.builds(
        Packet,
        time_ns=st.integers(0, 50),
        event=st.integers(0, len(PACKET_EVENTS) - 1),
        sequence=st.integers(-1, 8),
        direction=st.integers(0, 1),
        flow=st.integers(0, 2),
        size_bytes=st.sampled_from([40, 576, 1500]),
        transmission=st.integers(1, 4),
        delay_ns=st.integers(0, 1000),
    ),
    max_size=60,
).map(lambda packets: sorted(packets, key=lambda p: p.time_ns))


class Receiver:
    """One flow's receiving application, packet by packet."""

    def __init__(self) -> None:
        self.buffered: dict[int, int] = {}
        self.delivered: list[tuple[int, int]] = []

    def take(self, packet: Packet) -> None:
        if packet.sequence >= 0:
            self.buffered.setdefault(packet.sequence, max(packet.size_bytes - HEADER, 0))
        while len(self.delivered) in self.buffered:
            self.delivered.append((packet.time_ns, self.buffered[len(self.delivered)]))


def naive_flow(
    packets: list[Packet], flow: int, end_ns: int, transfer_bytes: int | None
) -> dict[str, object]:
    mine = [p for p in packets if p.flow == flow and p.direction == 0]
    receiver = Receiver()
    for packet in mine:
        if packet.event == RECEIVED:
            receiver.take(packet)
    start_ns = next((p.time_ns for p in mine if p.event == SENT), None)
    delivered, stop_ns, completed = receiver.delivered, end_ns, False
    if transfer_bytes is not None:
        total = 0
        for index, (time_ns, payload) in enumerate(receiver.delivered):
            total += payload
            if total >= transfer_bytes:
                delivered, stop_ns, completed = receiver.delivered[: index + 1], time_ns, True
                break
    return {
        "start_ns": start_ns,
        "stop_ns": stop_ns,
        "completed": completed,
        "delivered": delivered,
        "received_bytes": sum(p.size_bytes for p in mine if p.event == RECEIVED and p.time_ns <= stop_ns),
    }


@settings(max_examples=150)
@given(packets=packets_strategy, transfer_bytes=st.none() | st.integers(1, 8000))
def test_deliveries__equal_a_packet_by_packet_twin(packets: list[Packet], transfer_bytes: int | None) -> None:
    found = transport.deliveries(
        table(*packets), flows=3, end_ns=60, header_bytes=HEADER, transfer_bytes=transfer_bytes
    )
    for flow, delivery in enumerate(found):
        expected = naive_flow(packets, flow, 60, transfer_bytes)
        assert (delivery.start_ns, delivery.stop_ns) == (expected["start_ns"], expected["stop_ns"])
        assert delivery.completed == expected["completed"]
        assert delivery.received_bytes == expected["received_bytes"]
        steps = list(zip(delivery.in_order_ns.tolist(), delivery.payload_bytes.tolist(), strict=True))
        assert steps == expected["delivered"]


@settings(max_examples=100)
@given(packets=packets_strategy)
def test_counts__equal_a_count_record_by_record(packets: list[Packet]) -> None:
    records = table(*packets)
    losses = transport.loss_figures(records)
    for direction, word in enumerate(("forward", "return")):
        for event in QUEUE_AND_LINK:
            count = sum(p.direction == direction and PACKET_EVENTS[p.event] == event for p in packets)
            assert losses[f"{word}_{event}"] == count
    sent = [p.transmission for p in packets if p.direction == 0 and p.event == SENT]
    recovery = transport.recovery_figures(records)
    assert recovery["segments_sent"] == len(sent)
    assert recovery["retransmissions"] == sum(t > 1 for t in sent)
    assert recovery["max_transmissions"] == (max(sent) if sent else None)


@settings(max_examples=100)
@given(packets=packets_strategy)
def test_delays__are_nearest_ranks(packets: list[Packet]) -> None:
    delays = [p.delay_ns for p in packets if p.direction == 0 and p.event == RECEIVED]
    found = transport.delay_figures(table(*packets))
    for name, percent in (("median", 50), ("p85", 85), ("p95", 95), ("p99", 99)):
        enough = [d for d in delays if sum(e <= d for e in delays) * 100 >= percent * len(delays)]
        assert found[f"delay_{name}_s"] == (min(enough) / S if enough else None)
    assert found["delay_min_s"] == (min(delays) / S if delays else None)


def test_goodput__counts_each_payload_byte_once_and_only_in_order() -> None:
    # Segments 0, 1, 1 (copy), 3 arrive: 3 waits for 2 for ever. Two payloads of 1460 bytes in 2 s.
    records = table(
        Packet(1 * S, SENT, 0),
        Packet(2 * S, RECEIVED, 0, delay_ns=S),
        Packet(2 * S, RECEIVED, 1, delay_ns=S),
        Packet(2 * S, RECEIVED, 1, delay_ns=S),
        Packet(2 * S, RECEIVED, 3, delay_ns=S),
    )
    flows = transport.deliveries(records, flows=1, end_ns=3 * S, header_bytes=HEADER)
    figures = transport.delivery_figures(flows)
    assert figures["goodput_bytes"] == 2 * 1460
    assert figures["goodput_bps"] == 2 * 1460 * 8 / 2
    assert figures["received_bps"] == 4 * 1500 * 8 / 2
    assert figures["completion_s"] is None
    assert figures["flows_completed"] is None
    assert figures["fairness"] is None


def test_completion__is_that_of_the_slowest_flow() -> None:
    # Each flow transfers two payloads of 1460: the first from 0 to 1 s, the second from 1 to 4 s.
    records = table(
        Packet(0, SENT, 0),
        Packet(S, SENT, 0, flow=1),
        Packet(S, RECEIVED, 0, delay_ns=S),
        Packet(S, RECEIVED, 1, delay_ns=S),
        Packet(2 * S, RECEIVED, 1, flow=1, delay_ns=S),
        Packet(4 * S, RECEIVED, 0, flow=1, delay_ns=S),
    )
    flows = transport.deliveries(records, flows=2, end_ns=9 * S, header_bytes=HEADER, transfer_bytes=2920)
    figures = transport.delivery_figures(flows, 2920)
    assert figures["flows_completed"] == 2
    assert figures["completion_s"] == 3.0
    assert figures["goodput_bps"] == 2920 * 8 / 1 + 2920 * 8 / 3
    # Jain: shares 3 and 1, (3 + 1)^2 / (2 (9 + 1)) = 0.8.
    assert figures["fairness"] == pytest.approx(0.8)


def test_completion__is_null_when_one_flow_did_not_finish() -> None:
    records = table(Packet(0, SENT, 0), Packet(S, RECEIVED, 0, delay_ns=S), Packet(S, SENT, 0, flow=1))
    flows = transport.deliveries(records, flows=2, end_ns=9 * S, header_bytes=HEADER, transfer_bytes=1000)
    figures = transport.delivery_figures(flows, 1000)
    assert (figures["flows_completed"], figures["completion_s"]) == (1, None)


def test_figures__of_a_run_in_which_nothing_happened_are_null_or_zero() -> None:
    records = table()
    flows = transport.deliveries(records, flows=2, end_ns=S, header_bytes=HEADER)
    windows = np.empty(0, WINDOW_RECORDS.dtype)
    figures = (
        transport.delivery_figures(flows)
        | transport.delay_figures(records)
        | transport.recovery_figures(records)
        | transport.window_figures(windows, flows)
        | transport.loss_figures(records)
    )
    assert {name for name, value in figures.items() if value == 0} == {
        "goodput_bytes",
        "return_acks_thinned",
        "segments_sent",
        "retransmissions",
        *(f"{d}_{e}" for d in ("forward", "return") for e in QUEUE_AND_LINK),
    }
    assert all(value is None for value in figures.values() if value != 0)


def test_goodput__of_a_flow_that_delivered_nothing_is_zero() -> None:
    flows = transport.deliveries(table(Packet(0, SENT, 0)), flows=1, end_ns=S, header_bytes=HEADER)
    assert transport.delivery_figures(flows)["goodput_bps"] == 0


def test_losses__of_a_full_queue_are_not_the_link_s() -> None:
    figures = transport.loss_figures(
        table(Packet(0, QUEUE_DROPPED, 0), Packet(0, QUEUE_DROPPED, 0, direction=1))
    )
    assert (figures["forward_queue_dropped"], figures["return_queue_dropped"]) == (1, 1)
    assert figures["forward_link_lost"] == figures["forward_link_unsettled"] == 0


changes_strategy = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 99)), min_size=1, max_size=20).map(
    lambda changes: sorted(changes, key=lambda change: change[0])
)


def naive_window(changes: list[tuple[int, int]], time_ns: int) -> float:
    """Window at an instant: the latest change's, or the first one's before any."""
    past = [cwnd for when, cwnd in changes if when <= time_ns]
    return past[-1] if past else changes[0][1]


@settings(max_examples=150)
@given(changes=changes_strategy, start_ns=st.integers(0, 30), active_ns=st.integers(1, 30))
def test_mean_window__is_its_twin(changes: list[tuple[int, int]], start_ns: int, active_ns: int) -> None:
    time_ns, cwnd = (np.array(column) for column in zip(*changes, strict=True))
    stop_ns = start_ns + active_ns
    expected = sum(naive_window(changes, t) for t in range(start_ns, stop_ns)) / active_ns
    found = transport.mean_window(time_ns, cwnd.astype(float), start_ns, stop_ns)
    assert found == pytest.approx(expected, rel=1e-12)


def test_window_figures__average_over_active_flows_only() -> None:
    # Flow 0: 10 for 1 s, then 20 for 1 s: 15. Flow 1 is active in the second one, at 5. Flow 2 never sends.
    records = table(Packet(0, SENT, 0), Packet(S, SENT, 0, flow=1))
    windows = np.zeros(3, WINDOW_RECORDS.dtype)
    windows["time_ns"], windows["flow"], windows["cwnd_packets"] = (0, S, S), (0, 0, 1), (10, 20, 5)
    flows = transport.deliveries(records, flows=3, end_ns=2 * S, header_bytes=HEADER)
    figures = transport.window_figures(windows, flows)
    assert figures == {"cwnd_mean_packets": 10.0, "cwnd_max_packets": 20.0}


@settings(max_examples=50)
@given(shares=st.lists(st.floats(0, 1e12), min_size=1, max_size=8))
def test_jain__lies_between_one_share_of_many_and_all_alike(shares: list[float]) -> None:
    index = transport.jain_index(np.array(shares))
    if not any(shares):
        assert index is None
    else:
        assert 1 / len(shares) - 1e-9 <= index <= 1 + 1e-9


@settings(max_examples=50)
@given(changes=changes_strategy)
def test_window_at__holds_each_value_until_the_next_change(changes: list[tuple[int, int]]) -> None:
    time_ns, cwnd = (np.array(column) for column in zip(*changes, strict=True))
    found = over_time.window_at(time_ns, cwnd.astype(float), np.arange(45))
    for when, value in enumerate(found):
        if when < changes[0][0]:
            assert math.isnan(value)
        else:
            assert value == [cwnd for time, cwnd in changes if time <= when][-1]


def test_goodput_over_time__adds_up_to_what_was_delivered() -> None:
    rows = [(0, transport.SENT, 0, 0, 0, 1500, 1, 0, -1)]
    rows += [(t * S, transport.RECEIVED, 0, 0, t - 1, 1500, 1, t, S) for t in range(1, 6)]
    records = np.array(rows, PACKET_RECORDS.dtype)
    (flow,) = transport.deliveries(records, flows=1, end_ns=6 * S, header_bytes=40)
    series = over_time.goodput_over_time(flow, np.array([0, 2 * S, 4 * S, 6 * S]))
    # An arrival at an edge belongs to the bin that starts there: 1 | 2, 3 | 4, 5 arrive.
    assert series.tolist() == [1460 * 8 / 2, 2 * 1460 * 8 / 2, 2 * 1460 * 8 / 2]


@settings(max_examples=100)
@given(
    arrivals=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 99)), max_size=40),
    edges=st.lists(st.integers(0, 45), min_size=2, max_size=6, unique=True).map(sorted),
)
def test_delay_over_time__takes_nearest_ranks(arrivals: list[tuple[int, int]], edges: list[int]) -> None:
    arrivals.sort(key=lambda arrival: arrival[0])
    columns = np.array(arrivals, np.int64).reshape(-1, 2)
    found = over_time.delay_over_time(columns[:, 0], columns[:, 1], np.array(edges))
    for index, (left, right) in enumerate(pairwise(edges)):
        delays = sorted(delay for time, delay in arrivals if left <= time < right)
        for row, percent in enumerate(over_time.DELAY_PERCENTILES):
            if delays:
                assert found[row, index] == delays[max(math.ceil(percent * len(delays) / 100) - 1, 0)]
            else:
                assert math.isnan(found[row, index])


@settings(max_examples=100)
@given(changes=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=30))
def test_steps_over_time__agree_with_the_value_at_every_moment(changes: list[tuple[int, int]]) -> None:
    changes.sort(key=lambda change: change[0])
    columns = np.array(changes, np.float64).reshape(-1, 2)
    edges = [0, 7, 8, 21, 40]
    least, mean, most = over_time.steps_over_time(columns[:, 0], columns[:, 1], np.array(edges, float))
    at = [([0] + [value for time, value in changes if time <= moment])[-1] for moment in range(40)]
    for index, (left, right) in enumerate(pairwise(edges)):
        met = [at[left], *(value for time, value in changes if left <= time < right)]
        assert (least[index], most[index]) == (min(met), max(met))
        assert math.isclose(mean[index], sum(at[left:right]) / (right - left), abs_tol=1e-12)


def test_timeline__shows_losses_of_data_and_not_of_acknowledgements() -> None:
    """On the link: data at 1 s, an acknowledgement at 2 s; in the queue: data at 3 s, the other at 4 s."""
    packets = np.zeros(4, PACKET_RECORDS.dtype)
    packets["time_ns"] = np.arange(1, 5) * S
    packets["direction"] = [0, 1, 0, 1]
    packets["event"] = [
        PACKET_EVENTS.index(what) for what in ("link_lost", "link_lost", "queue_dropped", "queue_dropped")
    ]
    nothing = np.zeros(0, WINDOW_RECORDS.dtype)
    found = over_time.timeline(packets, nothing, [], None, end_ns=5 * S, bins=5, samples=2)
    assert (found.link_lost_s.tolist(), found.queue_dropped_s.tolist()) == ([1], [3])


def test_ack_load__is_the_acks_share_of_the_return_link() -> None:
    # Five ACKs of 52 bytes in 4 s, one of them dropped: 4 * 52 * 8 bits of 4 * 500.
    packets = np.zeros(7, PACKET_RECORDS.dtype)
    packets["time_ns"] = np.array([0, 1, 2, 2, 3, 4, 9]) * S
    packets["direction"] = [1, 1, 1, 1, 1, 1, 0]
    packets["size_bytes"] = [52] * 6 + [1500]
    packets["event"] = [PACKET_EVENTS.index("sent")] * 7
    packets["event"][3] = PACKET_EVENTS.index("queue_dropped")
    assert transport.ack_load(packets, 500.0) == pytest.approx(4 * 52 * 8 / (4 * 500))
    assert transport.ack_load(packets[:1], 500.0) is None
