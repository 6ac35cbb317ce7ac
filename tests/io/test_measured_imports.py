"""Measurements in their own formats become PHY traces."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tmt.errors import InputError, UsageError
from tmt.io import read_phy
from tmt.io.importers import IMPORTERS, import_trace
from tmt.io.lte_harq import read_attempts, read_lte_harq
from tmt.io.mahimahi import opportunities_ms, read_mahimahi, write_mahimahi
from tmt.provenance import file_sha256
from tmt.trace import LinkTrace, PhyTrace

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "log_ms,sfn,subframe,attempt\n"


def lte_log(folder: Path, text: str, header: str = HEADER) -> str:
    (folder / "log.csv").write_text(header + text)
    return str(folder / "log.csv")


def opportunities(folder: Path, text: str) -> str:
    (folder / "trace.up").write_text(text)
    return str(folder / "trace.up")


def test_lte_harq__erases_what_was_repeated_eight_subframes_later(tmp_path: Path) -> None:
    """By hand: subframes 4, 5, 12 (repeat of 4), 20 (repeat of 12), and 10243 (a first attempt), wrapped."""
    log = lte_log(tmp_path, "100,0,4,1\n101,0,5,1\n109,1,2,2\n117,2,0,3\n10340.5,0,3,1\n")
    trace = read_lte_harq(log, 1_000_000)
    assert [a.slot_ms for a in read_attempts(log)] == [0, 1, 8, 16, 10239]
    assert trace.tx_time_ns.tolist() == [0, 1_000_000, 8_000_000, 16_000_000, 10_239_000_000]
    assert trace.decode_time_ns.tolist() == [0, 1_000_000, 0, 1_000_000, 1_000_000]


def test_lte_harq__takes_no_other_attempt_for_a_repeat(tmp_path: Path) -> None:
    """Eight subframes later stands another first attempt; seven later, a second one without its first."""
    log = lte_log(tmp_path, "0,0,0,1\n7,0,7,2\n8,0,8,1\n")
    assert read_lte_harq(log, 5).decode_time_ns.tolist() == [5, 5, 5]


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
    attempts, trace = read_attempts(log), read_lte_harq(log, 1_000_000)
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

    trace = read_lte_harq(log, decode_time_ns=1_000_000)
    link = convert(trace, Arq(rtt_ns=8_000_000))

    first_ms = link.tx_time_ns // 1_000_000
    slots_ms = trace.tx_time_ns // 1_000_000
    assert np.setdiff1d(slots_ms, first_ms).tolist() == measured_repeats
    assert dict(zip(first_ms.tolist(), link.transmissions.tolist(), strict=True)) == measured_sent
    assert link.delivered.all()
    np.testing.assert_array_equal(
        link.delay_ns, (8 * (link.transmissions.astype(np.int64) - 1) + 1) * 1_000_000
    )


def test_mahimahi__spreads_the_opportunities_of_a_millisecond_over_it(tmp_path: Path) -> None:
    trace = read_mahimahi(opportunities(tmp_path, "0\n2\n2\n2\n5\n"), 7)
    assert trace.tx_time_ns.tolist() == [0, 2_000_000, 2_333_333, 2_666_666, 5_000_000]
    assert trace.decode_time_ns.tolist() == [7] * 5


def test_mahimahi__reads_compressed_traces(tmp_path: Path) -> None:
    (tmp_path / "trace.gz").write_bytes(gzip.compress(b"1\n"))
    assert read_mahimahi(str(tmp_path / "trace.gz"), 1).tx_time_ns.tolist() == [1_000_000]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ": the file is empty"),
        ("0\n0\n", ": every opportunity lies in millisecond 0; the trace must last some time"),
        ("5000\n4000\n", ":2: 4000 ms is earlier than 5000 ms in the line before"),
        ("1\n\n2\n", ":2: the line is no whole number of milliseconds"),
        ("1\n1.5\n", ":2: 1.5 is no whole number of milliseconds"),
        ("-1\n", ":1: -1 is no whole number of milliseconds"),
        ("1 2\n", ":1: 1 2 is no whole number of milliseconds"),
        ("1\n9999999999999\n", ":2: time is 9999999999999 ms; the most allowed is 4611686018427 ms"),
    ],
)
def test_mahimahi__refuses_with_line_and_reason(text: str, reason: str, tmp_path: Path) -> None:
    path = opportunities(tmp_path, text)
    with pytest.raises(InputError, match=re.escape(path + reason)):
        read_mahimahi(path, 1)


@pytest.mark.parametrize(
    ("name", "slots", "longest_gap_s"),
    [
        ("Verizon-LTE-short.down", 58_655, 1.4),
        ("ATT-LTE-driving-2016.down", 45_604, 1.1),
        ("ATT-LTE-driving-2016.up", 19_101, 4.1),
    ],
)
def test_mahimahi__finds_in_measured_traces_what_was_counted(
    name: str, slots: int, longest_gap_s: float, measured_data: Path
) -> None:
    """Counts and gaps, to a tenth of a second, stand in the data's README."""
    path = measured_data / "mahimahi_cellular" / name
    trace = read_mahimahi(str(path), 1_000_000)
    assert len(trace) == slots
    assert round(np.diff(trace.tx_time_ns).max() / 1e9, 1) == longest_gap_s
    np.testing.assert_array_equal(trace.tx_time_ns // 1_000_000, np.loadtxt(path, dtype=np.int64))
    assert np.diff(trace.tx_time_ns).min() > 0


def test_mahimahi__gets_back_what_it_gave(measured_data: Path, tmp_path: Path) -> None:
    """Each slot carries one packet and arrives the decode time, 1 ms, later."""
    path = measured_data / "mahimahi_cellular" / "ATT-LTE-driving-2016.up"
    assert write_mahimahi(tmp_path / "again.up", read_mahimahi(str(path), 1_000_000), 1500) == 19_101
    again = np.loadtxt(tmp_path / "again.up", dtype=np.int64)
    np.testing.assert_array_equal(again, np.loadtxt(path, dtype=np.int64) + 1)


def test_opportunities__count_delivered_lldus_in_the_order_of_their_arrival() -> None:
    """By hand: slots arrive at 50, 4 and 6 ms, two are erased; rows at 50, 3, 4 and 6 ms, one is lost."""
    ms = 1_000_000
    phy = PhyTrace(np.array([0, 1, 2, 3, 4]) * ms, np.array([50, 0, 2, 3, 0]) * ms)
    assert opportunities_ms(phy, 1500).tolist() == [4, 6, 50]
    link = LinkTrace(
        np.array([0, 1, 2, 3, 4]) * ms,
        np.array([50, 2, 2, 3, 1]) * ms,
        np.array([True, True, True, True, False]),
        np.ones(5, np.uint8),
    )
    assert opportunities_ms(link, 1500).tolist() == [3, 4, 6, 50]
    assert opportunities_ms(link, 750).tolist() == [4, 50]
    assert opportunities_ms(link, 749).tolist() == [6]


def test_opportunities__of_a_trace_by_the_time_of_day_count_from_its_first_row() -> None:
    ms = 1_000_000
    slots = np.array([0, 1, 2, 30])
    clock_ms = 1_763_700_000_123
    late = PhyTrace((clock_ms + slots) * ms + 456_789, np.full(4, 2 * ms))
    assert opportunities_ms(late, 1500).tolist() == [2, 3, 4, 32]
    soon = PhyTrace((29 + slots) * ms, np.full(4, 2 * ms))
    assert opportunities_ms(soon, 1500).tolist() == [31, 32, 33, 61]


def test_export__refuses_a_trace_that_mahimahi_would(tmp_path: Path) -> None:
    for lldu_bytes in (1500, 10):
        with pytest.raises(UsageError, match="delivers no packet of 1500 bytes after its"):
            write_mahimahi(tmp_path / "out", PhyTrace(np.array([0]), np.array([5])), lldu_bytes)
    assert list(tmp_path.iterdir()) == []


def test_import__records_where_the_trace_comes_from(tmp_path: Path) -> None:
    source = opportunities(tmp_path, "1\n2\n")
    import_trace("mahimahi", source, str(tmp_path / "phy.parquet"), 2_000_000)
    metadata = read_phy(tmp_path / "phy.parquet").metadata
    assert metadata["kind"] == "phy"
    assert metadata["lldu_bytes"] == 1500
    assert metadata["importer"] == "mahimahi"
    assert metadata["decode_time_ns"] == 2_000_000
    assert metadata["source"] == {"name": "trace.up", "sha256": file_sha256(source)}


def test_importers__are_what_the_command_offers() -> None:
    from tmt.cli.import_command import command

    assert list(command.params[0].type.choices) == list(IMPORTERS)
