"""Tables of HARQ transmissions: blocks by hand, of sent blocks whose fate is known, and by a slow twin."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.measured.imports import import_trace, written
from tmt.core.errors import TmtError
from tmt.core.trace import Trace
from tmt.importers.attempts import GIVEN_UP_NS

MS = 1_000_000
OPTIONS: dict[str, Any] = {"time": "ms:ms", "good": "crc=OK", "process": "harq", "decode_time": 0.001}
FORMS = {
    "toggled": "ndi",
    "flag": "new=1",
    "from 0": "retx:count",
    "from 1": "attempt:count",
    "version": "rv=0",
}


def rows_of(trace: Trace) -> list[tuple[float, float, bool, int]]:
    return list(
        zip(
            (trace.tx_time_ns / MS).tolist(),
            (trace.delay_ns / MS).tolist(),
            trace.delivered.tolist(),
            trace.transmissions.tolist(),
            strict=True,
        )
    )


LOG = """ms,rnti,harq,ndi,new,retx,attempt,rv,mcs,tbs,crc
0,1,0,0,1,0,1,0,10,100,KO
1,1,1,0,1,0,1,0,11,200,OK
8,1,0,0,0,1,2,2,10,100,OK
9,1,1,1,1,0,1,0,12,300,KO
16,1,0,1,1,0,1,0,13,150,OK
17,1,1,1,0,1,2,2,29,,KO
25,1,1,0,1,0,1,0,14,120,OK
"""


@pytest.mark.parametrize("new_data", FORMS.values(), ids=FORMS)
def test_table__joins_the_transmissions_of_a_block(new_data: str, tmp_path: Path) -> None:
    """By hand: the block of 100 bytes is decoded at 8 + 1 ms, that of 300 lost at 17 + 1 ms, as its process
    sends another one. A retransmission of MCS 29 has the size of its block.
    """
    trace = import_trace("table", written(tmp_path, LOG), size="tbs", new_data=new_data, **OPTIONS)
    assert rows_of(trace) == [
        (0, 9, True, 2),
        (1, 1, True, 1),
        (9, 9, False, 2),
        (16, 1, True, 1),
        (25, 1, True, 1),
    ]
    assert trace.size_bytes.tolist() == [100, 200, 300, 150, 120]
    assert (trace.metadata["slots"], trace.metadata["notes"]) == (7, [])


def test_table__has_a_slot_for_each_transmission_as_phy(tmp_path: Path) -> None:
    """Without outcomes a transmission was erased if it was repeated."""
    path = written(tmp_path, LOG)
    options = OPTIONS | {"as_": "phy", "new_data": "ndi"}
    logged = import_trace("table", path, mode="mcs", **options)
    assert (logged.decode_time_ns / MS).tolist() == [0, 1, 1, 0, 1, 0, 1]
    assert logged.mode.tolist() == [10, 11, 10, 12, 13, 29, 14]
    del options["good"]
    inferred = import_trace("table", path, **options)
    assert (inferred.decode_time_ns / MS).tolist() == [0, 1, 1, 0, 1, 1, 1]
    assert inferred.metadata["notes"] == [
        "the log has no outcomes: an attempt counts as erased if it was repeated",
        "the log cannot tell how many of 7 attempts are erased: at least 2, at most 4; erased here: 2; a "
        "block of 2 attempts, as many as any has, may have been given up",
    ]


def test_table__takes_the_time_of_decoding_of_each_transmission(tmp_path: Path) -> None:
    text = "ms,harq,ndi,done\n0,0,0,\n8,0,0,10.5\n9,0,1,11\n"
    options = OPTIONS | {"good": None, "received": "done:ms", "new_data": "ndi"}
    trace = import_trace("table", written(tmp_path, text), **options)
    assert rows_of(trace) == [(0, 10.5, True, 2), (9, 2, True, 1)]


def test_table__keeps_processes_of_carriers_apart_and_users_out(tmp_path: Path) -> None:
    text = (
        "ms,rnti,cc,harq,ndi,crc\n0,1,0,3,0,KO\n0,1,1,3,0,OK\n4,2,0,3,1,OK\n8,1,0,3,0,OK\n8,1,1,3,1,KO\n"
        "16,1,1,3.0,1,OK\n"
    )
    options = OPTIONS | {"process": "cc+harq", "new_data": "ndi", "where": "rnti=1"}
    trace = import_trace("table", written(tmp_path, text), **options)
    apart_ms = 1 / MS
    assert rows_of(trace) == [
        (0, 9, True, 2),
        (apart_ms, 1, True, 1),
        (8 + apart_ms, 9 - apart_ms, True, 2),
    ]


def test_table__tells_repeats_of_blocks_that_are_not_in_the_log(tmp_path: Path) -> None:
    """By hand: both processes begin with repeats; retransmission 1 of 8 ms cannot follow 2, and the 70 bytes
    of 16 ms are not the block of 60: the transmissions between are missing.
    """
    rows = "0,0,2,50,KO 1,1,1,10,OK 8,0,1,50,OK 9,0,0,60,KO 16,0,1,70,OK 300,1,0,9,OK"
    text = "\n".join(["ms,harq,retx,tbs,crc", *rows.split()])
    path = written(tmp_path, text)
    trace = import_trace("table", path, size="tbs", new_data="retx:count", **OPTIONS)
    assert rows_of(trace) == [
        (0, 1, False, 1),
        (1, 1, True, 1),
        (8, 1, True, 1),
        (9, 1, False, 1),
        (16, 1, True, 1),
        (300, 1, True, 1),
    ]
    said = "4 blocks begin with a repeat (orphan), the first attempt is not known"
    assert said in trace.metadata["notes"][-1]
    flagged = import_trace("table", path, size="tbs", new_data="retx=0", **OPTIONS)
    assert rows_of(flagged)[:2] == [(0, 9, True, 2), (1, 1, True, 1)]


def test_table__says_that_transmissions_between_are_missing(tmp_path: Path) -> None:
    text = "ms,harq,ndi,tbs,crc\n0,0,0,50,OK\n8,0,0,70,OK\n16,0,1,70,KO\n"
    trace = import_trace("table", written(tmp_path, text), size="tbs", new_data="ndi", **OPTIONS)
    assert len(trace) == 3
    assert trace.metadata["notes"] == [
        "1 transmission has the ndi of the one before in its process, but another size: those between are "
        "missing",
    ]


def test_table__says_when_transmissions_follow_a_decoded_one(tmp_path: Path) -> None:
    """A flag of new data read as a bit that toggles joins all blocks of a process."""
    text = "ms,harq,new,crc\n0,0,1,OK\n8,0,1,OK\n16,0,1,KO\n"
    path = written(tmp_path, text)
    said = (
        "2 transmissions follow a decoded one of the same block: its acknowledgement was lost, or --new-data "
    )
    assert import_trace("table", path, new_data="new", **OPTIONS).metadata["notes"] == [
        f"{said}needs another form"
    ]
    right = import_trace("table", path, new_data="new=1", **OPTIONS)
    assert (len(right), right.metadata["notes"]) == (3, [])


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"process": "harq"}, "process: 'harq' has no meaning without new_data"),
        ({"new_data": "ndi"}, "new_data: 'ndi' has no meaning without process"),
        (
            {"process": "harq", "new_data": "ndi:flag"},
            "tells no new blocks; allowed: NAME, NAME:UNIT with unit",
        ),
        ({"process": "harq", "new_data": "=1"}, "tells no new blocks"),
        ({"process": "harq", "new_data": "ndi", "sequence": "n"}, "'n' has no meaning for HARQ processes"),
        (
            {"process": "harq", "new_data": "ndi", "transmissions": "n"},
            "'n' has no meaning for HARQ processes",
        ),
        ({"process": "harq", "new_data": "ndi", "line": 1e6}, "has no meaning for HARQ processes"),
        ({"process": "harq", "new_data": "ndi", "rate": "n"}, "has no meaning for intervals"),
        ({"process": "harq", "new_data": "ndi", "mode": "mcs"}, "has no meaning for blocks"),
    ],
)
def test_processes__are_refused_where_they_have_no_meaning(
    options: dict[str, Any], refused: str, tmp_path: Path
) -> None:
    with pytest.raises(TmtError, match=refused):
        import_trace("table", written(tmp_path, LOG), time="ms:ms", **options)


def sent_blocks(seed: int) -> tuple[str, list[tuple[float, float, bool, int]]]:
    """Return a log of processes that give up after four transmissions, and the blocks as sent."""
    source = np.random.default_rng(seed)
    rows: list[tuple[int, str]] = []
    blocks: list[tuple[float, float, bool, int]] = []
    for process in range(int(source.integers(1, 5))):
        time_ms, bit = process, int(source.integers(2))
        for _ in range(int(source.integers(1, 12))):
            size, first_ms, retx, good = int(source.integers(1, 3)), time_ms, 0, False
            while not good and retx < 4:
                good = bool(source.random() < 0.5)
                version, word = (0, 2, 3, 1)[retx], "OK" if good else "KO"
                line = f"{time_ms},{process},{bit},{int(retx == 0)},{retx},{retx + 1},{version},{size},{word}"
                rows.append((time_ms, line))
                sent_ms, retx, time_ms = time_ms, retx + 1, time_ms + 8 * int(source.integers(1, 30))
            blocks.append((first_ms, sent_ms + 1 - first_ms, good, retx))
            bit = 1 - bit
    # A block of another process, long after the last one, settles all.
    end_ms = max(time for time, _ in rows) + 1000
    rows.append((end_ms, f"{end_ms},9,0,1,0,1,0,1,OK"))
    blocks.append((end_ms, 1, True, 1))
    text = "\n".join(line for _, line in sorted(rows))
    return f"ms,harq,ndi,new,retx,attempt,rv,tbs,crc\n{text}\n", sorted(blocks)


@pytest.mark.parametrize("seed", range(40))
def test_every_form__gives_the_blocks_that_were_sent(seed: int, tmp_path: Path) -> None:
    text, blocks = sent_blocks(seed)
    path = written(tmp_path, text)
    for new_data in FORMS.values():
        trace = import_trace("table", path, size="tbs", new_data=new_data, **OPTIONS)
        assert rows_of(trace) == blocks


def slow_twin(
    rows: list[tuple[int, int, int, int, bool]], new_data: str
) -> list[tuple[float, float, bool, int]]:
    """Take each process by itself: a row joins the block of the row before if it repeats it.

    A row has its time in ms, process, value of the column, size and outcome.
    """
    least = min(value for _, _, value, _, _ in rows)
    end_ms = max(time for time, *_ in rows)
    found = []
    for process in {process for _, process, *_ in rows}:
        groups: list[list[tuple[int, int, int, int, bool]]] = []
        for row in sorted(row for row in rows if row[1] == process):
            value, before = row[2], groups[-1][-1] if groups else None
            joins = before is not None and row[3] == before[3]
            if new_data == "v":
                joins = joins and value == before[2]
            elif new_data == "v:count":
                joins = joins and value > least and value > before[2]
            else:
                joins = joins and value != 1
            if joins:
                groups[-1].append(row)
            else:
                groups.append([row])
        for at, group in enumerate(groups):
            good = [time for time, *_, decoded in group if decoded]
            last_ms = good[0] if good else group[-1][0]
            delay: float = last_ms + 1 - group[0][0]
            if not good and at == len(groups) - 1 and last_ms > end_ms - GIVEN_UP_NS / MS:
                delay = -1 / MS
            found.append((group[0][0], delay, bool(good), len(group)))
    return sorted(found)


@settings(max_examples=150)
@given(
    drawn=st.lists(
        st.tuples(st.integers(1, 60), st.integers(0, 2), st.integers(0, 1), st.integers(1, 2), st.booleans()),
        min_size=1,
        max_size=30,
    ),
    new_data=st.sampled_from(["v", "v:count", "v=1"]),
)
def test_table__is_its_slow_twin(
    drawn: list[tuple[int, int, int, int, bool]], new_data: str, tmp_path: Path
) -> None:
    """Rows at random, few of which a HARQ entity would send."""
    rows, time_ms = [], 0
    for step, *rest in drawn:
        time_ms += step
        rows.append((time_ms, *rest))
    if new_data == "v=1" and not any(value for _, _, value, _, _ in rows):
        new_data = "v=0"
    lines = [
        f"{time},{harq},{value},{size},{'OK' if good else 'KO'}" for time, harq, value, size, good in rows
    ]
    path = written(tmp_path, "\n".join(["ms,harq,v,tbs,crc", *lines]) + "\n")
    options = OPTIONS | {"origin": "zero", "size": "tbs", "new_data": new_data}
    if new_data == "v=0":
        rows = [(time, harq, 1, size, good) for time, harq, _, size, good in rows]
    assert rows_of(import_trace("table", path, **options)) == slow_twin(rows, new_data)


def test_sample_of_5g_lena__has_the_blocks_that_its_own_importer_finds(measured_data: Path) -> None:
    path = measured_data / "formats" / "ns3nr_NrDlMacStats.txt"
    own = import_trace("ns3-nr", path, user="2", as_="link")
    options = {"time": "time(s):s", "where": "RNTI=2", "process": "harqId", "new_data": "ndi=1"}
    table = import_trace("table", path, size="tbSize", origin="zero", **options)
    assert rows_of(table) == rows_of(own)
    assert table.size_bytes.tolist() == own.size_bytes.tolist()
