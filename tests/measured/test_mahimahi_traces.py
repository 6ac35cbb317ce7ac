"""Packet-delivery traces of mahimahi, read and written."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from link_traces import sent_once

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError, UsageError
from tmt.core.extent import Extent
from tmt.core.trace import PhyTrace
from tmt.importers.exporters import write_opportunities
from tmt.importers.mahimahi import Mahimahi
from tmt.importers.opportunities import opportunities_ms
from tmt.io import read_phy

GALLERY = Path(__file__).resolve().parents[2] / "traces" / "measured"


def test_mahimahi__spreads_the_opportunities_of_a_millisecond_over_it(tmp_path: Path) -> None:
    found = Mahimahi(decode_time=7e-9).read(written(tmp_path, "0\n2\n2\n2\n5\n"))
    assert found.trace.tx_time_ns.tolist() == [0, 2_000_000, 2_333_333, 2_666_666, 4_999_999]
    assert found.trace.decode_time_ns.tolist() == [7] * 5
    assert found.extent == Extent(0, 5_000_000)


def test_mahimahi__repeats_a_trace_at_its_last_time_stamp(tmp_path: Path) -> None:
    """Mahimahi's `LinkQueue` adds the last stamp to all of the next turn: 10 packets every 200 ms here."""
    found = Mahimahi().read(written(tmp_path, "200\n" * 10))
    assert found.trace.tx_time_ns.tolist() == [200_000_000 - before for before in range(10, 0, -1)]
    assert found.extent == Extent(0, 200_000_000)


def test_mahimahi__reads_compressed_traces(tmp_path: Path) -> None:
    (tmp_path / "trace.gz").write_bytes(gzip.compress(b"1\n"))
    trace = Mahimahi(decode_time=1e-9).read(str(tmp_path / "trace.gz")).trace
    assert trace.tx_time_ns.tolist() == [999_999]


@pytest.mark.parametrize(
    ("content", "times_ms"),
    [(b"\xef\xbb\xbf0\n12\n12\n", [0, 12, 12]), (b"\xef\xbb\xbf7\r\n9\r\n", [7, 9])]
    + [(line, [200]) for line in (b"200", b"200\n", b"200\r\n", b"\xef\xbb\xbf200\n")],
)
def test_mahimahi__is_recognised_with_a_byte_order_mark_and_with_one_line(
    content: bytes, times_ms: list[float], tmp_path: Path
) -> None:
    (tmp_path / "trace").write_bytes(content)
    trace = import_trace("auto", tmp_path / "trace")
    assert trace.metadata["importer"] == "mahimahi"
    assert np.ceil(trace.tx_time_ns / 1e6).tolist() == times_ms
    assert trace.metadata["length_ns"] == times_ms[-1] * 1_000_000


@pytest.mark.parametrize("content", [b"", b"\n", b"0\n", b"-5\n", b"2\n1\n", b"1.5\n", b"1 2\n"])
def test_mahimahi__is_not_recognised_in_other_numbers(content: bytes) -> None:
    assert not Mahimahi.sniff(content)


def test_mahimahi__is_recognised_by_whole_lines() -> None:
    assert Mahimahi.sniff("".join(f"{n}\n" for n in range(100_000))[: 1 << 16].encode())


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
    trace = Mahimahi(decode_time=0.001).read(str(path)).trace
    assert len(trace) == slots
    assert round(np.diff(trace.tx_time_ns).max() / 1e9, 1) == longest_gap_s
    stamps = np.loadtxt(path, dtype=np.int64)
    before_the_end = np.where(stamps == stamps[-1], stamps - 1, stamps)
    np.testing.assert_array_equal(trace.tx_time_ns // 1_000_000, before_the_end)
    assert np.diff(trace.tx_time_ns).min() > 0


def test_mahimahi__gets_back_the_gallery_s_link(tmp_path: Path) -> None:
    """Each slot carries one packet and arrives the decode time, 1 ms, later."""
    slots = read_phy(GALLERY / "mahimahi" / "att-lte-driving.up.parquet")
    assert write_opportunities(tmp_path / "again.up", slots, 1500) == ("19,101 opportunities for 1500 bytes",)
    again = Mahimahi(decode_time=0.001).read(str(tmp_path / "again.up")).trace
    np.testing.assert_array_equal(again.tx_time_ns[:-1], slots.tx_time_ns[:-1] + 1_000_000)


def test_opportunities__count_delivered_lldus_in_the_order_of_their_arrival() -> None:
    """By hand: slots arrive at 50, 4 and 6 ms, two are erased; rows at 50, 3, 4 and 6 ms, one is lost."""
    ms = 1_000_000
    phy = PhyTrace(np.array([0, 1, 2, 3, 4]) * ms, np.array([50, 0, 2, 3, 0]) * ms)
    assert opportunities_ms(phy, 1500).tolist() == [4, 6, 50]
    link = sent_once(np.arange(5) * ms, np.array([50, 2, 2, 3, 1]) * ms, lost=[4])
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
            write_opportunities(tmp_path / "out", PhyTrace(np.array([0]), np.array([5])), lldu_bytes)
    assert list(tmp_path.iterdir()) == []


def test_delays__of_leoreplayer_stand_for_the_decode_time(tmp_path: Path) -> None:
    """By hand: a line for 10 ms each, from time 0 on, and anew after the third."""
    path = written(tmp_path, "0\n9\n10\n25\n30\n31\n")
    (tmp_path / "delays").write_text("20\r\n30\r\n40\r\n\r\n")
    trace = Mahimahi(decode_time=1e-9, delays=str(tmp_path / "delays")).read(path).trace
    assert (trace.decode_time_ns // 1_000_000).tolist() == [20, 20, 30, 40, 20, 20]
    slow = Mahimahi(decode_time=1e-9, delays=str(tmp_path / "delays"), delay_interval=0.015).read(path).trace
    assert (slow.decode_time_ns // 1_000_000).tolist() == [20, 20, 20, 30, 40, 40]
    for wrong in ("0", "\u00b2", "0" * 20 + "1"):
        (tmp_path / "delays").write_text(f"20\n{wrong}\n")
        with pytest.raises(InputError, match=f"delays:2: {wrong} is not a whole number of milliseconds, 1"):
            Mahimahi(decode_time=1e-9, delays=str(tmp_path / "delays")).read(path)
