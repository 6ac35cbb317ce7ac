"""Small traces, converted by hand from the definitions in `docs/schemes.md`."""

from naive import on_link
from naive.traces import converted, phy_trace

from tmt import Fec, HarqProcesses, SlidingWindow, Tetrys


def test_none__delivers_after_the_decode_time_and_loses_erased_lldus() -> None:
    rows, counts = converted(on_link.none(detection_delay_ns=3), [0, 10, 20], [4, 0, 5])
    assert rows == [(0, 4, True, 1), (10, 3, False, 1), (20, 5, True, 1)]
    assert counts.efficiency == 2 / 3


def test_arq__retransmits_in_the_first_slot_at_or_after_the_nack() -> None:
    # Slot 10 is erased. Its NACK arrives at 10 + 2 + 18 = 30, so that the slot at 30 retransmits: 30 + 4 - 10
    # = 24. That slot is not a row. Slot 40 is erased, and its NACK, at 60, comes after the end: unsettled.
    rows, counts = converted(
        on_link.arq(rtt_ns=18, detection_delay_ns=2), [0, 10, 20, 30, 40, 50], [4, 0, 4, 4, 0, 4]
    )
    assert rows == [
        (0, 4, True, 1),
        (10, 24, True, 2),
        (20, 4, True, 1),
        (40, -1, False, 1),
        (50, 4, True, 1),
    ]
    assert (counts.retransmission_slots, counts.unsettled, counts.lost) == (1, 1, 0)


def test_arq__serves_nacks_in_the_order_of_their_arrival() -> None:
    # Slots 0 and 1 are erased; their NACKs arrive at 10 and 11. The slot at 12 retransmits LLDU 0 (12 + 1 - 0
    # = 13), the slot at 20 LLDU 1 (20 + 1 - 1 = 20); the slot at 21 carries new data.
    rows, _ = converted(on_link.arq(rtt_ns=10), [0, 1, 12, 20, 21], [0, 0, 1, 1, 1])
    assert rows == [(0, 13, True, 2), (1, 20, True, 2), (21, 1, True, 1)]


def test_arq__gives_up_after_the_last_transmission_allowed() -> None:
    # Sent at 0 and, on the NACK at 10, at 10; erased twice; given up 2 after the second: 10 + 2 - 0 = 12.
    rows, counts = converted(
        on_link.arq(rtt_ns=8, max_transmissions=2, detection_delay_ns=2), [0, 10, 20], [0, 0, 4]
    )
    assert rows == [(0, 12, False, 2), (20, 4, True, 1)]
    assert counts.lost == 1


def test_arq__counts_transmissions_up_to_255() -> None:
    # Erased 300 times, once in every slot; the 301st transmission, at 300, is decoded.
    rows, counts = converted(on_link.arq(rtt_ns=0), list(range(301)), [0] * 300 + [1])
    assert rows == [(0, 301, True, 255)]
    assert counts.retransmission_slots == 300


def test_fec__recovers_at_the_arrival_that_completes_a_block() -> None:
    # Blocks of 2 + 1. First: slot 1 is erased; arrivals at 0 + 5 and 2 + 5: the second, at 7, recovers: 7 - 1
    # = 6. Second: two of three erased, lost 9 after its last slot, at 5: 5 + 9 - 3 = 11 and 5 + 9 - 4 = 10.
    # The slot at 6 is a block cut short, and dropped.
    rows, counts = converted(
        on_link.fec(data=2, repair=1, detection_delay_ns=9), list(range(7)), [5, 0, 5, 0, 0, 5, 5]
    )
    assert rows == [(0, 5, True, 1), (1, 6, True, 1), (3, 11, False, 1), (4, 10, False, 1)]
    assert (counts.repair_slots, counts.dropped_tail, counts.lost) == (2, 1, 2)
    assert counts.efficiency == 2 / 6


def test_fec__orders_arrivals_by_their_time_not_by_their_slot() -> None:
    # Block of 3 + 1 with slot 0 erased; arrivals at 1 + 50, 2 + 3, 3 + 4: the third of them is at 51, not at
    # 7.
    rows, _ = converted(Fec(data=3, repair=1), [0, 1, 2, 3], [0, 50, 3, 4])
    assert rows[0] == (0, 51, True, 1)


