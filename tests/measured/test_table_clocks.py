"""Times of tables in every form, counters that begin again, and losses between sequence numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError
from tmt.core.trace import Trace
from tmt.importers.clocks import Counter

S, MS = 10**9, 10**6


def imported(folder: Path, text: str, **options: Any) -> Trace:
    (folder / "table.csv").write_text(text)
    return import_trace("table", folder / "table.csv", **options)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Sat Feb 28 23:59:59 UTC 2026", "Sun Mar  1 00:00:00 UTC 2026"),
        ("Sat Feb 28 23:59:59 CET 2026", "Sun Mar  1 00:00:00 CET 2026"),
        ("Sat Feb 28 23:59:59 +03 2026", "Sun Mar  1 00:00:00 +03 2026"),
        ("Sat Feb 28 11:59:59 PM UTC 2026", "Sun Mar  1 12:00:00 AM UTC 2026"),
        ("Sat 28 Feb 2026 11:59:59 PM CET", "Sun 01 Mar 2026 12:00:00 AM CET"),
        ("Sat, 28 Feb 2026 23:59:59 +0100", "Sat, 28 Feb 2026 23:00:00 +0000"),
        ("2026-02-28T23:59:59+01:00", "2026-02-28T23:00:00Z"),
        ("2026-02-28T23:59:59,500000000+01:00", "2026-03-01 00:00:00.5+01:00"),
        ("2026.02.28_23.59.59", "2026.03.01_00.00.00"),
        ("2026/02/28 23:59:59", "2026/03/01 00:00:00"),
        ("28.02.2026 23:59:59", "01.03.2026 00:00:00"),
    ],
)
def test_date__as_programs_print_it(first: str, second: str, tmp_path: Path) -> None:
    """Each pair is a second apart; the last day of February 2026 is the 28th."""
    trace = imported(tmp_path, f"at;x\n{first};1\n{second};1\n", time="at:date")
    assert trace.tx_time_ns.tolist() == [0, S]


def test_date__is_exact_to_the_nanosecond(tmp_path: Path) -> None:
    text = "at;x\n2026-02-28T10:00:00.123456789;1\n2026-02-28T10:00:00.123456790;1\n"
    assert imported(tmp_path, text, time="at:iso").tx_time_ns.tolist() == [0, 1]


def test_time_of_day__passes_midnight(tmp_path: Path) -> None:
    """Two midnights; a row that is a second late stays in its place in time."""
    text = "at x\n23:59:58.250 1\n0:00:01 1\n00:00:00,5 1\n20:00:00 1\n02:00:00 1\n"
    trace = imported(tmp_path, text, time="at:clock")
    assert (trace.tx_time_ns / S).tolist() == [0, 2.25, 2.75, 72_001.75, 93_601.75]
    assert "midnight passes 2 times: times run on" in trace.metadata["notes"]


def test_frame_and_slot__count_on_after_frame_1023(tmp_path: Path) -> None:
    """Slots of 30 kHz last 0.5 ms: slot 1 of frame 0 is two of them after slot 19 of frame 1023."""
    text = "sfn,slot,x\n1023,19,1\n0,1,1\n1,0,1\n"
    trace = imported(tmp_path, text, time="sfn+slot:30kHz")
    assert (trace.tx_time_ns / MS).tolist() == [0, 1, 10.5]
    assert "sfn+slot begins again 1 time: times run on" in trace.metadata["notes"]


def test_first_row__with_a_time_of_day_is_no_header(tmp_path: Path) -> None:
    assert len(imported(tmp_path, "0:00:01.5\tok\n0:00:02.5\tbad\n", time="1:clock", bad="2=bad")) == 2


def test_counter__goes_on_where_it_begins_again() -> None:
    """By hand, of 16 bits; 65534 comes two numbers late, after the counter has begun again."""
    counter = Counter(65_536)
    assert [counter.whole(value) for value in (65_530, 65_535, 0, 65_534, 3)] == [
        65_530,
        65_535,
        65_536,
        65_534,
        65_539,
    ]
    assert counter.rounds == 1


WRAPPED = "t,x\n4294967000,1\n4294967290,2\n100,3\n"


def test_clock_of_32_bits__is_refused_until_its_range_is_told(tmp_path: Path) -> None:
    """By hand: 2^32 us are 4294967296; from 4294967290 to 100 pass 106 us."""
    with pytest.raises(
        InputError, match=r":4: the time steps back by 4294\.97 s, .*: --wrap 4294967296 says"
    ):
        imported(tmp_path, WRAPPED, time="t:us")
    trace = imported(tmp_path, WRAPPED, time="t:us", wrap="4294967296")
    assert (trace.tx_time_ns / 1000).tolist() == [0, 290, 396]
    assert "t begins again 1 time: times run on" in trace.metadata["notes"]
    assert (imported(tmp_path, WRAPPED, time="t:us", wrap="never").tx_time_ns[-1]) == 4_294_967_190_000


@pytest.mark.parametrize(
    ("unit", "before", "after", "size"),
    [
        ("s", "86399", "1", "86400"),
        ("s", "4294.9", "0.1", "4294.967296"),
        ("ms", "65530", "20", "65536"),
        ("ms", "10230", "5", "10240"),
        ("ns", "4294967290", "7", "4294967296"),
        ("s", "2147483.6", "0.5", "2147483.648"),
    ],
)
def test_usual_range__is_recognised_in_the_unit_of_the_column(
    unit: str, before: str, after: str, size: str, tmp_path: Path
) -> None:
    text = f"t,x\n{before},1\n{after},1\n"
    with pytest.raises(InputError, match=f"--wrap {size} says"):
        imported(tmp_path, text, time=f"t:{unit}")
    assert len(imported(tmp_path, text, time=f"t:{unit}", wrap=size)) == 2


def test_rows_of_two_logs__are_still_sorted(tmp_path: Path) -> None:
    """A step back by 40 s is nobody's range."""
    assert len(imported(tmp_path, "t,x\n0,1\n45,1\n5,1\n", time="t")) == 3


