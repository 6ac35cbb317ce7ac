"""Refusals of parameters name the parameter, its value and the allowed ones; schemes know their names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tmt.core.converter import Counts
from tmt.core.declaration import Refused
from tmt.core.schemes.arq import Arq
from tmt.core.schemes.fec import Fec
from tmt.core.schemes.harq import Harq
from tmt.core.schemes.harq_processes import HarqProcesses
from tmt.core.schemes.none import NoScheme
from tmt.core.schemes.online_only import GoBackN, Hybrid
from tmt.core.schemes.registry import SCHEMES
from tmt.core.schemes.rlc import Rlc
from tmt.core.schemes.scheme import Scheme
from tmt.core.schemes.sliding_window import SlidingWindow
from tmt.core.schemes.tetrys import Tetrys


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: NoScheme(detection_delay=-1),
            "detection_delay: -1 is not allowed; allowed: a number",
        ),
        (
            lambda: Arq(max_transmissions=0),
            'max_transmissions: 0 is .* 1 to 2147483647, or "none": never',
        ),
        (lambda: Fec(data=0, repair=1), "data: 0 is not allowed; allowed: a whole number from 1 to 65535"),
        (lambda: Fec(data=1, repair=-1), "repair: -1 is not"),
        (lambda: Fec(data=1, repair=1, depth=0), "depth: 0 is not"),
        (
            lambda: Fec(data=1000, repair=24, depth=64),
            "depth: 64 makes too long a run; .* 65535 slots",
        ),
        (lambda: Harq(data=1, repair=1, extra=-1), "extra: -1 is not"),
        (lambda: Harq(data=1, repair=1, rounds=-1), "rounds: -1 is not"),
        (lambda: HarqProcesses(processes=0), "processes: 0 is not"),
        (
            lambda: HarqProcesses(retransmission="never"),
            "retransmission: 'never' .* asynchronous, synch",
        ),
        (lambda: HarqProcesses(missed_feedback=1.5), "missed_feedback: 1.5 is not"),
        (
            lambda: HarqProcesses(missed_feedback=0.7, false_feedback=0.4),
            "false_feedback: 0.4 .* at most 1",
        ),
        (
            lambda: HarqProcesses(slot_time=5),
            'slot_time: 5 has no .*; allowed: retransmission = "synch',
        ),
        (lambda: HarqProcesses(repetitions=0), "repetitions: 0 is not"),
        (lambda: HarqProcesses(repetitions=2, false_feedback=0.1), "repetitions: 2 turns feedback off"),
        (lambda: SlidingWindow(coding_window=1025, repair_interval=1), "coding_window: 1025 is not"),
        (lambda: SlidingWindow(coding_window=1, repair_interval=0), "repair_interval: 0 is not"),
        (lambda: Tetrys(coding_window=0, repair_interval=1), "coding_window: 0 is not"),
        (lambda: Tetrys(coding_window=1, repair_interval=65_536), "repair_interval: 65536 is not"),
        (lambda: Rlc(mode="acknowleged"), "mode: 'acknowleged' .*; did you mean acknowledged\\?"),
        (lambda: Rlc(window_pdus=0), "window_pdus: 0 is not"),
        (lambda: Rlc(poll_pdus=0), "poll_pdus: 0 is not"),
        (lambda: Rlc(max_retransmissions=-1), "max_retransmissions: -1 is not"),
        (
            lambda: Rlc(below=Rlc()),
            "below.name: 'rlc' .*: a scheme that converts traces, other than",
        ),
        (lambda: Rlc(below=Arq(online=True)), "below.online: true does not go"),
        (lambda: Hybrid(data=0, online=True), "data: 0 is not"),
        (lambda: Hybrid(persistency=-1, online=True), "persistency: -1 is not"),
        (Hybrid, "online: false is not possible: hybrid converts no traces; allowed: true"),
        (
            lambda: HarqProcesses(feedback_seed=3, online=True),
            "feedback_seed: 3 has no meaning: the seed",
        ),
        (lambda: GoBackN(window_frames=0, online=True), "window_frames: 0 is not"),
        (lambda: Harq(data=1.5, repair=1), "data: 1.5 is not allowed; allowed: a whole number"),  # type: ignore[arg-type]
        (lambda: Harq(data=True, repair=1), "data: true is not"),
    ],
)
def test_parameters__are_refused_by_name(make: Callable[[], Scheme], said: str) -> None:
    with pytest.raises(Refused, match=said):
        make()


def test_all_wrong_parameters__are_named_at_once() -> None:
    with pytest.raises(Refused) as refused:
        Fec(data=0, repair=-1, depth=2)
    assert [one.place for one in refused.value.problems] == [("data",), ("repair",)]


def test_values__are_printed_as_they_are_written_and_compared_by_what_they_say() -> None:
    scheme = Rlc(below=Harq(10, 2), reassembly=0.1 + 0.2)
    assert repr(scheme) == "Rlc(below=Harq(data=10, repair=2), reassembly=0.3)"
    assert eval(repr(scheme)) == scheme
    assert len({scheme, Rlc(below=Harq(10, 2), reassembly=0.3), Rlc()}) == 2


def test_go_back_n__cannot_repeat_before_the_feedback() -> None:
    scheme = GoBackN(window_frames=1, detection_delay=0.4, repeat_after=0.8, online=True)
    assert list(scheme.on_link(0.5)) == [("repeat_after", "at least the feedback delay, 0.9 s")]
    assert not list(scheme.on_link(0.4))


def test_labels__are_those_of_the_papers() -> None:
    schemes = [
        NoScheme(),
        Fec(10, 2),
        Fec(10, 2, depth=8),
        Arq(),
        Arq(max_transmissions=3),
        Harq(38, 13),
        HarqProcesses(),
        HarqProcesses(repetitions=2),
        SlidingWindow(32, 8),
        Tetrys(256, 16),
        Rlc(),
        Rlc(Arq(), mode="unacknowledged"),
        Rlc(HarqProcesses(processes=32)),
        Rlc(Tetrys(256, 16)),
        Hybrid(10, 1, persistency=3, online=True),
        GoBackN(window_frames=10, online=True),
        GoBackN(persistency=2, window_frames=10, online=True),
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
    assert Rlc(HarqProcesses()).full_name == "rlc-over-harq-processes"


def test_registry__knows_every_scheme_by_its_name() -> None:
    converting = {name for name, kind in SCHEMES.items() if kind.converts}
    assert SCHEMES.keys() - converting == {"hybrid", "go-back-n"}
    assert all(kind.name == name for name, kind in SCHEMES.items())


def test_counts__stop_a_conversion_that_lost_a_slot_or_a_row() -> None:
    good = {"slots": 12, "data_rows": 8, "repair_slots": 3, "retransmission_slots": 0, "dropped_tail": 1}
    Counts(**good, delivered=5, lost=2, unsettled=1).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**good, delivered=5, lost=2, unsettled=0).check()
    with pytest.raises(AssertionError, match="lost count"):
        Counts(**{**good, "repair_slots": 4}, delivered=5, lost=2, unsettled=1).check()
