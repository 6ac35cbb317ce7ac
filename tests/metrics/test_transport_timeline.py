"""Bins over time, against slow twins."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given, settings, strategies as st

from tmt.core.measure import timeline as over_time, transport
from tmt.core.schema import PACKET_EVENTS, PACKET_RECORDS, WINDOW_RECORDS

S = 1_000_000_000

changes_strategy = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 99)), min_size=1, max_size=20).map(
    lambda changes: sorted(changes, key=lambda change: change[0])
)


@settings(derandomize=True, deadline=None, max_examples=50)
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


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    arrivals=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 99)), max_size=40),
    edges=st.lists(st.integers(0, 45), min_size=2, max_size=6, unique=True).map(sorted),
)
def test_delay_over_time__takes_nearest_ranks_in_each_bin(
    arrivals: list[tuple[int, int]], edges: list[int]
) -> None:
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


@settings(derandomize=True, deadline=None, max_examples=100)
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