def test_numbers__that_are_missing_are_losses_between_their_neighbours(tmp_path: Path) -> None:
    """By hand: 65535 and 1 are missing; a repeated number counts once, one that is late has its place."""
    text = "t,seq\n0,p65533\n1,p65534\n3,p0\n5,p2\n5.1,p2\n"
    trace = imported(tmp_path, text, time="t", sequence="seq", wrap="seq=65536", lldu_bytes=40)
    assert (trace.tx_time_ns / S).tolist() == [0, 1, 2, 3, 4, 5]
    assert (trace.decode_time_ns == 0).tolist() == [False, False, True, False, True, False]
    assert trace.metadata["lldu_bytes"] == 40
    assert "2 numbers of seq are missing: lost, sent evenly between the neighbours" in trace.metadata["notes"]
    assert "1 row with a repeated seq is left out" in trace.metadata["notes"]
    with pytest.raises(InputError, match=r":4: seq is 0 after 65534, .* of 65536: --wrap seq=65536 says"):
        imported(tmp_path, text, time="t", sequence="seq")


def test_numbers__that_begin_again_without_a_counter_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r":4: seq is 0 after 500: --wrap seq=SIZE says where it begins again"
    ):
        imported(tmp_path, "t,seq\n0,499\n1,500\n2,0\n", time="t", sequence="seq")


def test_numbers__and_time_may_both_be_counters(tmp_path: Path) -> None:
    text = "t,seq\n65000,254\n100,255\n636,1\n"
    trace = imported(tmp_path, text, time="t:ms", sequence="seq", wrap="t=65536,seq=256")
    assert (trace.tx_time_ns / MS).tolist() == [0, 636, 904, 1172]
    assert (trace.decode_time_ns == 0).tolist() == [False, False, True, False]


PROBES = "sent,owd,fate\n0,14,ok\n50,15,ok\n100,,lost\n150,13,ok\n"


