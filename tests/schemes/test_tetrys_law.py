"""The code with feedback: its limits are other schemes, its window stalls, and its recoveries are counts."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import example, given, settings, strategies as st
from naive import on_link
from naive.on_link import OnLink
from naive.traces import phy_trace, rows_of

from tmt import SlidingWindow
from tmt.core.converter import Counts

LATE = 10**9
"""An RTT that outlasts every trace here."""

NEVER = 65_535
"""A repair interval without regular repair units."""


def converted(scheme: OnLink, tx: list[int], decode: list[int]) -> tuple[list[tuple[int, ...]], Counts]:
    converter = scheme.converter()
    rows = rows_of(converter.feed(phy_trace(tx, decode))) + rows_of(converter.finish())
    return [tuple(row) for row in rows], converter.counts


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.booleans(), max_size=150), st.integers(1, 9))
@example([False] * 30 + [True], 1)
def test_without_rtt__it_is_arq_without_rtt(arrives: list[bool], window: int) -> None:
    # Decoded within its slot: one unit at most is missing, and the next slot repairs it. In both schemes.
    tx, decode = list(range(0, 10 * len(arrives), 10)), [3 * a for a in arrives]
    rows, counts = converted(on_link.tetrys(window, NEVER, 0), tx, decode)
    expected, of_arq = converted(on_link.arq(0), tx, decode)
    assert [row[:3] for row in rows] == [row[:3] for row in expected]
    assert counts.repair_slots == of_arq.retransmission_slots


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.booleans(), max_size=60), st.integers(1, 9))
def test_late_reports_and_a_window_for_all__are_a_sliding_window(arrives: list[bool], interval: int) -> None:
    tx, decode = list(range(0, 10 * len(arrives), 10)), [3 * a for a in arrives]
    assert converted(on_link.tetrys(60, interval, LATE), tx, decode) == converted(
        SlidingWindow(60, interval), tx, decode
    )


@pytest.mark.parametrize("k", [1, 2, 9])
def test_without_erasures__one_slot_in_k_plus_1_is_repair(k: int) -> None:
    n = 100 * (k + 1)
    rows, counts = converted(on_link.tetrys(600, k, 300), list(range(0, 10 * n, 10)), [3] * n)
    assert (counts.data_rows, counts.repair_slots, counts.stalled_slots) == (100 * k, 100, 0)
    assert {row[1] for row in rows} == {3}


@pytest.mark.parametrize(("window", "rtt"), [(1, 0), (1, 7), (4, 97), (10, 97), (11, 97), (7, 100)])
def test_full_window__uses_w_slots_of_a_round_trip(window: int, rtt: int) -> None:
    # A unit leaves the window rtt + 3 after its slot, and the next slot is ceil((rtt + 3) / 10) slots later.
    slots_per_round = -(-(rtt + 3) // 10)
    n = 50 * slots_per_round
    _, counts = converted(on_link.tetrys(window, NEVER, rtt), list(range(0, 10 * n, 10)), [3] * n)
    assert counts.data_rows == 50 * min(window, slots_per_round)
    assert counts.stalled_slots == n - counts.data_rows


def counted(arrives: tuple[int, ...], rtt: int) -> list[tuple[int, int]]:
    """Return slot and delivery of each unit, by counts: decoding takes a slot, the window is never full.

    Missing are the erased units less the repair units that have arrived since nothing was missing; they are
    recovered together when nothing is missing.
    """
    delivered: dict[int, int] = {}
    first_slots, lacking, missing = list[int](), list[int](), 0
    kinds = list[str]()
    for slot, arrives_now in enumerate(arrives):
        seen = reported_repairs = 0  # by the reports that the sender has
        for other, kind in events(kinds, arrives, slot - rtt):
            reported_repairs += kind == "repair"
            seen = seen + 1 - arrives[other] if kind == "data" else max(0, seen - arrives[other])
        kind = "repair" if seen > kinds.count("repair") - reported_repairs else "data"
        kinds.append(kind)
        if kind == "data":
            first_slots.append(slot)
            if arrives_now:
                delivered[slot] = slot + 1
            else:
                lacking.append(slot)
                missing += 1
        elif arrives_now and missing:
            missing -= 1
            if missing == 0:
                delivered |= dict.fromkeys(lacking, slot + 1)
                lacking = []
    return [(slot, delivered.get(slot, -1)) for slot in first_slots]


def events(kinds: list[str], arrives: tuple[int, ...], until: int) -> list[tuple[int, str]]:
    """Return the slots that the receiver knows of at a time, in the order in which it learns of them."""
    known = sorted((slot + arrives[slot], slot) for slot in range(len(kinds)))
    return [(slot, kinds[slot]) for at, slot in known if at <= until]


@pytest.mark.parametrize("rtt", [0, 1, 2, 3])
def test_recoveries__are_those_of_a_count(rtt: int) -> None:
    """All patterns of eleven slots; a pair of equations in 255 is dependent by chance."""
    differing = 0
    for pattern in itertools.product((0, 1), repeat=11):
        rows, _ = converted(on_link.tetrys(20, NEVER, rtt), list(range(11)), list(pattern))
        found = [(tx, tx + delay if delivered else -1) for tx, delay, delivered, _ in rows]
        differing += found != counted(pattern, rtt)
    assert differing <= 2**11 / 150


def test_recovery_of_many_units__is_that_of_a_count() -> None:
    """150 erased slots in a row, then 1 % erasures: 90 units are missing when the first report arrives."""
    rng = random.Random(2)
    pattern = (1,) * 20 + (0,) * 150 + tuple(int(rng.random() > 0.01) for _ in range(330))
    rows, _ = converted(on_link.tetrys(500, NEVER, 90), list(range(500)), list(pattern))
    found = [(tx, tx + delay if delivered else -1) for tx, delay, delivered, _ in rows]
    assert found == counted(pattern, 90)
    assert Counter(at for _, at in found).most_common(1) == [(260, 90)]