def test_fec__interleaves_blocks_over_a_run() -> None:
    # Depth 2, blocks of 2 + 1: slots 0 2 4 and 1 3 5. The burst over slots 2 and 3 erases one LLDU per block:
    # block 0 has slots 0 and 4, complete at 4 + 1 = 5, 5 - 2 = 3; block 1 has 1 and 5, complete at 6, 6 - 3 =
    # 3.
    rows, _ = converted(Fec(data=2, repair=1, depth=2), list(range(6)), [1, 1, 0, 0, 1, 1])
    assert rows == [(0, 1, True, 1), (1, 1, True, 1), (2, 3, True, 1), (3, 3, True, 1)]


def test_harq__requests_the_missing_lldus_and_the_extra_one() -> None:
    # Block of 2 + 1 in slots 0 1 2 with one arrival, at 0 + 1. After slot 2 the receiver asks for (2 - 1) + 1
    # = 2; the request arrives at 2 + 1 + 2 = 5, and slots 5 and 6 carry them. Slots 3, 4 and 7 are the next
    # block. Slot 5 is erased; slot 6 gives the second arrival, at 7: 7 - 1 = 6. With one request the block
    # counts 2 transmissions.
    rows, counts = converted(
        on_link.harq(data=2, repair=1, rtt_ns=2, extra=1, rounds=2, detection_delay_ns=1),
        list(range(8)),
        [1, 0, 0, 1, 1, 0, 1, 1],
    )
    assert rows == [(0, 1, True, 2), (1, 6, True, 2), (3, 1, True, 1), (4, 1, True, 1)]
    assert (counts.repair_slots, counts.data_rows) == (4, 4)


def test_harq__gives_up_after_the_last_round() -> None:
    # Block of 1 + 0, one round, no extra: slot 0 erased, request for 1 served by slot 1, erased too: given up
    # at 1 + 0 - 0 = 1 after one request.
    rows, _ = converted(on_link.harq(data=1, repair=0, rtt_ns=1, extra=0, rounds=1), [0, 1, 2], [0, 0, 4])
    assert rows == [(0, 1, False, 2), (2, 4, True, 1)]


def test_harq__keeps_a_block_that_the_trace_cuts_short() -> None:
    # Of a block of 3 + 1 only three slots exist: decoded LLDUs are delivered, the erased one is unsettled.
    rows, counts = converted(on_link.harq(data=3, repair=1, rtt_ns=1), [0, 1, 2], [7, 0, 7])
    assert rows == [(0, 7, True, 1), (1, -1, False, 1), (2, 7, True, 1)]
    assert (counts.delivered, counts.unsettled) == (2, 1)


def test_harq__leaves_a_block_unsettled_whose_request_comes_too_late() -> None:
    # The request of the block in slots 0 and 1 arrives at 1 + 50, after the end of the trace.
    rows, _ = converted(on_link.harq(data=1, repair=1, rtt_ns=50), [0, 1, 2, 3], [0, 0, 5, 5])
    assert rows == [(0, -1, False, 2), (2, 5, True, 1)]


def test_harq_processes__stall_until_feedback_frees_a_process() -> None:
    # Two processes, feedback after 2 + 1 slots. Slots 0 and 1 are sent; slot 2 stalls. The ACK of slot 0
    # comes at 0 + 1 + 2 = 3, the NACK of slot 1 at 1 + 1 + 2 = 4: slot 3 is new, slot 4 retransmits the LLDU
    # of slot 1 (4 + 1 - 1 = 4), slot 5 stalls.
    scheme = on_link.harq_processes(rtt_ns=2, processes=2, detection_delay_ns=1)
    rows, counts = converted(scheme, list(range(6)), [1, 0, 1, 1, 1, 1])
    assert rows == [(0, 1, True, 1), (1, 4, True, 2), (3, 1, True, 1)]
    assert (counts.stalled_slots, counts.retransmission_slots) == (2, 1)
    assert counts.efficiency == 3 / 6


def test_harq_processes__retransmit_synchronously_in_the_slots_of_the_process() -> None:
    # Slots of 10; process = number of the slot modulo 3. Slot 0 is erased, and its NACK comes at 0 + 5. The
    # slots at 10 and 20 belong to others, the one at 30 to process 0: 30 + 1 - 0 = 31. The slot at 50 has the
    # number 5 although the one at 40 is missing: process 2, free since 26.
    scheme = on_link.harq_processes(rtt_ns=5, processes=3, retransmission="synchronous", slot_time_ns=10)
    rows, counts = converted(scheme, [0, 10, 20, 30, 50], [0, 1, 1, 1, 1])
    assert rows == [(0, 31, True, 2), (10, 1, True, 1), (20, 1, True, 1), (50, 1, True, 1)]
    assert counts.stalled_slots == 0