def test_probes__lie_over_a_line_or_say_that_their_rate_is_no_capacity(tmp_path: Path) -> None:
    """By hand: four probes of 1500 bytes in 150 ms; a line of 600 kbit/s has a row each 20 ms, for 200 ms."""
    options: dict[str, Any] = {"time": "sent:ms", "delay": "owd:ms", "bad": "fate=lost"}
    alone = imported(tmp_path, PROBES, as_="link", **options)
    note = "if rows are probes, the rate of the probes, 320.0 kbit/s, is not a capacity: --line sets one"
    assert alone.metadata["notes"] == [note]
    with_es_n0 = "sent,owd,snr\n0,14,9\n50,15,9\n"  # probes have none
    slots = imported(tmp_path, with_es_n0, time="sent:ms", delay="owd:ms", es_n0="snr", propagation=0.01)
    assert slots.metadata["notes"] == []
    line = imported(tmp_path, PROBES, line=6e5, **options)
    assert (line.tx_time_ns / MS).tolist() == [20 * row for row in range(10)]
    assert line.delivered.tolist() == [True] * 5 + [False] * 3 + [True] * 2
    assert line.delay_ns[0] == 14 * MS
    assert line.delay_ns[5] == 14 * MS  # half-way from 15 ms at 50 ms to 13 ms at 150 ms
    assert line.metadata["length_ns"] == 200 * MS
    slots = imported(tmp_path, PROBES, line=6e5, as_="phy", **options)
    assert slots.decode_time_ns.tolist() == np.where(line.delivered, line.delay_ns, 0).tolist()


def test_numbers__wrap_beside_dates(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("t,n\n2026-03-01T00:00:00Z,255\n2026-03-01T00:00:02Z,1\n")
    trace = import_trace("table", tmp_path / "t.csv", time="t:iso", sequence="n", wrap="n=256", as_="phy")
    assert (trace.decode_time_ns > 0).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("unit", "numbers"),
    [
        ("hex", ("0x0e", "0x0f", "0X11")),
        ("hex", ("e", "F", "11")),
        ("hex-text", ("31340a", "31350a", "31370a")),
    ],
)
def test_numbers__may_be_hexadecimal(unit: str, numbers: tuple[str, ...], tmp_path: Path) -> None:
    """14, 15 and 17: OpenWSN prints 0x0e; DETERMINISTIC6G the bytes of "14" and a line feed."""
    rows = "".join(f"{second},{text}\n" for second, text in enumerate(numbers))
    (tmp_path / "t.csv").write_text("t,n\n" + rows)
    trace = import_trace("table", tmp_path / "t.csv", time="t", sequence=f"n:{unit}", as_="phy")
    assert (trace.decode_time_ns > 0).tolist() == [True, True, False, True]
    assert (trace.tx_time_ns / 1e9).tolist() == [0, 1, 1.5, 2]


def test_where__takes_pairs_of_cell_and_number(tmp_path: Path) -> None:
    """One user whose cell and RNTI change: neither rows of cell 1 with RNTI 9 nor of cell 2 with RNTI 5."""
    text = "t,cell,rnti\n0,1,5\n1,1,9\n2,2,5\n3,2,9\n4,1,5\n"
    trace = imported(tmp_path, text, time="t", where="cell=1,rnti=5;cell=2,rnti=9")
    assert (trace.tx_time_ns / S).tolist() == [0, 3, 4]
    assert "2 rows that --where does not choose are left out" in trace.metadata["notes"]


def test_user__of_a_cell_log_may_have_several_names(tmp_path: Path) -> None:
    """After a handover the same process has other blocks: the failure in cell 1 is given up, not repeated."""
    header = "Time\tdirection\tcellId\tbwpId\trnti\ttbSize\trv\tcorrupt\n"
    rows = "0.030\tDL\t1\t0\t2\t84\t0\t0\n0.031\tDL\t2\t0\t7\t85\t0\t1\n0.032\tDL\t2\t0\t8\t86\t0\t0\n"
    (tmp_path / "rx.txt").write_text(header + rows)
    trace = import_trace("ns3-nr", tmp_path / "rx.txt", user="1/2,2/7")
    assert trace.size_bytes.tolist() == [84, 85]
    np.testing.assert_array_equal(trace.decode_time_ns == 0, [False, True])
