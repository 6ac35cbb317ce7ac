"""Bounds of erasures and losses that a log leaves open: hand arithmetic, a slow twin, and measured files."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.importers.attempts import WITHOUT_PROCESS_NS, Attempt, infer_failures, number_blocks
from tmt.importers.fate_bounds import erasure_notes, loss_notes
from tmt.importers.harq_logs import measurement

MS = 1_000_000
HEADER = "DL/UL\ttime\tcellId\trnti\tccId\ttbSize\trv\tcorrupt\n"


def sent(time_ms: float, failed: bool | None, version: int = 0, size: int = 100, **more: object) -> Attempt:
    return Attempt(1, round(time_ms * MS), size, failed, version > 0, version=version, **more)


def blocks_log(folder: Path, *rows: tuple[float, int, int, int]) -> Path:
    """Write a log of ns-3 mmWave: time in ms, size, redundancy version, corrupt."""
    lines = [
        f"DL\t{ms / 1000}\t1\t1\t0\t{size}\t{version}\t{corrupt}\n" for ms, size, version, corrupt in rows
    ]
    (folder / "RxPacketTrace.txt").write_text(HEADER + "".join(lines))
    return folder / "RxPacketTrace.txt"


def least_lost(rest: list[Attempt], blocks: tuple[tuple[int, bool, bool], ...] = ()) -> int:
    """Slow twin: give each repeat to every block in turn that failed at most 20 ms before, or to none.

    A block is its last time, and whether an attempt failed and one was decoded.
    """
    if not rest:
        return sum(not decoded for _, _, decoded in blocks)
    one, new = rest[0], (rest[0].time_ns, bool(rest[0].failed), not rest[0].failed)
    found = [least_lost(rest[1:], (*blocks, new))]
    for at, (time_ns, failed, decoded) in enumerate(blocks):
        if one.repeat and failed and one.time_ns - time_ns <= WITHOUT_PROCESS_NS:
            joined = (one.time_ns, True, decoded or not one.failed)
            found.append(least_lost(rest[1:], (*blocks[:at], joined, *blocks[at + 1 :])))
    return min(found)


@pytest.mark.parametrize("seed", range(150))
def test_pairing__by_order_leaves_the_fewest_losses(seed: int) -> None:
    """The end of the log is far away, so that no failure is open."""
    source = np.random.default_rng(seed)
    time_ms, attempts = 0, list[Attempt]()
    drawn = source.integers((0, 0, 0, 1), (10, 2, 2, 3), (source.integers(1, 8), 4))
    for step, failed, repeat, size in drawn.tolist():
        time_ms += step
        attempts.append(Attempt(1, time_ms * MS, size, bool(failed), bool(repeat)))
    attempts.append(Attempt(1, (time_ms + 1000) * MS, 1, failed=False))
    lost = {
        pairing: (
            ~measurement(attempts, number_blocks(attempts, pairing=pairing), "link", 1).trace.delivered
        ).sum()
        for pairing in ("size", "order")
    }
    assert lost["order"] == least_lost(attempts) <= lost["size"]


def test_inferred__losses_are_at_most_the_blocks_of_most_attempts() -> None:
    """By hand: three blocks of 1, 2 and 2 attempts; two may have been given up after the second one."""
    attempts = [sent(ms, None, number, process=process) for ms, number, process in (
        (0, 0, 0), (1, 0, 1), (2, 0, 2), (8, 1, 0), (9, 1, 1), (200, 0, 3),
    )]  # fmt: skip
    blocks = number_blocks(attempts)
    infer_failures(attempts, blocks)
    times = [attempt.time_ns for attempt in attempts]
    rule = "; a block of 2 attempts, as many as any has, may have been given up"
    assert erasure_notes(attempts, blocks) == [
        "the log cannot tell how many of 6 attempts are erased: at least 2, at most 4; erased here: 2" + rule
    ]
    bounds = "the log cannot tell how many of 4 blocks are lost: at least 0, at most {}; lost here: 0" + rule
    assert loss_notes(np.array(times), attempts, blocks) == [bounds.format(2)]
    # A repeat without a first attempt: the log has holes, and as many repeats are taken to be missing.
    blocks.orphans = 1
    holes = "; 1 first attempt is missing from the log, and as many repeats may be"
    assert loss_notes(np.array(times), attempts, blocks)[0] == bounds.format(3) + holes
    assert "at least 2, at most 5; " in erasure_notes(attempts, blocks)[0]


def test_logged__losses_are_fewer_where_repeats_may_be_missing() -> None:
    """By hand: processes 0 and 1 fail once and take new blocks; process 2 begins with a repeat."""
    attempts = [
        sent(0, True, process=0),
        sent(1, True, process=1),
        sent(2, False, 1, process=2),
        sent(8, False, process=0),
        sent(9, False, process=1),
    ]
    blocks = number_blocks(attempts)
    notes = loss_notes(np.array([attempt.time_ns for attempt in attempts]), attempts, blocks)
    assert notes[0] == (
        "the log cannot tell how many of 5 blocks are lost: at least 1, at most 2; lost here: 2; 1 "
        "first attempt is missing from the log, and as many repeats may be"
    )
    assert erasure_notes(attempts, blocks) == []


def test_guesses__count_on_both_sides() -> None:
    """By hand: an answer that did not come (DTX) may hide a decoded block, a missing one a failed block."""
    attempts = [
        sent(0, True, process=0),
        sent(1, False, process=1),
        sent(8, False, process=0),
        sent(300, False, process=1),
    ]
    attempts[0].sure = attempts[1].sure = False
    blocks = number_blocks(attempts)
    assert erasure_notes(attempts, blocks) == [
        "the log cannot tell how many of 4 attempts are erased: at least 0, at most 2; erased here: 1"
    ]
    assert loss_notes(np.array([attempt.time_ns for attempt in attempts]), attempts, blocks) == [
        "the log cannot tell how many of 4 blocks are lost: at least 0, at most 2; lost here: 1"
    ]


def test_pairing__by_size_and_by_order_are_both_bounds(tmp_path: Path) -> None:
    """By hand: 1000 bytes fail at 1 ms, a repeat of 800 bytes is decoded at 3 ms; the log goes on for 0.2 s.

    By size the block is lost and the repeat an orphan; by order it is delivered 2 ms later, plus 1 ms of
    decoding.
    """
    path = blocks_log(tmp_path, (1, 1000, 0, 1), (2, 1000, 0, 0), (3, 800, 1, 0), (203, 1000, 0, 0))
    by_size = import_trace("ns3-nr", path, as_="link")
    assert by_size.delivered.tolist() == [False, True, True, True]
    assert by_size.size_bytes.tolist() == [1000, 1000, 800, 1000]
    bounds = (
        "the log cannot tell how many of {} blocks are lost: at least 0 (--pairing order), at most 1 "
        "(--pairing size); lost here: {}"
    )
    assert by_size.metadata["notes"] == [
        "the log tells no HARQ processes: a repeat is taken for one of a failed block of its size in the 20 "
        "ms before (--pairing size)",
        bounds.format(4, 1),
        "1 block is counted as lost although an orphan repeat follows: compare with --pairing order, and "
        "with --as phy",
        "1 block begins with a repeat (orphan), the first attempt is not known: delay and "
        "transmissions are lower bounds",
    ]
    by_order = import_trace("ns3-nr", path, as_="link", pairing="order")
    assert by_order.delivered.tolist() == [True, True, True]
    assert (by_order.delay_ns / MS).tolist() == [3, 1, 1]
    assert by_order.transmissions.tolist() == [2, 1, 1]
    assert by_order.metadata["notes"][1:] == [bounds.format(3, 0)]


def test_pairing__of_a_log_that_tells_all_leaves_nothing_open(tmp_path: Path) -> None:
    path = blocks_log(tmp_path, (1, 1000, 0, 1), (2, 1000, 1, 0), (3, 50, 0, 1), (203, 50, 0, 0))
    notes = import_trace("ns3-nr", path, as_="link").metadata["notes"]
    assert len(notes) == 1
    assert notes[0].endswith("(--pairing size)")
    assert import_trace("ns3-nr", path).metadata["notes"] == []


def test_mmwave_sample__has_the_losses_that_a_few_lines_count(measured_data: Path) -> None:
    """Each repeat goes to the oldest failure of the 20 ms before; those of the last 100 ms are open."""
    path = measured_data / "formats" / "ns3mmwave_RxPacketTrace.txt.gz"
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file][1:]
    for direction, name, least, most in (("down", "DL", 0, 12), ("up", "UL", 10, 11)):
        here = [(float(r[1]), r[12] != "0", r[14] == "1") for r in rows if r[0] == name]
        lost: list[float] = []
        decoded: list[float] = []
        for time_s, repeat, corrupt in here:
            oldest = next((one for one in lost if repeat and time_s - one <= 0.02), None)
            twice = oldest is None and repeat and any(time_s - one <= 0.02 for one in decoded)
            if oldest is not None:
                lost.remove(oldest)
            if corrupt and not twice:
                lost.append(time_s)
            elif oldest is not None or twice:
                decoded.append(time_s)
        assert sum(time_s <= here[-1][0] - 0.1 for time_s in lost) == least
        trace = import_trace("ns3-nr", path, as_="link", direction=direction, pairing="order")
        assert trace.fates["lost"] == least
        notes = " ".join(trace.metadata["notes"])
        assert f"at least {least} (--pairing order), at most {most} (--pairing size)" in notes


def test_lte_sample__has_one_block_that_may_be_lost(measured_data: Path) -> None:
    """Column `attempt` of the file: 69 repeats, one of them a fourth attempt, and no fifth one."""
    path = measured_data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv"
    names, *rows = [line.split(",") for line in path.read_text().splitlines()]
    numbers = [int(row[names.index("attempt")]) for row in rows]
    assert (sum(number > 1 for number in numbers), numbers.count(4), max(numbers)) == (69, 1, 4)
    phy, link = (import_trace("lte-harq", path, as_=reading) for reading in ("phy", "link"))
    assert "at least 69, at most 70; erased here: 69" in phy.metadata["notes"][-1]
    assert "blocks are lost: at least 0, at most 1; lost here: 0" in link.metadata["notes"][-1]
