"""Uplink HARQ logs of LTE terminals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tmt.errors import InputError
from tmt.measured.lte_harq import read_attempts, read_lte_harq

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "log_ms,sfn,subframe,attempt\n"


def lte_log(folder: Path, text: str, header: str = HEADER) -> str:
    (folder / "log.csv").write_text(header + text)
    return str(folder / "log.csv")


def test_lte_harq__erases_what_was_repeated_eight_subframes_later(tmp_path: Path) -> None:
    """By hand: subframes 4, 5, 12 (repeat of 4), 20 (repeat of 12), and 10243 (a first attempt), wrapped."""
    log = lte_log(tmp_path, "100,0,4,1\n101,0,5,1\n109,1,2,2\n117,2,0,3\n10340.5,0,3,1\n")
    trace = read_lte_harq(log, 1_000_000).trace
    assert [a.slot_ms for a in read_attempts(log)] == [0, 1, 8, 16, 10239]
    assert trace.tx_time_ns.tolist() == [0, 1_000_000, 8_000_000, 16_000_000, 10_239_000_000]
    assert trace.decode_time_ns.tolist() == [0, 1_000_000, 0, 1_000_000, 1_000_000]


def test_lte_harq__takes_no_other_attempt_for_a_repeat(tmp_path: Path) -> None:
    """Eight subframes later stands another first attempt; seven later, a second one without its first."""
    log = lte_log(tmp_path, "0,0,0,1\n7,0,7,2\n8,0,8,1\n")
    assert read_lte_harq(log, 5).trace.decode_time_ns.tolist() == [5, 5, 5]


def test_lte_harq__tells_wraps_by_the_log_time(tmp_path: Path) -> None:
    """Two and a half wraps of 10.24 s without an attempt; the log time is some milliseconds off."""
    log = lte_log(tmp_path, "3.2,1023,9,1\n25601.9,511,8,1\n")
    assert [a.slot_ms for a in read_attempts(log)] == [0, 25_599]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("0,0,0,1\n0,0,0,1\n", 3, "this attempt is 0 ms before the line before; attempts must follow"),
        ("5,0,5,1\n4,0,4,1\n", 3, "this attempt is 1 ms before the line before; attempts must follow"),
        ("0,1024,0,1\n", 2, "sfn is 1024; allowed are 0 to 1023"),
        ("0,0,10,1\n", 2, "subframe is 10; allowed are 0 to 9"),
        ("0,0,0,0\n", 2, "attempt is 0; allowed are 1 to 255"),
        ("0,0,0,-1\n", 2, "attempt is -1; allowed are 1 to 255"),
        ("nan,0,0,1\n", 2, "log_ms is nan; a number of milliseconds is needed"),
        ("0,0,0\n", 2, "this line has 3 fields; 4 are needed"),
        ("0,0,0,1\n\n", 3, "this line has 1 fields; 4 are needed"),
        ("", None, "there are no rows; a trace has at least one"),
    ],
)
def test_lte_harq__refuses_with_line_and_reason(
    text: str, line: int | None, reason: str, tmp_path: Path
) -> None:
    path = lte_log(tmp_path, text)
    place = path if line is None else f"{path}:{line}"
    with pytest.raises(InputError, match=f"^{re.escape(place)}: {re.escape(reason)}"):
        read_lte_harq(path, 1)


def test_lte_harq__refuses_a_file_without_its_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"log\.csv:1: the header is a,b; needed is log_ms,sfn,"):
        read_lte_harq(lte_log(tmp_path, "1,2\n", "a,b\n"), 1)


def test_lte_harq__finds_in_the_measured_log_what_was_counted(measured_data: Path) -> None:
    """Counts stand in the data's README: 1193 attempts over 58 s; 65, 3 and 1 are repeats."""
    log = str(measured_data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv")
    attempts, trace = read_attempts(log), read_lte_harq(log, 1_000_000).trace
    assert len(trace) == 1193
    assert np.bincount([a.attempt for a in attempts]).tolist() == [0, 1124, 65, 3, 1]
    assert (trace.decode_time_ns == 0).sum() == 69
    assert 57 < trace.tx_time_ns[-1] / 1e9 < 58.5


def test_arq__repeats_on_exactly_the_slots_that_were_measured(measured_data: Path) -> None:
    """The measured oracle for the timing of retransmissions: LTE repeats 8 ms after an attempt that failed.

    What is expected comes from the log's own numbering of attempts; ARQ sees only slots and erasures.
    """
    from tmt.convert import convert
    from tmt.schemes import Arq

    log = str(measured_data / "mobileinsight_lte" / "lte_ul_pusch_harq.csv")
    attempts = {attempt.slot_ms: attempt.attempt for attempt in read_attempts(log)}
    measured_repeats = [slot for slot, attempt in attempts.items() if attempt > 1]
    measured_sent = {slot: 1 for slot, attempt in attempts.items() if attempt == 1}
    for slot in measured_repeats:
        measured_sent[slot - 8 * (attempts[slot] - 1)] = attempts[slot]
    assert len(measured_repeats) == 69

    trace = read_lte_harq(log, decode_time_ns=1_000_000).trace
    link = convert(trace, Arq(rtt_ns=8_000_000))

    first_ms = link.tx_time_ns // 1_000_000
    slots_ms = trace.tx_time_ns // 1_000_000
    assert np.setdiff1d(slots_ms, first_ms).tolist() == measured_repeats
    assert dict(zip(first_ms.tolist(), link.transmissions.tolist(), strict=True)) == measured_sent
    assert link.delivered.all()
    np.testing.assert_array_equal(
        link.delay_ns, (8 * (link.transmissions.astype(np.int64) - 1) + 1) * 1_000_000
    )
