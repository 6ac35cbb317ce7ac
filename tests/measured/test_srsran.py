"""Base-station logs of srsRAN Project and srsRAN 4G."""

import gzip
import re
from pathlib import Path

from tests.measured.imports import import_trace, written

MS = 1_000_000


def line_5g(wall_ms: int, slot: str, rest: str) -> str:
    return f"2024-11-25T15:08:25.{wall_ms:03}000 [PHY     ] [D] [{slot:>8}] {rest}\n"


def pdsch(wall_ms: int, slot: str, process: int, size: int, version: int = 0, k1: int = 4) -> str:
    fields = f"rnti=0x4601 h_id={process} k1={k1} prb=[0, 92) mod=QPSK rv={version} tbs={size} t=1.0us"
    return line_5g(wall_ms, slot, f"PDSCH: {fields}")


def pucch(wall_ms: int, slot: str, ack: str) -> str:
    return line_5g(wall_ms, slot, f"PUCCH: rnti=0x4601 format=1 prb1=3 prb2=102 occ=0 ack={ack} t=1.0us")


def pusch(wall_ms: int, slot: str, size: int, crc: str, version: int = 0, more: str = "") -> str:
    fields = (
        f"rnti=0x4601 h_id=0 prb=[3, 6) mod=QPSK rv={version} tbs={size} crc={crc} iter=1.0{more} sinr=97.0dB"
    )
    return line_5g(wall_ms, slot, f"PUSCH: {fields}")


