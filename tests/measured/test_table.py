"""Any table: separators, headers, units, polarity, filters, and the values that are refused."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from in_process import tmt
from pyarrow import parquet

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError, TmtError

MS = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "t,ack,size\n1.5,1,100\n1.6,0,200\n1.7,1,300\n",
        "t;ack;size\r\n1.5;1;100\r\n1.6;0;200\r\n1.7;1;300\r\n\r\n",
        "t\tack\tsize\n1.5\t1\t100\n# a comment\n1.6\t0\t200\n\n1.7\t1\t300 \n",
        "\ufefft  ack size\n1.5 1   100\n1.6 0 200\n1.7 1 300",
        "# made by a script\n# t ack size\n1.5e0 1.0 100\n1.6 0.0 200\n1.7 1 300\n",
        '"t","ack","size"\n"1.5","true","100"\n"1.6","False","200"\n"1.7","TRUE","300"\n',
        "% t\tack\tsize\n1.5\t1\t100\n1.6\t0\t200\n1.7\t1\t300\n1.8\t1",
    ],
    ids=["csv", "semicolons-dos", "tsv", "blanks", "savetxt", "quoted", "cut"],
)
def test_table__reads_every_separator(text: str, tmp_path: Path) -> None:
    trace = import_trace("table", written(tmp_path, text), time="t", good="ack=1", size="size")
    assert trace.tx_time_ns.tolist() == [0, 100 * MS, 200 * MS]
    assert (trace.decode_time_ns == 0).tolist() == [False, True, False]
    assert trace.size_bytes.tolist() == [100, 200, 300]
    assert trace.metadata["packing"] == "packed"


def test_table__takes_an_index_without_a_name(tmp_path: Path) -> None:
    """`DataFrame.to_string` and `DataFrame.to_csv` write one by default."""
    frame = pd.DataFrame({"t": [1.5, 1.75], "lost": [0, 1]})
    for text in (frame.to_string(), frame.to_csv()):
        trace = import_trace("table", written(tmp_path, text), time="t", bad="lost=1")
        assert trace.tx_time_ns.tolist() == [0, 250 * MS]
        assert (trace.decode_time_ns == 0).tolist() == [False, True]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_table__knows_units_exactly(unit: str, tmp_path: Path) -> None:
    """A time of the day in nanoseconds has 19 digits, more than floating point holds."""
    digits = {"s": 9, "ms": 6, "us": 3, "ns": 0}[unit]
    times = [1_727_307_156_697_422_001, 1_727_307_156_755_551_999]
    text = "\n".join(f"{time // 10**digits}.{time % 10**digits:0{digits or 1}}" for time in times)
    trace = import_trace(
        "table", written(tmp_path, f"t,x\n{text.replace(chr(10), ',1' + chr(10))},1\n"), time=f"t:{unit}"
    )
    assert trace.tx_time_ns.tolist() == [0, times[1] - times[0]]


def test_table__takes_delays_sizes_in_bits_and_transmissions(tmp_path: Path) -> None:
    """A lost row may lack its delay; it then counts the decode time until its loss is known."""
    text = "t,owd,bits,sent,state\n0,12.5,800,1,ok\n1,,1600,3,lost\n2,20,801,300,ok\n"
    options: dict[str, Any] = {"time": "t", "delay": "owd:ms", "size": "bits:bits", "bad": "state=lost"}
    path = written(tmp_path, text)
    link = import_trace("table", path, as_="link", transmissions="sent", decode_time=7e-9, **options)
    assert link.delay_ns.tolist() == [12_500_000, 7, 20 * MS]
    assert link.delivered.tolist() == [True, False, True]
    assert link.transmissions.tolist() == [1, 3, 255]
    assert link.size_bytes.tolist() == [100, 200, 100]
    phy = import_trace("table", path, **options)
    assert phy.decode_time_ns.tolist() == [12_500_000, 0, 20 * MS]


@pytest.mark.parametrize(
    ("text", "received"),
    [
        ("t,got\n0,270.5\n1.5,\n3,273.625\n", "got:ms"),
        ("t,got\n0,270500\n1.5,nan\n3,273625\n", "got:us"),
    ],
)
def test_table__takes_times_of_receipt_less_propagation(text: str, received: str, tmp_path: Path) -> None:
    """By hand: 270.5 - 0 - 270 ms and 273.625 - 3 - 270 ms; a row that was never received is erased."""
    path = written(tmp_path, text)
    options: dict[str, Any] = {"time": "t:ms", "received": received}
    phy = import_trace("table", path, propagation=0.27, **options)
    assert phy.decode_time_ns.tolist() == [500_000, 0, 625_000]
    whole = import_trace("table", path, **options)
    assert any("no delay is shorter than 0.2705 s" in note for note in whole.metadata["notes"])
    link = import_trace("table", path, as_="link", **options)
    assert link.delay_ns.tolist() == [270_500_000, MS, 270_625_000]
    assert link.delivered.tolist() == [True, False, True]


def test_times_of_receipt__pass_midnight_and_the_end_of_a_counter(tmp_path: Path) -> None:
    clock = written(tmp_path, "t,got\n23:59:59.9,00:00:00.1\n00:00:00.2,00:00:00.3\n")
    of_clock = import_trace("table", clock, time="t:clock", received="got:clock")
    assert of_clock.decode_time_ns.tolist() == [200 * MS, 100 * MS]
    counter = written(tmp_path, "t,got\n4294967290,4\n4294967295,19\n")
    of_counter = import_trace("table", counter, time="t:us", received="got:us", wrap="4294967296")
    assert of_counter.decode_time_ns.tolist() == [10_000, 20_000]


def test_row_without_a_delay__is_lost_where_nothing_else_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "t,owd,ok\n0,5,1\n1,,1\n")
    phy = import_trace("table", path, time="t", delay="owd:ms")
    assert phy.decode_time_ns.tolist() == [5 * MS, 0]
    with pytest.raises(InputError, match="owd is empty; a number is needed"):
        import_trace("table", path, time="t", delay="owd:ms", good="ok=1")
    with pytest.raises(InputError, match=r"owd is 0\.0; .* as 0 does in a PHY trace, --bad owd=0\.0 says so"):
        import_trace("table", written(tmp_path, "t,owd\n0,5\n1,0.0\n"), time="t", delay="owd:ms")


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"received": "got:iso"}, "got:iso.*is on another clock; allowed: a unit of the clock of --time"),
        ({"received": "got:ms", "delay": "got:ms"}, "has no meaning beside delay"),
        ({"propagation": 0.1}, "has no delay to be taken from"),
        (
            {"received": "got:ms", "propagation": 0.271},
            "got is 270.5, 0.2705 s after the sending, not above --propagation 0.271",
        ),
        ({"received": "got:ms", "good": "got=0"}, "got is 0; .* --bad got=0 says so"),
        ({"received": "got:ms", "rate": "t"}, "has no meaning for intervals"),
    ],
)
def test_times_of_receipt__are_refused_where_they_cannot_be(
    options: dict[str, Any], refused: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "t,got\n0,270.5\n1,0\n")
    with pytest.raises(TmtError, match=refused):
        import_trace("table", path, time="t:ms", **options)


def test_time_of_receipt_before_the_sending__tells_how_far_the_clocks_differ(tmp_path: Path) -> None:
    path = written(tmp_path, "t,got\n100,90\n")
    with pytest.raises(InputError, match=r"got is 90, 0\.01 s before the sending: if the clocks differ"):
        import_trace("table", path, time="t:ms", received="got:ms")


def test_numbered_row_without_a_time_of_receipt__is_lost_when_it_was_sent(tmp_path: Path) -> None:
    """By hand: packet 2 was sent at 3 ms; packet 3 has no row; packet 4 has two."""
    path = written(tmp_path, "n,t,got\n1,0,5\n4,12,17\n2,3,\n4,12,17\n")
    phy = import_trace("table", path, time="t:ms", received="got:ms", sequence="n")
    assert phy.tx_time_ns.tolist() == [0, 3 * MS, 7_500_000, 12 * MS]
    assert phy.decode_time_ns.tolist() == [5 * MS, 0, 0, 5 * MS]
    assert "1 row with a repeated n is left out" in phy.metadata["notes"]


def test_rows_of_a_packet_that_is_in_the_table_twice__are_noted(tmp_path: Path) -> None:
    path = written(tmp_path, "t,owd\n0,5\n1,6\n1,6\n2,7\n2,8\n")
    notes = import_trace("table", path, time="t", delay="owd:ms").metadata["notes"]
    assert "1 row equals the row before: --sequence takes each number of a packet once" in notes


@pytest.mark.parametrize("hole_s", [2, 11])
def test_time_without_probes__is_noted_where_a_line_fills_it(hole_s: int, tmp_path: Path) -> None:
    """By hand: probes each second; a hole counts from ten steps on."""
    times = [*range(5), *range(4 + hole_s, 10 + hole_s)]
    path = written(tmp_path, "t,owd\n" + "".join(f"{time},5\n" for time in times))
    notes = import_trace("table", path, time="t", delay="owd:ms", line=1e6).metadata["notes"]
    assert [note.partition(":")[0] for note in notes[1:]] == ["no probe for 11 s from 4 s on"] * (hole_s > 10)


def test_one_probe__makes_a_line_without_a_hole(tmp_path: Path) -> None:
    path = written(tmp_path, "t,owd\n0,5\n")
    one = import_trace("table", path, time="t", delay="owd:ms", line=1e6)
    assert (len(one), len(one.metadata["notes"])) == (1, 1)


def test_table__takes_the_es_n0_of_every_row_or_of_none(tmp_path: Path) -> None:
    """Thousandths of a dB, sorted with the rows; beyond 100 dB a value counts as 100 dB."""
    trace = import_trace(
        "table", written(tmp_path, "t,snr\n3,-2.0004\n1,7.25\n2,1e3\n"), time="t", es_n0="snr"
    )
    assert trace.es_n0_mdb.tolist() == [7250, 100_000, -2000]
    units = import_trace("table", written(tmp_path, "t,snr\n1,12dB\n2,12 dB\n"), time="t", es_n0="snr")
    assert units.es_n0_mdb.tolist() == [12_000, 12_000]
    gaps = import_trace("table", written(tmp_path, "t,snr\n1,7\n2,n/a\n3,\n"), time="t", es_n0="snr")
    assert gaps.es_n0_mdb is None
    assert "2 transmissions have no SINR: Es/N0 is left out" in gaps.metadata["notes"]


def test_table__takes_the_mode_of_every_row_or_of_none(tmp_path: Path) -> None:
    """Numbers such as the MCS index, sorted with the rows; the error rate of each is inspected."""
    path = written(tmp_path, "t_s,mcs,ok\n3,7,0\n1,5,1\n2,255,1\n")
    trace = import_trace("table", path, tmp_path / "phy.parquet", time="t_s", mode="mcs", good="ok=1")
    assert trace.mode.tolist() == [5, 255, 7]
    shown = json.loads(tmt("inspect", "--json", "phy.parquet", folder=tmp_path).out)
    assert {one["mode"]: one["erased"] for one in shown["modes"]["used"]} == {5: 0, 7: 1, 255: 0}
    gaps = import_trace("table", written(tmp_path, "t,mcs\n1,7\n2,n/a\n3,\n"), time="t", mode="mcs")
    assert gaps.mode is None
    assert "2 rows have no mode: modes are left out" in gaps.metadata["notes"]
    with pytest.raises(InputError, match=r":3: mcs is 256; allowed are whole numbers from 0 to 255"):
        import_trace("table", written(tmp_path, "t,mcs\n1,7\n2,256\n"), time="t", mode="mcs")


def test_table__filters_and_counts_from_the_first_row_of_the_file(tmp_path: Path) -> None:
    """Both directions of one log keep one clock; a name that stands twice may have either value."""
    text = "t,dir,rnti\n5,UL,1\n6,DL,1\n7,DL,2\n8,DL,3\n"
    path = written(tmp_path, text)
    trace = import_trace("table", path, time="t", where="dir=DL,rnti=1,rnti=3")
    assert trace.tx_time_ns.tolist() == [1000 * MS, 3000 * MS]
    assert trace.metadata["notes"] == ["2 rows that --where does not choose are left out"]
    assert import_trace("table", path, time="t", origin="zero").tx_time_ns[0] == 5000 * MS
    assert import_trace("table", path, time="t", origin="4.5").tx_time_ns[0] == 500 * MS


def test_table__filters_by_a_column_with_an_equals_sign_in_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, "t,rv=0\n5,yes\n6,no\n7,yes\n")
    assert import_trace("table", path, time="t", where="rv=0=yes").tx_time_ns.tolist() == [0, 2000 * MS]


def test_table__sorts_and_puts_equal_times_apart_and_says_so(tmp_path: Path) -> None:
    text = "t,size\n3,1\n1,2\n1,3\n2,4\n"
    trace = import_trace("table", written(tmp_path, text), time="t:us", size="size")
    assert trace.size_bytes.tolist() == [2, 3, 4, 1]
    assert trace.tx_time_ns.tolist() == [0, 1, 1000, 2000]
    assert trace.metadata["notes"] == [
        "the time goes back in 1 place; rows are sorted by it",
        "1 row of the same moment as others is put 1 ns apart",
    ]


def test_table__says_when_every_row_has_one_outcome(tmp_path: Path) -> None:
    trace = import_trace("table", written(tmp_path, "t,crc\n1,OK\n2,KO\n"), time="t", bad="crc=0")
    assert trace.metadata["notes"] == ["every row is good: the table holds crc=OK (1 row), crc=KO (1 row)"]


def test_table__reads_parquet_with_flags_and_dates(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=2))
    frame = pd.DataFrame(
        {
            "at": pd.to_datetime(
                [datetime(2024, 1, 1, 2, tzinfo=zone), datetime(2024, 1, 1, 2, 0, 1, tzinfo=zone)]
            ),
            "seconds": [0.25, 0.75],
            "lost": [False, True],
            "size": [10, 20],
        }
    )
    frame.to_parquet(tmp_path / "table.parquet")
    for time, step_ns in (("seconds", 500 * MS), ("at:iso", 1000 * MS)):
        trace = import_trace("table", tmp_path / "table.parquet", time=time, bad="lost=1", size="size")
        assert trace.tx_time_ns.tolist() == [0, step_ns]
        assert (trace.decode_time_ns == 0).tolist() == [False, True]
    with pytest.raises(InputError, match=r"no column called t; the columns are at, seconds, lost, size"):
        import_trace("table", tmp_path / "table.parquet", time="t")


def test_table__reads_parquet_of_a_time_zone_that_the_system_does_not_know(tmp_path: Path) -> None:
    at = pa.array([0, 1_000_000], pa.timestamp("us", "CEST"))
    parquet.write_table(pa.table({"at": at}), tmp_path / "table.parquet")
    trace = import_trace("table", tmp_path / "table.parquet", time="at:iso")
    assert trace.tx_time_ns.tolist() == [0, 1000 * MS]


def test_table__refuses_parquet_with_text_that_is_not_utf_8(tmp_path: Path) -> None:
    ends = pa.array([0, 1, 2], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"\xff\xfe")])
    parquet.write_table(pa.table({"t": text}), tmp_path / "table.parquet")
    with pytest.raises(InputError, match=r"table.parquet: cannot be read: 'utf-8' codec can't decode"):
        import_trace("table", tmp_path / "table.parquet", time="t")


def test_table__reads_the_modes_of_a_dvb_modem(tmp_path: Path) -> None:
    """EN 302 307-1, table 5a: 8PSK 3/4 has BCH blocks of 48408 bits; by hand 6011 bytes in GSE."""
    log = "at,modcod,snr,crc,fec_bits\n"
    names = ("8PSK 3/4", "8psk-3/4", "8PSK_3/4 pilots", "DVB-S2 8PSK3/4", "14")
    log += "".join(f"2026-11-03 14:05:1{at},{name},9.1,OK,64800\n" for at, name in enumerate(names))
    log += "2026-11-03 14:05:18,QPSK 1/4,-1.5,not OK,64800\n"
    options = {"time": "at:date", "good": "crc=OK", "es_n0": "snr"}
    table = written(tmp_path, log)
    for modes, linear in (("dvb-s2", None), ("dvb-s2x", 32)):
        trace = import_trace("table", table, tmp_path / "phy.parquet", mode=f"modcod:{modes}", **options)
        assert trace.mode.tolist() == [13] * 5 + [0]
        assert trace.size_bytes.tolist() == [6011] * 5 + [16008 // 8 - 10 - 14 - 4]
        shown = json.loads(tmt("inspect", "--json", "phy.parquet", folder=tmp_path).out)
        assert {one["name"]: one["slots"] for one in shown["modes"]["used"]} == {"QPSK 1/4": 1, "8PSK 3/4": 5}
        more = tmp_path / "more.csv"
        more.write_text("at,modcod\n2026-11-03 14:05:10,8APSK 5/9-L\n")
        if linear is None:
            with pytest.raises(InputError, match="8APSK 5/9-L; a mode of dvb-s2, such as 8PSK 3/4"):
                import_trace("table", more, time="at:date", mode=f"modcod:{modes}")
        else:
            found = import_trace("table", more, time="at:date", mode=f"modcod:{modes}")
            assert found.mode.tolist() == [linear]
    own = import_trace("table", table, mode="modcod:dvb-s2", size="fec_bits:bits", **options)
    assert own.size_bytes.tolist() == [8100] * 6
    with pytest.raises(InputError, match="modcod is 8PSK 3/4; --mode 'modcod:dvb-s2' or"):
        import_trace("table", table, mode="modcod", **options)
    with pytest.raises(TmtError, match="has no meaning for frames"):
        import_trace("table", table, mode="modcod:dvb-s2", lldu_bytes=1500, **options)


@pytest.mark.parametrize(("size", "is_known"), [("", False), ("--lldu-bytes 100", True)])
def test_table__says_that_sizes_are_unknown(size: str, is_known: bool, tmp_path: Path) -> None:
    table = written(tmp_path, "t,ack\n0,1\n1,0\n")
    said = tmt(
        "import", "table", table, "phy.parquet", *f"--time t --good ack=1 {size}".split(), folder=tmp_path
    )
    note = "note: the sizes of rows are unknown: --lldu-bytes sets one, which `tmt new` and `tmt tune` need\n"
    assert said.out.endswith(note) != is_known
