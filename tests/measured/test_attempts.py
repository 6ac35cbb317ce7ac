"""Attempts of a HARQ log, their blocks, and the trace of blocks: hand arithmetic and a slow twin."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tmt.core.errors import InputError, UsageError
from tmt.core.schema import UNSETTLED
from tmt.importers.attempts import (
    GIVEN_UP_NS,
    Attempt,
    in_order,
    infer_failures,
    mark_repeats_of_failures,
    number_blocks,
    select,
)
from tmt.importers.harq_logs import SlotClock, measurement, slots_per_frame
from tmt.importers.importer import separate

MS = 1_000_000


def sent(time_ms: float, failed: bool | None, version: int = 0, **more: object) -> Attempt:
    return Attempt(1, round(time_ms * MS), 100, failed, version > 0, version=version, **more)


def test_blocks__of_a_process_go_from_first_attempt_to_the_next() -> None:
    """Two processes in turn; process 1 takes a new block after two failures, so that the old is given up."""
    attempts = [
        sent(0, True, process=1),
        sent(1, False, process=2),
        sent(8, True, 2, process=1),
        sent(9, False, process=2),
        sent(16, False, process=1),
    ]
    blocks = number_blocks(attempts)
    assert blocks.numbers == [0, 1, 0, 2, 3]
    assert 0 in blocks.given_up
    assert blocks.orphans == 0
    trace = measurement(attempts, blocks, "link", MS).trace
    assert trace.tx_time_ns.tolist() == [0, MS, 9 * MS, 16 * MS]
    assert trace.delay_ns.tolist() == [9 * MS, MS, MS, MS]
    assert trace.delivered.tolist() == [False, True, True, True]
    assert trace.transmissions.tolist() == [2, 1, 1, 1]


def test_blocks__without_processes_repeat_the_oldest_failure_of_their_size() -> None:
    """Three failures 1 ms apart, two repeats: versions 1, 2 of the first block, 1 of the second."""
    attempts = [
        sent(0, True),
        sent(1, True),
        sent(2, True),
        sent(4, True, 1),
        sent(5, False, 1),
        sent(6, False, 2),
    ]
    blocks, late = number_blocks(attempts), number_blocks([sent(0, True), sent(21, False, 1)])
    assert (blocks.orphans, blocks.numbers) == (0, [0, 1, 2, 0, 1, 0])
    assert (late.orphans, late.numbers) == (1, [0, 1])


def test_link__settles_a_block_by_its_first_decoded_attempt() -> None:
    """The acknowledgement was lost and the block sent once more: delivered at 8 ms, transmissions 3."""
    attempts = [sent(0, True, process=0), sent(8, False, 1, process=0), sent(16, False, 2, process=0)]
    trace = measurement(attempts, number_blocks(attempts), "link", MS).trace
    assert trace.delay_ns.tolist() == [9 * MS]
    assert trace.transmissions.tolist() == [3]


def test_link__tells_lost_from_unsettled() -> None:
    """A failure that the log's end follows at once may be repeated; one long before it is given up."""
    end_ms = 2 * GIVEN_UP_NS / MS
    attempts = [sent(0, True, process=0), sent(end_ms - 1, True, process=1), sent(end_ms, False, process=2)]
    trace = measurement(attempts, number_blocks(attempts), "link", MS).trace
    assert trace.delay_ns.tolist() == [MS, UNSETTLED, MS]
    assert trace.delivered.tolist() == [False, False, True]


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_link__is_its_slow_twin(logged: list[tuple[int, bool, bool]]) -> None:
    """Slow twin: take each process by itself; a block reaches from a first attempt up to the next one."""
    attempts = [
        Attempt(1, number * MS, 100, failed, repeat, process=process)
        for number, (process, failed, repeat) in enumerate(logged)
    ]
    blocks = number_blocks(attempts)
    trace = measurement(attempts, blocks, "link", 5).trace
    expected = []
    for process in range(4):
        groups: list[list[Attempt]] = []
        for attempt in attempts:
            if attempt.process == process:
                if not attempt.repeat or not groups:
                    groups.append([])
                groups[-1].append(attempt)
        for group, following in zip(groups, [*groups[1:], None][: len(groups)], strict=True):
            good = [attempt.time_ns for attempt in group if not attempt.failed]
            end_ns = good[0] if good else group[-1].time_ns
            delay_ns = end_ns + 5 - group[0].time_ns
            if not good and following is None and end_ns > attempts[-1].time_ns - GIVEN_UP_NS:
                delay_ns = UNSETTLED
            expected.append((group[0].time_ns, delay_ns, bool(good), len(group)))
    found = zip(
        trace.tx_time_ns.tolist(),
        trace.delay_ns.tolist(),
        trace.delivered.tolist(),
        trace.transmissions.tolist(),
        strict=True,
    )
    assert list(found) == sorted(expected)