def test_harq_processes__give_up_after_the_last_transmission() -> None:
    # Sent at 0 and, on the NACK at 0 + 1 + 2, at 3: given up 1 later, at 4.
    scheme = on_link.harq_processes(rtt_ns=2, processes=1, max_transmissions=2, detection_delay_ns=1)
    rows, _ = converted(scheme, list(range(7)), [0, 1, 1, 0, 1, 1, 7])
    assert rows == [(0, 4, False, 2), (6, 7, True, 1)]


def test_harq_processes__repeat_what_was_decoded_when_all_feedback_is_missed() -> None:
    scheme = on_link.harq_processes(rtt_ns=0, processes=1, max_transmissions=2, missed_feedback=1)
    rows, _ = converted(scheme, [0, 10, 20, 30], [4, 4, 4, 4])
    assert rows == [(0, 4, True, 2), (20, 4, True, 2)]


def test_harq_processes__lose_the_lldu_whose_nack_is_read_as_an_ack() -> None:
    scheme = on_link.harq_processes(
        rtt_ns=0, processes=1, max_transmissions=2, false_feedback=1, detection_delay_ns=3
    )
    rows, _ = converted(scheme, [0, 10, 20], [0, 4, 4])
    assert rows == [(0, 3, False, 1), (10, 4, True, 2)]


def test_harq_processes__with_feedback_off_send_every_lldu_k_times() -> None:
    # The first decoded copy delivers: 10 + 4 - 0. Both copies of the second are erased: given up 1 after the
    # second, 30 + 1 - 20. The trace ends after one copy of the third.
    scheme = on_link.harq_processes(rtt_ns=500, repetitions=2, detection_delay_ns=1)
    rows, counts = converted(scheme, [0, 10, 20, 30, 40], [0, 4, 0, 0, 0])
    assert rows == [(0, 14, True, 2), (20, 11, False, 2), (40, -1, False, 1)]
    assert (counts.retransmission_slots, counts.stalled_slots) == (2, 0)


def test_sliding_window__recovers_an_lldu_by_a_later_repair_lldu() -> None:
    # W = 4, k = 2: slots carry s0 s1 r0 s2 s3 r1. Slots 1 and 2 are erased. r1 covers s0 to s3, of which only
    # s1 is unknown: recovered at 5 + 1, 5 after slot 1.
    rows, counts = converted(SlidingWindow(4, 2), list(range(6)), [1, 0, 0, 1, 1, 1])
    assert rows == [(0, 1, True, 1), (1, 5, True, 1), (3, 1, True, 1), (4, 1, True, 1)]
    assert (counts.data_rows, counts.repair_slots) == (4, 2)


def test_sliding_window__solves_two_equations_for_two_lldus() -> None:
    # W = 4, k = 2. s1 and s2 are erased; r0 = f(s0, s1) gives s1 at 2 + 1, r1 = g(s0 .. s3) then s2 at 5 + 1.
    # With both repair LLDUs late by 10, s2 still waits for r1, at 5 + 11.
    rows, _ = converted(SlidingWindow(4, 2), list(range(6)), [1, 0, 1, 0, 1, 1])
    assert rows[1:3] == [(1, 2, True, 1), (3, 3, True, 1)]
    rows, _ = converted(SlidingWindow(4, 2), list(range(6)), [1, 0, 11, 0, 1, 11])
    assert rows[1:3] == [(1, 12, True, 1), (3, 13, True, 1)]


def test_sliding_window__loses_what_leaves_the_window_of_2_w_lldus() -> None:
    # W = 1, k = 1: s0 r0 s1 r1 s2. Slots 0 and 1 are erased. The arrival of s2, at 4 + 1, moves the window to
    # s1 and s2: s0 is lost 5 after slot 0. Until s2 arrives it is open.
    rows, _ = converted(SlidingWindow(1, 1), list(range(5)), [0, 0, 1, 1, 1])
    assert rows == [(0, 5, False, 1), (2, 1, True, 1), (4, 1, True, 1)]
    rows, counts = converted(SlidingWindow(1, 1), list(range(5)), [0, 0, 1, 1, 0])
    assert [row[1] for row in rows] == [-1, 1, -1]
    assert counts.unsettled == 2


