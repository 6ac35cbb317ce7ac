"""Logs of Amarisoft, in lines as the program writes them; outcomes by hand."""

from pathlib import Path

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError
from tmt.core.trace import Trace

MS = 10**6

HEAD = (
    "# lteenb version 2022-12-06, gcc 9.2.1\n# Log file format:\n"
    "# time layer dir ue_id {cell_id rnti sfn channel:} message\n"
    "15:45:02.385 [RRC] DL f000 00 BCCH-BCH-NR: MIB\n        {\n          spare '0'B\n        }\n"
)
DOWN = "PDSCH: harq={} prb=46:5 symb=1:13 k1=7 nl=2 CW0: tb_len={} mod=6 rv_idx={} cr=0.85 retx={}"


def line(moment_ms: int, way: str, frame: int, slot: int, message: str, rnti: str = "4602") -> str:
    clock = f"09:50:{moment_ms // 1000:02}.{moment_ms % 1000:03}"
    return f"{clock} [PHY] {way} 0009 04 {rnti}   {frame}.{slot} {message}\n"


GNB = HEAD + "".join(
    [
        line(300, "DL", 233, 0, DOWN.format("si", 111, 0, 0), "ffff"),
        line(300, "DL", 233, 2, DOWN.format(2, 912, 0, 0)),
        line(300, "DL", 233, 2, "PDCCH: ss_id=2 cce_index=0 al=2 dci=1_1") + "    mcs1=19\n",
        line(301, "DL", 233, 3, DOWN.format(3, 500, 0, 0)),
        line(305, "UL", 233, 9, "PUCCH: format=1 prb=50 prb2=0 symb=0:14 cs=1 occ=0 ack=0 snr=35.7"),
        line(306, "UL", 233, 10, "PUCCH: format=1 prb=50 prb2=0 symb=0:14 cs=9 occ=2 sr=1 snr=18.9"),
        line(306, "UL", 233, 10, "PUCCH: format=1 prb=50 prb2=0 symb=0:14 cs=1 occ=0 ack=1 snr=35.7"),
        line(310, "DL", 234, 2, DOWN.format(2, 912, 3, 1)),
        line(311, "DL", 234, 19, DOWN.format(3, 700, 0, 0)),
        line(313, "UL", 234, 9, "PUSCH: harq=0 prb=15:34 symb=0:14 CW0: tb_len=88 mod=2 rv_idx=0 retx=0 "
             "crc=KO snr=9.5 epre=-90 ack=1"),
        line(320, "DL", 235, 2, DOWN.format(3, 700, 2, 1)),
    ]
)  # fmt: skip
"""20 slots a frame. Process 2 fails (ack=0, 7 slots later); the PUSCH acknowledges its repeat."""


def imported(folder: Path, text: str, **options: object) -> Trace:
    (folder / "gnb0.log").write_text(text)
    return import_trace("auto", folder / "gnb0.log", **options)


def test_downlink__counts_by_acknowledgements_and_else_by_repeats(tmp_path: Path) -> None:
    """Slots 2, 3, 22, 39 and 42 of 0.5 ms; process 3 has no acknowledgement of slot 39 and is sent again."""
    trace = imported(tmp_path, GNB, direction="down")
    assert trace.metadata["importer"] == "amarisoft"
    assert (trace.tx_time_ns / MS).tolist() == [0, 0.5, 10, 18.5, 20]
    assert (trace.decode_time_ns == 0).tolist() == [True, False, False, True, False]
    assert trace.size_bytes.tolist() == [912, 500, 912, 700, 700]
    assert trace.metadata["notes"] == [
        "1 transmission of the other direction is left out",
        "2 blocks have no outcome in the log: decoded, unless a repeat follows",
        "slots last 0.5 ms",
        "the log cannot tell how many of 5 attempts are erased: at least 2, at most 3; erased here: 2",
    ]


def test_blocks__have_the_delay_of_their_decoded_attempt(tmp_path: Path) -> None:
    trace = imported(tmp_path, GNB, direction="down", as_="link", decode_time=0.001)
    assert (trace.delay_ns / MS).tolist() == [11, 1, 2.5]
    assert trace.transmissions.tolist() == [2, 1, 2]
    assert trace.delivered.tolist() == [True] * 3


def test_uplink__counts_by_its_crc_and_keeps_the_sinr(tmp_path: Path) -> None:
    more = line(
        330,
        "UL",
        236,
        9,
        "PUSCH: harq=0 prb=1 symb=0:14 CW0: tb_len=88 mod=2 rv_idx=2 retx=1 crc=OK snr=10.25 epre=-90 ta=0.1",
    )
    trace = imported(tmp_path, GNB + more, direction="up")
    assert (trace.decode_time_ns == 0).tolist() == [True, False]
    assert trace.es_n0_mdb.tolist() == [9500, 10250]


def test_lte__has_subframes_and_two_code_words(tmp_path: Path) -> None:
    """4G: 10 subframes a frame; both words of subframe 0 answer with one bit each, 4 subframes later."""
    two = "PDSCH: harq=0 k1=4 prb=23:2 CW0: tb_len=185 rv_idx=0 retx=0 CW1: tb_len=90 rv_idx=0 retx=0"
    text = line(1, "DL", 421, 0, two, "003d") + line(5, "UL", 421, 4, "PUCCH: format=1B n=12 ack=10", "003d")
    trace = imported(tmp_path, text)
    assert trace.size_bytes.tolist() == [185, 90]
    assert (trace.decode_time_ns == 0).tolist() == [False, True]
    assert trace.metadata["length_ns"] == MS


def test_terminal__logs_the_outcome_of_the_downlink(tmp_path: Path) -> None:
    text = "".join(
        line(
            n,
            "DL",
            16,
            n,
            f"PDSCH: harq={n} prb=1 CW0: tb_len=111 mod=2 rv_idx=0 crc={crc} snr=54.5",
        )
        for n, crc in ((1, "OK"), (2, "KO"))
    )
    trace = imported(tmp_path, text)
    assert (trace.decode_time_ns == 0).tolist() == [False, True]


def test_users__are_chosen_by_their_rnti(tmp_path: Path) -> None:
    text = GNB + line(400, "DL", 243, 2, DOWN.format(2, 9, 0, 0), "4603")
    with pytest.raises(InputError, match=r"there are 2 users; choose one by --user: 4602 \(5 .*4603 \(1"):
        imported(tmp_path, text)
    assert len(imported(tmp_path, text, user="4603")) == 1


def test_log__without_the_phy_says_what_to_switch_on(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this log of Amarisoft has no line of PDSCH.*: phy\.level=debug"):
        imported(tmp_path, HEAD)


def test_frames__wrap(tmp_path: Path) -> None:
    text = line(100, "DL", 1023, 19, DOWN.format(1, 9, 0, 0)) + line(101, "DL", 0, 0, DOWN.format(2, 9, 0, 0))
    assert np.diff(imported(tmp_path, text).tx_time_ns).tolist() == [MS // 2]
