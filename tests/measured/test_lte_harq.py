"""Uplink HARQ logs of LTE terminals."""

import csv
from pathlib import Path

import numpy as np
import pytest
from naive import on_link

from tests.measured.imports import log_of_gallery
from tmt.core.units import NS_PER_MS
from tmt.importers.mobileinsight import LteHarq, read_attempts

HEADER = "log_ms,sfn,subframe,attempt\n"
SOURCE = Path("mobileinsight_lte") / "lte_ul_pusch_harq.csv"


def lte_log(folder: Path, text: str, header: str = HEADER) -> str:
    (folder / "log.csv").write_text(header + text)
    return str(folder / "log.csv")


def test_lte_harq__erases_what_was_repeated_eight_subframes_later(tmp_path: Path) -> None:
    """By hand: subframes 4, 5, 12 (repeat of 4), 20 (repeat of 12), and 10243 (a first attempt), wrapped."""
    log = lte_log(tmp_path, "100,0,4,1\n101,0,5,1\n109,1,2,2\n117,2,0,3\n10340.5,0,3,1\n")
    trace = LteHarq(as_="phy", decode_time=0.001).read(log).trace
    assert [a.time_ns // NS_PER_MS for a in read_attempts(log)] == [0, 1, 8, 16, 10239]
    assert trace.tx_time_ns.tolist() == [0, 1_000_000, 8_000_000, 16_000_000, 10_239_000_000]
    assert trace.decode_time_ns.tolist() == [0, 1_000_000, 0, 1_000_000, 1_000_000]


def test_lte_harq__takes_no_other_attempt_for_a_repeat(tmp_path: Path) -> None:
    """Eight subframes later stands another first attempt; seven later, a second one without its first."""
    log = lte_log(tmp_path, "0,0,0,1\n7,0,7,2\n8,0,8,1\n")
    assert LteHarq(as_="phy", decode_time=5e-9).read(log).trace.decode_time_ns.tolist() == [5, 5, 5]


def test_lte_harq__tells_wraps_by_the_log_time(tmp_path: Path) -> None:
    """Two and a half wraps of 10.24 s without an attempt; the log time is some milliseconds off."""
    log = lte_log(tmp_path, "3.2,1023,9,1\n25601.9,511,8,1\n")
    assert [a.time_ns // NS_PER_MS for a in read_attempts(log)] == [0, 25_599]


def test_lte_harq__reads_sizes_and_leaves_out_attempts_without_data(tmp_path: Path) -> None:
    """By hand: 9 bytes sent twice, control information alone (0 bytes), then 100 bytes once."""
    header = "log_ms,sfn,subframe,attempt,tb_bytes\n"
    log = lte_log(tmp_path, "0,0,0,1,9\n3,0,3,1,0\n8,0,8,2,9\n9,0,9,1,100\n", header)
    phy = LteHarq(as_="phy", decode_time=5e-9).read(log)
    assert phy.trace.size_bytes.tolist() == [9, 9, 100]
    assert phy.notes == (
        "1 transmission of size 0 is left out",
        "the log cannot tell how many of 3 attempts are erased: at least 1, at most 2; erased "
        "here: 1; a block of 2 attempts, as many as any has, may have been given up",
    )
    link = LteHarq(as_="link", decode_time=5e-9).read(log).trace
    assert link.tx_time_ns.tolist() == [0, 9_000_000]
    assert link.delay_ns.tolist() == [8_000_005, 5]
    assert link.transmissions.tolist() == [2, 1]
    assert link.size_bytes.tolist() == [9, 100]


@pytest.fixture(params=["gallery", "source"])
def measured_log(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The log of 58 s: as the trace of the gallery tells it, and as it was decoded where that is at hand."""
    if request.param == "gallery":
        return str(log_of_gallery(tmp_path))
    return str(request.getfixturevalue("measured_data") / SOURCE)


def test_lte_harq__finds_in_the_measured_log_what_was_counted(measured_data: Path) -> None:
    """Counts stand in the data's README: 1193 attempts over 58 s; 65, 3 and 1 are repeats.

    Sizes are summed by the csv module. Two attempts carry control information alone.
    """
    log = str(measured_data / SOURCE)
    with Path(log).open() as file:
        sizes = [int(row["tb_bytes"]) for row in csv.DictReader(file)]
    attempts, trace = read_attempts(log), LteHarq(as_="phy", decode_time=0.001).read(log).trace
    assert np.bincount([a.version for a in attempts]).tolist() == [0, 1124, 65, 3, 1]
    assert len(trace) == 1193 - sizes.count(0) == 1191
    assert trace.size_bytes.tolist() == [size for size in sizes if size]
    assert (trace.decode_time_ns == 0).sum() == 69
    assert 57 < trace.tx_time_ns[-1] / 1e9 < 58.5


def test_lte_harq__as_link_carries_the_measured_rate(measured_log: str) -> None:
    """Blocks, not attempts, make the rate: bytes of first attempts over the log's 58 s are 17.5 kbit/s."""
    with Path(measured_log).open() as file:
        rows = list(csv.DictReader(file))
    first_bytes = sum(int(row["tb_bytes"]) for row in rows if row["attempt"] == "1")
    link = LteHarq(as_="link", decode_time=0.001).read(measured_log).trace
    assert int(link.size_bytes.sum()) == first_bytes
    duration_s = (link.tx_time_ns[-1] - link.tx_time_ns[0]) / 1e9
    assert round(8 * first_bytes / duration_s / 1e3, 1) == 17.5


def test_arq__repeats_on_exactly_the_slots_that_were_measured(measured_log: str) -> None:
    """The measured oracle for the timing of retransmissions: LTE repeats 8 ms after an attempt that failed.

    The expected repeats come from the log's own numbers of attempts; ARQ sees only slots and erasures. The
    reading as a link trace must equal the output of ARQ over the reading as a PHY trace.
    """
    from tmt.core.convert import convert

    logged = {a.time_ns // NS_PER_MS: a.version for a in read_attempts(measured_log)}
    measured_repeats = [slot for slot, attempt in logged.items() if attempt > 1]
    assert len(measured_repeats) == 69

    trace = LteHarq(as_="phy", decode_time=0.001).read(measured_log).trace
    made = convert(trace, *on_link.arq(rtt_ns=8_000_000))
    slots_ms = trace.tx_time_ns // NS_PER_MS
    assert np.setdiff1d(slots_ms, made.tx_time_ns // NS_PER_MS).tolist() == measured_repeats
    assert made.delivered.all()

    measured = LteHarq(as_="link", decode_time=0.001).read(measured_log).trace
    for column in ("tx_time_ns", "delay_ns", "delivered", "transmissions"):
        np.testing.assert_array_equal(getattr(measured, column), getattr(made, column))
    assert int(measured.transmissions.sum()) - len(measured) == 69


@pytest.mark.parametrize("synchronous", [False, True], ids=["asynchronous", "synchronous"])
def test_harq_processes__make_the_measured_link(measured_log: str, synchronous: bool) -> None:
    """LTE's uplink has eight synchronous processes: subframe modulo 8, feedback within 8 ms.

    All 69 repeats and every other attempt fall in the measured subframes; no slot stalls.
    """
    from tmt.core.converter import joined

    trace = LteHarq(as_="phy", decode_time=0.001).read(measured_log).trace
    scheme = on_link.harq_processes(
        7_000_000,
        8,
        retransmission="synchronous" if synchronous else "asynchronous",
        slot_time_ns=1_000_000 if synchronous else 0,
        detection_delay_ns=1_000_000,
    )
    converter = scheme.converter()
    made = joined(converter.feed(trace), converter.finish())
    measured = LteHarq(as_="link", decode_time=0.001).read(measured_log).trace
    for column in ("tx_time_ns", "delay_ns", "delivered", "transmissions"):
        np.testing.assert_array_equal(getattr(measured, column), getattr(made, column))
    assert (converter.counts.retransmission_slots, converter.counts.stalled_slots) == (69, 0)


def test_harq_processes__alone_would_stall_on_the_measured_slots(measured_log: str) -> None:
    """The check above can fail: with one process the same slots give stalls and another link."""
    trace = LteHarq(as_="phy", decode_time=0.001).read(measured_log).trace
    converter = on_link.harq_processes(7_000_000, 1, detection_delay_ns=1_000_000).converter()
    converter.feed(trace)
    converter.finish()
    assert converter.counts.stalled_slots > 0