def test_tetrys__asks_for_a_repair_lldu_and_stalls_while_its_window_is_full() -> None:
    # W = 2, k = 2, RTT 2: s0 s1 r0 s2 r1 - - s3. Slots 1 and 2 are erased. At 3 the sender knows that s1 is,
    # but r0 may still arrive. At 4 it knows better, and r1 brings s1 at 5. At 7 it knows of s1 and s2.
    rows, counts = converted(on_link.tetrys(2, 2, 2), list(range(8)), [1, 0, 0, 1, 1, 1, 1, 1])
    assert rows == [(0, 1, True, 1), (1, 4, True, 1), (3, 1, True, 1), (7, 1, True, 1)]
    assert (counts.data_rows, counts.repair_slots, counts.stalled_slots) == (4, 2, 2)


def test_rlc__retransmits_after_gap_timer_and_report_and_delivers_in_order() -> None:
    # Slots of 10, decoding 1, RTT 15, t-Reassembly 5. Segment 1, of slot 10, is erased. Segment 2 arrives at
    # 21: the timer ends at 26, the report reaches the sender at 41, slot 50 retransmits: 50 + 1 - 10 = 41.
    # Segments 2, 3 and 4, of slots 20, 30 and 40, wait until 51. Slot 60 carries segment 5. The timer runs
    # again from 31 to 36 and from 41 to 46, but the next report may not be sent before 26 + 30.
    scheme = on_link.rlc(rtt_ns=15, reassembly_ns=5, status_prohibit_ns=30)
    rows, counts = converted(scheme, list(range(0, 70, 10)), [1, 0, 1, 1, 1, 1, 1])
    assert rows == [
        (0, 1, True, 1),
        (10, 41, True, 2),
        (20, 31, True, 1),
        (30, 21, True, 1),
        (40, 11, True, 1),
        (60, 1, True, 1),
    ]
    assert counts.retransmission_slots == 1
    scheme = on_link.rlc(rtt_ns=15, reassembly_ns=5, status_prohibit_ns=30, delivery="any-order")
    rows, _ = converted(scheme, list(range(0, 70, 10)), [1, 0, 1, 1, 1, 1, 1])
    assert [row[1] for row in rows] == [1, 41, 1, 1, 1, 1]


def test_rlc__polls_before_its_window_is_full_and_then_stalls() -> None:
    # Window of 2. Segment 1 polls, because no new segment may follow; it arrives at 10 + 1, its answer at
    # 11 + 15 = 26. Slot 20 stalls; slots 30 and 40 carry segments 2 and 3.
    rows, counts = converted(on_link.rlc(rtt_ns=15, window_pdus=2), [0, 10, 20, 30, 40], [1] * 5)
    assert rows == [(0, 1, True, 1), (10, 1, True, 1), (30, 1, True, 1), (40, 1, True, 1)]
    assert counts.stalled_slots == 1


def test_rlc__polls_again_when_the_poll_was_lost() -> None:
    # Window of 1: segment 0 polls in slot 0 and is erased. Nothing else arrives, so there is no report.
    # t-PollRetransmit ends at 25: slot 30 sends it again, and it arrives at 31.
    rows, counts = converted(
        on_link.rlc(rtt_ns=5, window_pdus=1, poll_retransmit_ns=25), [0, 10, 20, 30, 40], [0, 1, 1, 1, 1]
    )
    assert rows == [(0, 31, True, 2), (40, 1, True, 1)]
    assert (counts.stalled_slots, counts.retransmission_slots) == (2, 1)


def test_rlc__answers_a_waiting_poll_and_a_gap_in_one_report() -> None:
    # Segment 1 arrives at 11 with a poll (two new segments), which waits; the timer of the gap ends at 16.
    # The report of 16 answers both. Slot 20 repeats segment 0 and loses it again. The next report could not
    # leave before 46, and nothing asks for one: nobody gives segment 0 up.
    scheme = on_link.rlc(
        rtt_ns=0, reassembly_ns=5, status_prohibit_ns=30, window_pdus=3, poll_pdus=2, max_retransmissions=1
    )
    rows, counts = converted(scheme, [0, 10, 20, 30, 40], [0, 1, 0, 0, 1])
    assert rows == [(0, -1, False, 2), (10, -1, False, 1), (30, -1, False, 1)]
    assert (counts.retransmission_slots, counts.stalled_slots, counts.lost) == (1, 1, 0)


def test_rlc__answers_the_poll_of_a_duplicate_at_once() -> None:
    # Window of 2. Segment 0 is erased; segment 1 polls, because no new segment may follow, and arrives at
    # 11. The poll waits for the gap's timer, until 51. t-PollRetransmit ends at 25: slot 30 sends segment 1
    # again, and the duplicate's poll is answered at 31, with nothing to acknowledge. So the report of the gap
    # waits from 51 to 131: slot 60 sends segment 1 a third time (t-PollRetransmit has ended at 45), slot 140
    # repeats segment 0.
    scheme = on_link.rlc(
        rtt_ns=0, reassembly_ns=40, status_prohibit_ns=100, window_pdus=2, poll_retransmit_ns=15
    )
    rows, counts = converted(scheme, [0, 10, 20, 30, 60, 140], [0, 1, 1, 1, 1, 1])
    assert rows == [(0, 141, True, 2), (10, 131, True, 3)]
    assert (counts.retransmission_slots, counts.stalled_slots) == (3, 1)


