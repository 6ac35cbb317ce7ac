"""Counters of frames and slots become times."""

import pytest
from hypothesis import given, settings, strategies as st

from tmt.core.errors import UsageError
from tmt.importers.harq_logs import SlotClock, slots_per_frame

MS = 1_000_000


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.integers(0, 60_000), min_size=1, max_size=30).map(sorted),
    st.integers(0, 10_239),
    st.lists(st.integers(-2_000, 2_000), min_size=30, max_size=30),
)
def test_clock__finds_true_times_behind_wraps(true_ms: list[int], start: int, jitter: list[int]) -> None:
    """Subframes count from any number and wrap every 10.24 s; the log's clock is up to 2 s wrong."""
    clock = SlotClock()
    found = [
        clock.time_ns((start + at) % 10_240, (1_700_000_000_000 + at + wrong) * MS)
        for at, wrong in zip(true_ms, jitter, strict=False)
    ]
    assert [time_ns - found[0] for time_ns in found] == [(at - true_ms[0]) * MS for at in true_ms]


def test_clock__follows_lines_that_are_a_little_out_of_order() -> None:
    """Slot 10238 is logged after slot 2 of the next 10.24 s."""
    clock = SlotClock()
    assert [clock.time_ns(slot, log * MS) for slot, log in ((10_236, 0), (2, 7), (10_238, 8))] == [
        10_236 * MS,
        10_242 * MS,
        10_238 * MS,
    ]


def test_slots__in_a_frame_follow_from_spacing_or_slot_numbers() -> None:
    """3GPP TS 38.211, table 4.3.2-1: 10, 20, 40 and 80 slots for 15, 30, 60 and 120 kHz."""
    assert [slots_per_frame(0, khz) for khz in (15, 30, 60, 120)] == [10, 20, 40, 80]
    assert [slots_per_frame(largest, None) for largest in (9, 10, 39, 79)] == [10, 20, 40, 80]
    with pytest.raises(
        UsageError, match=r"--subcarrier-spacing is 15; with slot numbers up to 12, allowed are 30, 60, 120"
    ):
        slots_per_frame(12, 15)
