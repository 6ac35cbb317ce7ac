"""Handovers in PHY traces: the outage of the trace is the asked one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tmt import Handover
from tmt.core.generate import lay_over
from tmt.core.trace import PhyTrace
from tmt.io import read_trace
from tmt.io.generation import generate, overlay
from tmt.spec.slot_line import SlotLine

MS = 10**6
S = 10**9


def line(slots: int = 60_000, **columns: Any) -> PhyTrace:
    """Slots of 1 ms, decoded after 5 ms."""
    return PhyTrace(np.arange(slots) * MS, np.full(slots, 5 * MS), **columns)


def passed(channel: Handover, trace: PhyTrace, pieces: int = 1) -> PhyTrace:
    own = channel.realisation(1)
    cuts = np.array_split(np.arange(len(trace)), pieces)
    parts = [
        lay_over(PhyTrace(**{c.name: getattr(trace, c.name)[cut] for c in trace.columns}), own)
        for cut in cuts
    ]
    names = [column.name for column in trace.columns]
    return PhyTrace(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def outage(time_ns: Any) -> Any:
    """Whether a time is in the first 100 ms after 15, 30 and 45 s."""
    return (time_ns >= 15 * S) & (time_ns % (15 * S) < 100 * MS)


def test_kept__has_no_slot_in_an_outage_and_every_other_one() -> None:
    trace = passed(Handover(15, outage=0.1), line())
    assert len(trace) == 60_000 - 3 * 100
    assert trace.tx_time_ns.tolist() == [t for t in range(0, 60 * S, MS) if not outage(t)]
    # The time without a slot is the outage, beyond the slot before it.
    gaps_ns = np.diff(trace.tx_time_ns)
    assert gaps_ns[gaps_ns > MS].tolist() == [100 * MS + MS] * 3


def test_lost__erases_the_slots_of_an_outage() -> None:
    trace = passed(Handover(15, outage=0.1, queue="lost"), line())
    assert np.array_equal(trace.decode_time_ns == 0, outage(trace.tx_time_ns))
    assert len(trace) == 60_000


def test_late__delivers_the_slots_of_an_outage_at_its_end() -> None:
    slots = line()
    slots.decode_time_ns[15_050] = 0
    trace = passed(Handover(15, outage=0.1, queue="late"), slots)
    arrival_ns = trace.tx_time_ns + trace.decode_time_ns
    expected = [15_105 * MS if 15_000 <= i < 15_100 else (i + 5) * MS for i in range(15_000, 15_200)]
    expected[50] = 15_050 * MS  # erased before
    assert arrival_ns[15_000:15_200].tolist() == expected


def test_capacity__changes_with_each_handover_in_turn() -> None:
    channel = Handover(times=(10, 20, 30, 40), capacity=(1, 0.5, 0.25))
    trace = passed(channel, line(50_000))
    counts = np.bincount(trace.tx_time_ns // (10 * S))
    assert counts.tolist() == [10_000, 5_000, 2_500, 10_000, 5_000]


@pytest.mark.parametrize("pieces", [2, 7, 1000])
def test_slots__do_not_depend_on_the_pieces(pieces: int) -> None:
    channel = Handover(7, first=3, outage=0.25, capacity=(0.9, 0.3, 0.71))
    sizes = np.arange(60_000, dtype=np.uint32) + 1
    whole, cut = (passed(channel, line(size_bytes=sizes), number) for number in (1, pieces))
    for name in ("tx_time_ns", "decode_time_ns", "size_bytes"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name))
    assert whole.size_bytes is not None
    # Sizes stay with their slots.
    assert np.array_equal(whole.tx_time_ns, (whole.size_bytes.astype(np.int64) - 1) * MS)


def test_first__is_the_first_handover() -> None:
    number, since_ns = Handover(15, first=12).since(np.array([0, 11, 12, 26, 27, 42]) * S)
    assert number.tolist() == [0, 0, 1, 1, 2, 3]
    assert since_ns.tolist() == [-1, -1, 0, 14 * S, 0, 0]


def test_files__keep_their_length(tmp_path: Path) -> None:
    channel = Handover(2, outage=1)
    slots, _ = SlotLine(5, slot_interval=0.001).line(channel)
    assert generate(tmp_path / "a.parquet", channel, slots, duration_ns=5 * S, seed=1) == 3000
    made = read_trace(tmp_path / "a.parquet")
    assert made.metadata["length_ns"] == 5 * S
    assert made.metadata["generator"]["channel"] == "handover"
    again = Handover(times=(0.5,), outage=0.25)
    assert overlay(tmp_path / "a.parquet", tmp_path / "b.parquet", again, seed=1) == 2750