def test_downlink__is_joined_with_its_acknowledgement(tmp_path: Path) -> None:
    """By hand: NACK after k1 = 4 slots, repeated with rv 2 and ACK; one without an answer (DTX), sent again
    with rv 0 and ACK in a PUSCH; one block of another process without an acknowledgement in the log.
    """
    path = written(
        tmp_path,
        "2024-11-25T15:08:25.000000 [GNB     ] [I] a line of another layer\n"
        + line_5g(0, "17.8", "PDSCH: rnti=0xffff prb=[0, 3) mod=QPSK rv=0 tbs=10 t=66.2us")
        + pdsch(0, "20.0", 0, 325)
        + pdsch(1, "20.1", 1, 76)
        + pucch(4, "20.4", "0")
        + pucch(5, "20.5", "2")
        + pdsch(6, "20.8", 0, 325, version=2)
        + pdsch(7, "20.9", 1, 76)
        + pdsch(8, "21.0", 2, 500)
        + pucch(12, "21.2", "1")
        + pusch(13, "21.3", 11, "OK", more=" ack=1"),
    )
    phy = import_trace("auto", path)
    assert phy.metadata["importer"] == "srsran"
    assert [t // MS for t in phy.tx_time_ns.tolist()] == [0, 1, 8, 9, 10]
    assert (phy.decode_time_ns == 0).tolist() == [True, True, False, False, False]
    assert phy.metadata["notes"] == [
        "1 transmission of the other direction is left out",
        "1 block without an acknowledgement in the log counts as decoded",
        "1 block without an answer (DTX) counts as erased",
        "slots last 1 ms",
        "the log cannot tell how many of 5 attempts are erased: at least 1, at most 3; erased here: 2",
    ]
    link = import_trace("auto", path, as_="link")
    # The block without an acknowledgement is the last one: it may be lost, but the log ends.
    assert not any("cannot tell" in note for note in link.metadata["notes"])
    assert [d // MS for d in link.delay_ns.tolist()] == [9, 9, 1]
    assert link.transmissions.tolist() == [2, 2, 1]
    assert link.size_bytes.tolist() == [325, 76, 500]


def test_downlink__shares_an_acknowledgement_of_several_bits(tmp_path: Path) -> None:
    """Three blocks are due in slot 21.0; bits go in the order of the blocks, for any order of lines."""
    path = written(
        tmp_path,
        pdsch(0, "20.5", 1, 20, k1=5)
        + pdsch(1, "20.2", 0, 10, k1=8)
        + pdsch(2, "20.6", 2, 30)
        + pucch(9, "21.0", "101"),
    )
    trace = import_trace("srsran", path)
    assert list(zip(trace.size_bytes.tolist(), (trace.decode_time_ns == 0).tolist(), strict=True)) == [
        (10, False),
        (20, True),
        (30, False),
    ]


def test_uplink__counts_by_its_crc_and_wraps(tmp_path: Path) -> None:
    """The frame number wraps after 1023.9; a failed block comes again 8 ms later."""
    path = written(
        tmp_path,
        pusch(0, "1023.9", 11, "OK") + pusch(1, "0.0", 20, "KO") + pusch(9, "0.8", 20, "OK", version=2),
    )
    phy = import_trace("srsran", path, direction="up")
    assert [t // MS for t in phy.tx_time_ns.tolist()] == [0, 1, 9]
    assert (phy.decode_time_ns == 0).tolist() == [False, True, False]
    assert phy.es_n0_mdb.tolist() == [97_000] * 3  # sinr=97.0dB
    link = import_trace("srsran", path, direction="up", as_="link")
    assert link.tx_time_ns.tolist() == [0, MS]


def test_slots__are_shorter_with_a_wider_spacing(tmp_path: Path) -> None:
    """Slot numbers up to 15 mean 30 kHz, slots of 0.5 ms; --subcarrier-spacing says it for a short log."""
    path = written(tmp_path, pusch(0, "20.0", 11, "OK") + pusch(1, "20.15", 11, "OK"))
    assert import_trace("srsran", path).tx_time_ns.tolist() == [0, 15 * MS // 2]
    short = written(tmp_path, pusch(0, "20.0", 11, "OK") + pusch(1, "20.4", 11, "OK"))
    assert import_trace("srsran", short, subcarrier_spacing=120).tx_time_ns.tolist() == [0, MS // 2]


def line_4g(wall_ms: int, tti: int, rest: str) -> str:
    return f"2021-06-01T10:00:00.{wall_ms:03}000 [PHY0   ] [I] [{tti:5}] {rest}\n"


def test_4g__reads_both_directions_of_an_enodeb(tmp_path: Path) -> None:
    """The line of a downlink block has the TTI of its processing; its acknowledgement comes 4 ms later.

    Two code words have two bits. System information (0xffff) is left out.
    """
    down = "nof_prb=25, nof_re=3000, tbs={{{}}}, mod={{4}}, rv={{{}}}"
    path = written(
        tmp_path,
        line_4g(0, 10_236, f"PDSCH: cc=0, rnti=0xffff, {down.format('9', '0')}, tti_tx_dl=0")
        + line_4g(0, 10_237, f"PDSCH: cc=0, rnti=0x46, {down.format('500/600', '0/0')}, tti_tx_dl=1")
        + line_4g(4, 1, "PUSCH: cc=0, rnti=0x46, rb=(2,4), tbs=18, rv=0, crc=KO, avg_iter=4.0, snr=1 dB")
        + line_4g(8, 5, "PUCCH: cc=0; rnti=0x46, f=1b, n_pucch=12, corr=0.9, ack=10, ta=0.1 us")
        + line_4g(9, 6, f"PDSCH: cc=0, rnti=0x46, {down.format('600', '1')}, tti_tx_dl=10")
        + line_4g(12, 9, "PUSCH: cc=0, rnti=0x46, rb=(2,4), tbs=18, rv=2, crc=OK, avg_iter=1.0, snr=9 dB")
        + line_4g(17, 14, "PUCCH: cc=0; rnti=0x46, f=1a, n_pucch=12, corr=0.9, ack=1, ta=0.1 us"),
    )
    phy = import_trace("auto", path)
    assert phy.tx_time_ns.tolist() == [0, 1, 9 * MS]
    assert (phy.decode_time_ns == 0).tolist() == [False, True, False]
    down_link = import_trace("srsran", path, as_="link")
    assert down_link.transmissions.tolist() == [1, 2]
    up = import_trace("srsran", path, direction="up", as_="link")
    assert up.transmissions.tolist() == [2]
    assert up.delay_ns.tolist() == [9 * MS]


def test_4g__reads_a_clock_without_a_date_over_midnight(tmp_path: Path) -> None:
    """SrsLTE before 2021. The second line is logged 8 ms after the first one, in the next day."""
    block = "PUSCH: cc=0, rnti=0x49, rb=(2,46), nof_re=6480, tbs=157, mod=2, rv={}, crc={}, snr=0.3 dB"
    path = written(
        tmp_path,
        f"23:59:59.995289 [PHY1] [I] [10239] {block.format(0, 'KO')}\n"
        f"00:00:00.003688 [PHY1] [I] [    7] {block.format(2, 'KO')}\n"
        f"00:00:20.491688 [PHY1] [I] [   15] {block.format(0, 'OK')}\n",
    )
    phy = import_trace("auto", path)
    # The counter wraps every 10.24 s: twice between the last two lines.
    assert phy.tx_time_ns.tolist() == [0, 8 * MS, 20_496 * MS]
    assert (phy.decode_time_ns == 0).tolist() == [True, True, False]
    link = import_trace("srsran", path, as_="link")
    assert link.transmissions.tolist() == [2, 1]
    assert link.delivered.tolist() == [False, True]


def test_4g__reads_the_terminal_s_own_log(tmp_path: Path) -> None:
    fields = "cc=0, rnti=0x46, nof_prb=25, tbs={500/600}, rv={0/0}, crc={OK/KO}, it=2.0, snr=20.0 dB"
    phy = import_trace("auto", written(tmp_path, line_4g(0, 100, f"PDSCH: {fields}")))
    assert (phy.decode_time_ns == 0).tolist() == [False, True]


def test_srsran__finds_in_the_sample_what_grep_counts(measured_data: Path) -> None:
    """20 PDSCH and 15 PUSCH of the terminal; five acknowledgements are DTX (ack=2), every CRC is OK."""
    path = measured_data / "formats" / "srsran_gnb.log.gz"
    with gzip.open(path, "rt", errors="replace") as file:
        lines = [line for line in file if "[PHY" in line and "rnti=0x4601" in line]
    down = [line for line in lines if " PDSCH: " in line]
    up = [line for line in lines if " PUSCH: " in line]
    assert (len(down), len(up)) == (20, 15)
    phy = import_trace("auto", path)
    assert sorted(phy.size_bytes.tolist()) == sorted(int(re.findall(r" tbs=(\d+)", line)[0]) for line in down)
    assert int((phy.decode_time_ns == 0).sum()) == sum(" ack=2" in line for line in lines) == 5
    received = import_trace("auto", path, direction="up")
    assert sorted(received.size_bytes.tolist()) == sorted(
        int(re.findall(r" tbs=(\d+)", line)[0]) for line in up
    )
    assert (received.decode_time_ns > 0).all()
    # Slot times are those of the log: 10 ms a frame, 1 ms a slot.
    slots = sorted(float(re.findall(r"\[ *(\d+\.\d)\]", line)[0]) for line in down)
    first = min(float(re.findall(r"\[ *(\d+\.\d)\]", line)[0]) for line in down + up)
    assert [round(10 * (slot - first)) * MS for slot in slots] == phy.tx_time_ns.tolist()