def test_failures__follow_from_repeats_where_the_log_does_not_tell() -> None:
    attempts = [sent(0, None, process=0), sent(8, None, 1, process=0), sent(9, None, process=1)]
    infer_failures(attempts, number_blocks(attempts))
    assert [attempt.failed for attempt in attempts] == [True, False, False]


def test_repeats__of_failures_keep_size_or_new_data_indicator() -> None:
    same_size = [sent(0, True, process=0), sent(8, False, process=0), sent(16, False, process=0)]
    mark_repeats_of_failures(same_size)
    assert [attempt.repeat for attempt in same_size] == [False, True, False]
    toggled = [sent(0, True, process=0, new_data=0), sent(8, False, process=0, new_data=1)]
    mark_repeats_of_failures(toggled)
    assert [attempt.repeat for attempt in toggled] == [False, False]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=50))
def test_separate__puts_equal_times_1_ns_apart_in_their_order(times: list[int]) -> None:
    times_ns = np.array(sorted(times), np.int64)
    expected: list[int] = []
    for time_ns in times_ns.tolist():
        expected.append(max([time_ns, *(last + 1 for last in expected[-1:])]))
    assert separate(times_ns).tolist() == expected


def test_measurement__puts_code_words_of_a_slot_1_ns_apart_and_says_so() -> None:
    attempts = [sent(0, False, stream=0), sent(0, True, stream=1), sent(1, False, stream=0)]
    found = measurement(attempts, number_blocks(attempts), "phy", 7)
    assert found.trace.tx_time_ns.tolist() == [0, 1, MS]
    assert found.trace.decode_time_ns.tolist() == [7, 0, 7]
    assert found.notes == ("1 block of the same moment as others is put 1 ns apart",)


def test_order__refuses_two_logs_in_one_file() -> None:
    attempts = [sent(5000, False), sent(4900, False), sent(3999, False)]
    attempts[2].line = 17
    with pytest.raises(InputError, match=r"log:17: the time goes back by 1\.001 s; a file must hold one log"):
        in_order("log", attempts)
    assert [a.time_ns for a in in_order("log", attempts[:2])] == [4900 * MS, 5000 * MS]


def test_select__needs_a_choice_among_users_and_says_what_it_leaves_out() -> None:
    attempts = [sent(0, False, user="7"), sent(1, False, user="7"), sent(2, False, user="9")]
    attempts.append(sent(3, False, user="9", direction="up"))
    with pytest.raises(InputError, match=r"2 users; choose one by --user: 7 \(2 rows\), 9 \(1 row\)$"):
        select("log", attempts, None, None)
    kept, notes = select("log", attempts, None, "7")
    assert kept == attempts[:2]
    assert notes == [
        "1 transmission of the other direction is left out",
        "1 transmission of other users is left out",
    ]
    assert select("log", attempts, "up", None)[0] == attempts[3:]
    with pytest.raises(UsageError, match=r"--user is 8; log holds 7 \(2 rows\), 9"):
        select("log", attempts, "down", "8")
    with pytest.raises(UsageError, match="--direction is up, but log holds only the other direction"):
        select("log", attempts[:3], "up", None)
    with pytest.raises(InputError, match="there are no transmissions in this log"):
        select("log", [], None, None)


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
