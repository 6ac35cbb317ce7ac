"""ns-3's traces of received and scheduled transport blocks, LTE, mmWave and NR."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError, UsageError
from tmt.core.schema import UNSETTLED
from tmt.io import read_phy

LTE = """% time\tcellId\tIMSI\tRNTI\ttxMode\tlayer\tmcs\tsize\trv\tndi\tcorrect\tccId
23\t1\t1\t4\t0\t0\t5\t19\t0\t1\t0\t0
23\t1\t2\t3\t0\t0\t5\t19\t0\t1\t1\t0
24\t1\t1\t4\t0\t0\t5\t40\t0\t1\t1\t0
31\t1\t1\t4\t0\t0\t5\t19\t1\t0\t1\t0
"""

MMWAVE = (
    "DL/UL\ttime\tframe\tsubF\tslot\t1stSym\tsymbol#\tcellId\trnti\tccId\ttbSize\tmcs\trv\tSINR(dB)\t"
    "corrupt\tTBler\n"
    "DL\t0.00403571\t0\t4\t0\t1\t1\t1\t1\t0\t88\t0\t0\t37.9687\t0\t0\n"
    "UL\t0.00503571\t0\t5\t0\t1\t1\t1\t1\t0\t90\t0\t0\t37.7398 \t1\t1\n"
    "DL\t0.00578571\t0\t5\t3\t1\t1\t1\t1\t0\t2126\t28\t0\t38.1625\t1\t1\n"
)

MAC = (
    "% time(s)\tcellId\tbwpId\tIMSI\tRNTI\tframe\tsframe\tslot\tsymStart\tnumSym\tstream\t"
    "harqId\tndi\trv\tmcs\ttbSize\n"
    "0.03\t1\t0\t7\t2\t3\t2\t1\t1\t12\t0\t15\t1\t0\t0\t84\n"
    "0.031\t1\t0\t7\t2\t3\t2\t2\t1\t12\t0\t14\t1\t0\t0\t84\n"
    "0.035\t1\t0\t7\t2\t3\t2\t3\t1\t12\t0\t15\t0\t1\t0\t84\n"
)


def test_ns3_lte__counts_milliseconds_and_correct_blocks(tmp_path: Path) -> None:
    """User 1: 19 bytes fail at 23 ms and are repeated at 31 ms; 40 bytes at 24 ms."""
    path = written(tmp_path, LTE)
    trace = import_trace("auto", path, user="1")
    assert trace.metadata["importer"] == "ns3-lte"
    assert trace.tx_time_ns.tolist() == [23_000_000, 24_000_000, 31_000_000]
    assert trace.decode_time_ns.tolist() == [0, 1_000_000, 1_000_000]
    assert trace.size_bytes.tolist() == [19, 40, 19]
    assert trace.metadata["notes"] == ["1 transmission of other users is left out"]
    link = import_trace("ns3-lte", path, user="1", as_="link")
    assert link.delay_ns.tolist() == [9_000_000, 1_000_000]
    assert link.transmissions.tolist() == [2, 1]


def test_ns3_lte__takes_a_file_without_transmission_mode_for_the_uplink(tmp_path: Path) -> None:
    up = "\n".join("\t".join(f for n, f in enumerate(row.split("\t")) if n != 4) for row in LTE.splitlines())
    path = written(tmp_path, up)
    assert len(import_trace("auto", path, user="1", direction="up")) == 3
    with pytest.raises(UsageError, match=r"--direction is down, but .* holds only the other direction"):
        import_trace("auto", path, user="1", direction="down")


def test_ns3_nr__reads_both_generations_of_columns(tmp_path: Path) -> None:
    """MmWave names `DL/UL` and `ccId`, NR `direction` and `bwpId`; a rank column may stand between."""
    down = import_trace("auto", written(tmp_path, MMWAVE))
    assert down.metadata["importer"] == "ns3-nr"
    assert down.tx_time_ns.tolist() == [4_035_710, 5_785_710]
    assert down.decode_time_ns.tolist() == [1_000_000, 0]
    assert down.es_n0_mdb.tolist() == [37_969, 38_162]
    assert down.mode.tolist() == [0, 28]
    newer = (
        "Time\tdirection\tframe\tsubF\tslot\t1stSym\tnSymbol\tcellId\tbwpId\tstreamId\trnti\ttbSize\tmcs\trank\trv\t"
        "SINR(dB)\tCQI\tcorrupt\tTBler\n"
        "0.0321205\tDL\t3\t2\t1\t1\t12\t1\t0\t0\t2\t84\t0\t1\t0\t66.7637\t15\t0\t0\n"
        "0.0321205\tDL\t3\t2\t1\t1\t12\t1\t1\t0\t2\t90\t0\t1\t0\t66.7637\t15\t1\t0\n"
    )
    two = import_trace("auto", written(tmp_path, newer))
    assert two.tx_time_ns.tolist() == [32_120_500, 32_120_501]
    assert two.size_bytes.tolist() == [84, 90]
    assert two.mode.tolist() == [0, 0]
    assert two.metadata["notes"] == ["1 block of the same moment as others is put 1 ns apart"]


@pytest.mark.parametrize(
    ("sinr", "es_n0_mdb"),
    [("-12.3456", -12_346), ("250", 100_000), ("-1e3", -100_000), ("nan", None), ("", None)],
)
def test_ns3_nr__keeps_the_sinr_in_its_range(sinr: str, es_n0_mdb: int | None, tmp_path: Path) -> None:
    trace = import_trace("ns3-nr", written(tmp_path, MMWAVE.replace("37.9687", sinr)))
    if es_n0_mdb is None:
        assert trace.es_n0_mdb is None
        assert "1 transmission has no SINR: Es/N0 is left out" in trace.metadata["notes"]
    else:
        assert trace.es_n0_mdb.tolist() == [es_n0_mdb, 38_162]


def test_ns3_nr__keeps_the_sinr_in_files_that_have_the_column(tmp_path: Path) -> None:
    path = written(tmp_path, MMWAVE)
    for name in ("up.csv", "up.npy"):
        import_trace("ns3-nr", path, tmp_path / name, direction="up", from_=0.005)
        trace = read_phy(tmp_path / name)
        assert trace.es_n0_mdb.tolist() == [37_740]
    assert not hasattr(import_trace("ns3-nr", path, direction="up", as_="link"), "es_n0_mdb")


def test_ns3_nr__reads_the_direction_from_a_column_without_a_name(tmp_path: Path) -> None:
    """Older versions begin their header with a tab; one has `imsi` and `SNR(dB)` besides."""
    header = (
        "\ttime\tframe\tsubF\tslot\t1stSym\tsymbol#\tcellId\trnti\timsi\ttbSize\tmcs\trv\tSINR(dB)\tSNR(dB)\t"
    )
    rows = (
        "DL\t0.004\t0\t4\t0\t1\t1\t1\t1\t9\t88\t0\t0\t37.9\t38\t1\t0\n"
        "UL\t0.005\t0\t5\t0\t1\t1\t1\t1\t9\t90\t0\t0\t37.9\t38\t0\t0\n"
    )
    path = written(tmp_path, header + "corrupt\tTBler\n" + rows)
    for direction, time_ns, size in (("down", 4_000_000, 88), ("up", 5_000_000, 90)):
        trace = import_trace("auto", path, direction=direction)
        assert trace.tx_time_ns.tolist() == [time_ns]
        assert trace.size_bytes.tolist() == [size]


def test_ns3_nr__joins_the_scheduler_s_attempts_by_process(tmp_path: Path) -> None:
    """Process 15 sends at 30 ms and again at 35 ms, process 14 once."""
    path = written(tmp_path, MAC)
    phy = import_trace("auto", path)
    assert phy.decode_time_ns.tolist() == [0, 1_000_000, 1_000_000]
    assert "an attempt counts as erased if it was repeated" in phy.metadata["notes"][0]
    link = import_trace("auto", path, as_="link", direction="up")
    assert link.tx_time_ns.tolist() == [30_000_000, 31_000_000]
    assert link.delay_ns.tolist() == [6_000_000, 1_000_000]
    assert link.transmissions.tolist() == [2, 1]


def test_table__with_columns_of_ns3_is_the_preset(tmp_path: Path) -> None:
    path = written(tmp_path, MMWAVE + "DL\t0.007\t0\t7\t0\t1\t1\t1\t1\t0\t2126\t28\t1\t-1.5\t0\t1\n")
    options = {"time": "time:s", "bad": "corrupt=1", "size": "tbSize", "es_n0": "SINR(dB)", "origin": "zero"}
    table = import_trace("table", path, where="DL/UL=DL,rnti=1", **options)
    preset = import_trace("ns3-nr", path, direction="down", user="1")
    assert len(preset) == 3
    for column in ("tx_time_ns", "decode_time_ns", "size_bytes", "es_n0_mdb"):
        np.testing.assert_array_equal(getattr(table, column), getattr(preset, column))


def test_ns3_nr__finds_in_the_mmwave_sample_what_awk_counts(measured_data: Path) -> None:
    """Blocks, bytes, corrupt blocks and their share, by splitting the lines at blanks."""
    path = measured_data / "formats" / "ns3mmwave_RxPacketTrace.txt.gz"
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file][1:]
    for direction, name, blocks in (("down", "DL", 3731), ("up", "UL", 3524)):
        here = [row for row in rows if row[0] == name]
        trace = import_trace("auto", path, direction=direction)
        assert len(trace) == len(here) == blocks
        assert trace.size_bytes.tolist() == [int(row[10]) for row in here]
        erased = trace.decode_time_ns == 0
        assert erased.tolist() == [row[14] == "1" for row in here]
        np.testing.assert_allclose(trace.tx_time_ns / 1e9, [float(row[1]) for row in here], rtol=0, atol=1e-9)
        # ns-3 draws each block's error with probability TBler, so errors count as independent draws do.
        expected = np.array([float(row[15]) for row in here])
        assert abs(erased.sum() - expected.sum()) < 4 * np.sqrt((expected * (1 - expected)).sum())
    assert sum(row[14] == "1" for row in rows) == 260


def test_ns3_nr__link_rows_and_repeats_are_the_attempts_of_the_sample(measured_data: Path) -> None:
    """Every attempt is a row or a repeat; without processes some repeats have no first attempt."""
    path = measured_data / "formats" / "ns3mmwave_RxPacketTrace.txt.gz"
    for direction, attempts in (("down", 3731), ("up", 3524)):
        link = import_trace("auto", path, direction=direction, as_="link")
        assert int(link.transmissions.sum()) == attempts
        lost_or_open = int((~link.delivered).sum())
        assert lost_or_open >= int((link.delay_ns == UNSETTLED).sum())


def test_ns3_lte__finds_in_the_sample_what_awk_counts(measured_data: Path) -> None:
    path = measured_data / "formats" / "ns3lte_DlRxPhyStats_head.txt"
    rows = [line.split() for line in path.read_text().splitlines()[1:]]
    for imsi in ("1", "2", "3", "4"):
        here = [row for row in rows if row[2] == imsi]
        trace = import_trace("auto", path, user=imsi)
        assert trace.size_bytes.tolist() == [int(row[7]) for row in here]
        assert int((trace.decode_time_ns == 0).sum()) == sum(row[10] == "0" for row in here)
        assert trace.tx_time_ns.tolist() == [int(row[0]) * 1_000_000 for row in here]


def test_ns3_nr__reads_the_samples_of_the_newer_version(measured_data: Path) -> None:
    folder = measured_data / "formats"
    for name, user, time, size in (
        ("ns3nr_RxPacketTrace.txt", 10, 0, 11),
        ("ns3nr_NrDlMacStats.txt", 4, 0, 15),
    ):
        rows = [line.split("\t") for line in (folder / name).read_text().splitlines()[1:]]
        for rnti in {row[user] for row in rows}:
            trace = import_trace("auto", folder / name, user=rnti)
            here = [row for row in rows if row[user] == rnti]
            assert trace.size_bytes.tolist() == [int(row[size]) for row in here]
            np.testing.assert_allclose(trace.tx_time_ns / 1e9, [float(row[time]) for row in here], atol=1e-9)


def test_ns3_nr__keeps_users_of_several_cells_apart(tmp_path: Path) -> None:
    """The same RNTI in two cells is two terminals."""
    text = MMWAVE + "DL\t0.006\t0\t4\t0\t1\t1\t2\t1\t0\t55\t0\t0\t37.9\t0\t0\n"
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=r"2 users; choose one by --user: 1/1 \(2 rows\), 2/1 \(1 row\)"):
        import_trace("ns3-nr", path)
    assert len(import_trace("ns3-nr", path, user="2/1")) == 1


def test_ns3__takes_two_blocks_at_one_time_of_a_user(tmp_path: Path) -> None:
    text = LTE.replace("31\t", "24\t1\t1\t4\t0\t0\t5\t19\t1\t0\t1\t0\n31\t")
    assert len(import_trace("ns3-lte", written(tmp_path, text), user="1")) == 4
