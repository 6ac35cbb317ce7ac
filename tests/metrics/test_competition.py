"""Shares of competing groups of flows and their convergence, against hand arithmetic on constant flows."""

import numpy as np
import pytest

from tmt.core.measure.competition import Competition, competition
from tmt.core.measure.transport import FlowDelivery

S = 1_000_000_000
RTT_NS = S // 20
"""20 of them are a window of 1 s."""


def flow(*segments_in_second: int, start_s: int = 0, stop_s: int | None = None) -> FlowDelivery:
    """Deliver so many segments of 1000 bytes in each second of the run, evenly spaced."""
    times = [
        second * S + number * S // count
        for second, count in enumerate(segments_in_second)
        for number in range(count)
    ]
    stop_ns = S * (len(segments_in_second) if stop_s is None else stop_s)
    sizes = np.full(len(times), 1000, np.int64)
    return FlowDelivery(start_s * S, stop_ns, False, np.array(times, np.int64), sizes, 1500 * len(times))


def between(*groups: list[FlowDelivery]) -> Competition:
    return competition(groups, RTT_NS)


def test_two_constant_flows__have_their_shares_from_the_begin_on() -> None:
    found = between([flow(*[30] * 10)], [flow(*[10] * 10)])
    assert found.shares == [0.75, 0.25]
    assert found.fairness == pytest.approx((3 + 1) ** 2 / (2 * (9 + 1)))
    assert found.convergence_ns == [0, 0]
    assert found.slowest_ns == 0


def test_only_the_common_time_counts() -> None:
    # The second flow is there from 4 s until 8 s; then each delivers 20 segments a second.
    late = flow(0, 0, 0, 0, 20, 20, 20, 20, start_s=4, stop_s=8)
    found = between([flow(40, 40, 40, 40, 20, 20, 20, 20, 40, 40)], [late])
    assert (found.begin_ns, found.end_ns) == (4 * S, 8 * S)
    assert found.shares == [0.5, 0.5]
    assert found.fairness == 1


def test_a_share_that_moves__is_steady_behind_its_last_difference() -> None:
    # Shares of the first: 1, 0.8, 0.65, then 0.5. The final one is 0.5: 0.65 is the last to differ.
    first = flow(20, 16, 13, *[10] * 5)
    second = flow(0, 4, 7, *[10] * 5)
    assert between([first], [second]).convergence_ns == [3 * S, 3 * S]
    # 0.58 instead of 0.65 differs by less.
    nearer = between([flow(100, 80, 58, *[50] * 5)], [flow(0, 20, 42, *[50] * 5)])
    assert nearer.convergence_ns == [2 * S, 2 * S]


def test_one_group_may_be_steady_while_two_others_are_not() -> None:
    # The first has half of the data throughout; the others exchange their parts in the second half, too.
    found = between([flow(*[20] * 8)], [flow(*[20, 0] * 4)], [flow(*[0, 20] * 4)])
    assert found.convergence_ns == [0, None, None]
    assert found.slowest_ns is None


def test_a_window_without_data__differs_from_nothing() -> None:
    outage = [10, 10, 0, 10, 10, 10, 0, 10]
    assert between([flow(*outage)], [flow(*outage)]).convergence_ns == [0, 0]


def test_a_group_is_the_sum_of_its_flows() -> None:
    found = between([flow(*[10] * 6), flow(*[20] * 6)], [flow(*[10] * 6)])
    assert found.shares == [0.75, 0.25]
    assert found.fairness == pytest.approx(40**2 / (3 * (100 + 400 + 100)))


def test_windows_follow_the_longest_rtt() -> None:
    # Windows of 2 s: 15 and 5 segments in the first, 10 and 10 in the three others.
    groups = [flow(10, 5, *[5] * 6)], [flow(0, 5, *[5] * 6)]
    found = competition(groups, 2 * RTT_NS)
    assert found.convergence_ns == [2 * S, 2 * S]


def test_a_common_time_of_less_than_four_windows__has_no_convergence() -> None:
    assert between([flow(10, 10, 10)], [flow(10, 10, 10)]).convergence_ns == [None, None]
    assert between([flow(10, 10, 10, 10)], [flow(10, 10, 10, 10)]).convergence_ns == [0, 0]


def test_nothing_delivered__has_no_share() -> None:
    found = between([flow(0, 0, 0, 0, 0)], [flow(0, 0, 0, 0, 0)])
    assert found.shares == [None, None]
    assert found.fairness is None
    assert found.convergence_ns == [None, None]


def test_no_competition__without_two_groups_or_a_common_time() -> None:
    assert competition([[flow(10, 10)]], RTT_NS) is None
    assert competition([[flow(10, 10, stop_s=1)], [flow(0, 10, start_s=1)]], RTT_NS) is None
    never = FlowDelivery(None, S, False, np.empty(0, np.int64), np.empty(0, np.int64), 0)
    assert competition([[flow(10, 10)], [never]], RTT_NS) is None