def test_rlc__gives_up_after_the_last_retransmission() -> None:
    # As in the first example without retransmissions: the report that arrives at 41 ends segment 1, 41 - 10.
    rows, counts = converted(
        on_link.rlc(rtt_ns=15, reassembly_ns=5, max_retransmissions=0), [0, 10, 20, 30, 50], [1, 0, 1, 1, 1]
    )
    assert rows == [
        (0, 1, True, 1),
        (10, 31, False, 1),
        (20, 21, True, 1),
        (30, 11, True, 1),
        (50, 1, True, 1),
    ]
    assert counts.lost == 1


def test_rlc__in_unacknowledged_mode_gives_a_gap_up_when_its_timer_ends() -> None:
    # Segment 2 arrives at 21 and waits until 26; segment 1 is lost then.
    scheme = on_link.rlc(rtt_ns=15, reassembly_ns=5, mode="unacknowledged")
    rows, counts = converted(scheme, [0, 10, 20, 30], [1, 0, 1, 1])
    assert rows == [(0, 1, True, 1), (10, 16, False, 1), (20, 6, True, 1), (30, 1, True, 1)]
    assert (counts.lost, counts.retransmission_slots) == (1, 0)


def test_rlc_over_harq_processes__repairs_what_harq_gives_up() -> None:
    # One transmission by HARQ, one process, feedback after 1: RLC sees the slots of the first example.
    scheme = on_link.rlc_over(
        HarqProcesses, rtt_ns=0, processes=1, max_transmissions=1, reassembly_ns=5, poll_retransmit_ns=100
    )
    rows, counts = converted(scheme, list(range(0, 70, 10)), [1, 0, 1, 1, 1, 1, 1])
    # The report arrives at 26: slot 30 retransmits, 30 + 1 - 10 = 21.
    assert rows[:3] == [(0, 1, True, 1), (10, 21, True, 2), (20, 11, True, 1)]
    assert (counts.slots, counts.retransmission_slots, counts.stalled_slots) == (7, 1, 0)


def test_rlc_over_tetrys__delivers_in_order_what_a_repair_unit_recovers() -> None:
    # W = 2: slots 20 and 50 are stalls. The sender knows at 28 that segment 0 has arrived, and at 35 that
    # segment 1 is erased: slot 30 carries segment 2, slot 40 a repair unit. Segment 2 arrives at 33 and waits
    # until 43.
    scheme = on_link.rlc_over(Tetrys, coding_window=2, repair_interval=9, rtt_ns=25, reassembly_ns=1_000)
    rows, counts = converted(scheme, list(range(0, 60, 10)), [3, 0, 3, 3, 3, 3])
    assert rows == [(0, 3, True, 1), (10, 33, True, 1), (30, 13, True, 1)]
    assert (counts.slots, counts.repair_slots, counts.retransmission_slots, counts.stalled_slots) == (
        6,
        1,
        0,
        2,
    )


def test_sizes__are_those_of_the_slots_of_first_transmission() -> None:
    # The slot at 30, of 400 bytes, retransmits the LLDU of 20 bytes of the slot at 10. 100 + 20 + 300 of the
    # 100 + 20 + 300 + 400 bytes sent are delivered.
    converter = on_link.arq(rtt_ns=20).converter()
    rows = converter.feed(phy_trace([0, 10, 20, 30], [4, 0, 4, 4], [100, 20, 300, 400]))
    assert len(converter.finish()) == 0
    assert rows.size_bytes.tolist() == [100, 20, 300]
    assert converter.counts.efficiency == 420 / 820


def test_sizes__of_repair_slots_and_of_the_dropped_tail_are_in_no_row() -> None:
    # Blocks of 2 + 1: slot 2 is repair, slots 3 and 4 begin a block that the trace cuts short.
    converter = Fec(data=2, repair=1).converter()
    rows = converter.feed(phy_trace(list(range(5)), [1] * 5, [1, 2, 3, 4, 5]))
    assert rows.size_bytes.tolist() == [1, 2]
    assert converter.counts.efficiency == 3 / 6
