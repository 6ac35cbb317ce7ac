"""Refusals of parameters name the parameter, its value and the allowed ones; schemes know their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tmt.core.counts import Counts
from tmt.core.errors import UsageError
from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.online_only import GoBackN, Hybrid
from tmt.core.schemes.registry import ALL_SCHEMES, ONLINE_SCHEMES, SCHEMES
from tmt.core.schemes.rlc import Rlc, RlcOverArq, RlcOverHarqProcesses, RlcOverTetrys
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys

if TYPE_CHECKING:
    from collections.abc import Callable

    from tmt.core.schemes.parameters import OnlineScheme


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: NoScheme(detection_delay_ns=-1), "detection_delay_ns is -1"),
        (lambda: Arq(rtt_ns=-5), "rtt_ns is -5"),
        (lambda: Arq(rtt_ns=2**62), "rtt_ns is 4611686018427387904"),
        (lambda: Arq(rtt_ns=0, max_transmissions=0), "max_transmissions is 0"),
        (lambda: Fec(data=0, repair=1), "data is 0"),
        (lambda: Fec(data=1, repair=-1), "repair is -1"),
        (lambda: Fec(data=1, repair=1, depth=0), "depth is 0"),
        (lambda: Fec(data=1000, repair=24, depth=64), "65536 slots"),
        (lambda: Harq(data=1, repair=1, rtt_ns=0, extra=-1), "extra is -1"),
        (lambda: Harq(data=1, repair=1, rtt_ns=0, rounds=-1), "rounds is -1"),
        (lambda: HarqProcesses(rtt_ns=0, processes=0), "processes is 0"),
        (lambda: HarqProcesses(rtt_ns=0, retransmission="never"), "retransmission is 'never'"),
        (lambda: HarqProcesses(rtt_ns=0, missed_feedback=1.5), "missed_feedback is 1.5"),
        (lambda: HarqProcesses(rtt_ns=0, missed_feedback=0.7, false_feedback=0.4), "are 1.1 together"),
        (lambda: HarqProcesses(rtt_ns=0, slot_time_ns=5), "slot_time_ns is 5"),
        (lambda: HarqProcesses(rtt_ns=0, repetitions=0), "repetitions is 0"),
        (lambda: HarqProcesses(rtt_ns=0, repetitions=2, false_feedback=0.1), "turns feedback off"),
        (lambda: SlidingWindow(coding_window=1025, repair_interval=1), "coding_window is 1025"),
        (lambda: SlidingWindow(coding_window=1, repair_interval=0), "repair_interval is 0"),
        (lambda: Tetrys(coding_window=0, repair_interval=1, rtt_ns=0), "coding_window is 0"),
        (lambda: Tetrys(coding_window=1, repair_interval=65_536, rtt_ns=0), "repair_interval is 65536"),
        (lambda: Tetrys(coding_window=1, repair_interval=1, rtt_ns=-1), "rtt_ns is -1"),
        (lambda: Rlc(rtt_ns=0, rlc_mode="AM"), "rlc_mode is 'AM'; it must be one of acknowledged"),
        (lambda: Rlc(rtt_ns=0, rlc_window=0), "rlc_window is 0"),
        (lambda: Rlc(rtt_ns=0, poll_pdus=0), "poll_pdus is 0"),
        (lambda: Rlc(rtt_ns=0, max_retransmissions=-1), "max_retransmissions is -1"),
        (lambda: RlcOverHarqProcesses(rtt_ns=0, processes=0), "processes is 0"),
        (lambda: Hybrid(rtt_ns=0, data=0), "data is 0"),
        (lambda: Hybrid(rtt_ns=0, persistency=-1), "persistency is -1"),
        (lambda: GoBackN(rtt_ns=0, window_frames=0), "window_frames is 0"),
        (
            lambda: GoBackN(rtt_ns=5, window_frames=1, detection_delay_ns=4, repeat_after_ns=8),
            "repeat_after_ns is 8; it must be 0, or at least the feedback delay, 9",
        ),
        (lambda: Harq(data=1.5, repair=1, rtt_ns=0), "data is 1.5"),  # type: ignore[arg-type]
        (lambda: Harq(data=True, repair=1, rtt_ns=0), "data is True"),
    ],
)
def test_parameters__are_refused_by_name(make: Callable[[], OnlineScheme], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()


def test_labels__are_those_of_the_papers() -> None:
    schemes = [
        NoScheme(),
        Fec(10, 2),
        Fec(10, 2, depth=8),
        Arq(0),
        Arq(0, max_transmissions=3),
        Harq(38, 13, 0),
        HarqProcesses(0),
        HarqProcesses(0, repetitions=2),
        SlidingWindow(32, 8),
        Tetrys(256, 16, 0),
        Rlc(rtt_ns=0),
        RlcOverArq(rtt_ns=0, rlc_mode="unacknowledged"),
        RlcOverHarqProcesses(rtt_ns=0, processes=32),
        RlcOverTetrys(256, 16, rtt_ns=0),
        Hybrid(0, 10, 1, persistency=3),
        GoBackN(0, window_frames=10),
        GoBackN(0, persistency=2, window_frames=10),
    ]
    assert [scheme.label for scheme in schemes] == [
        "none",
        "FEC(10/12)",
        "FEC(10/12) x 8",
        "ARQ",
        "ARQ(max 3)",
        "HARQ(38/51)",
        "HARQ-processes(16)",
        "HARQ-processes(off x 2)",
        "Sliding-window(32, 1 per 8)",
        "Tetrys(256, 1 per 16)",
        "RLC(AM)",
        "RLC-over-ARQ(UM)",
        "RLC-over-HARQ-processes(32, AM)",
        "RLC-over-Tetrys(256, 1 per 16, AM)",
        "Hybrid(10/11, persistency 3)",
        "GBN(10)",
        "GBN(10, persistency 2)",
    ]


def test_registry__knows_every_scheme_by_its_name() -> None:
    assert {
        "none",
        "fec",
        "arq",
        "harq",
        "harq-processes",
        "sliding-window",
        "tetrys",
    } <= SCHEMES.keys() & ONLINE_SCHEMES.keys()
    assert SCHEMES.keys() <= ONLINE_SCHEMES.keys() == ALL_SCHEMES.keys()
    assert all(scheme.name == name for name, scheme in ALL_SCHEMES.items())


def test_counts__stop_a_conversion_that_lost_a_slot_or_a_row() -> None:
    good = {"slots": 12, "data_rows": 8, "repair_slots": 3, "retransmission_slots": 0, "dropped_tail": 1}
    Counts(**good, delivered=5, lost=2, unsettled=1).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**good, delivered=5, lost=2, unsettled=0).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**{**good, "repair_slots": 4}, delivered=5, lost=2, unsettled=1).check()
