"""Logs as editors and interrupted programs leave them: line ends, blank lines, comments, a cut last line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.measured.damaged_logs import DAMAGE, check, damaged
from tmt.measured.files import import_trace

if TYPE_CHECKING:
    from pathlib import Path

EXCERPTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lte-harq": (
        "log_ms,sfn,subframe,attempt,tb_bytes\n",
        "0.0,1023,9,1,9\n8.1,0,7,2,9\n9.0,0,8,1,40\n",
        {},
    ),
    "ns3-lte": (
        "% time\tcellId\tIMSI\tRNTI\tlayer\tmcs\tsize\trv\tndi\tcorrect\n",
        "23\t1\t2\t3\t0\t0\t19\t0\t1\t0\n31\t1\t2\t3\t0\t0\t19\t1\t0\t1\n32\t1\t2\t3\t0\t0\t19\t0\t1\t1\n",
        {},
    ),
    "ns3-nr": (
        "Time\tdirection\tcellId\tbwpId\trnti\ttbSize\trv\tcorrupt\n",
        "0.03\tDL\t1\t0\t2\t84\t0\t1\n0.035\tDL\t1\t0\t2\t84\t1\t0\n0.036\tDL\t1\t0\t2\t84\t0\t0\n",
        {},
    ),
    "srsran": (
        "2024-11-25T15:08:25.000000 [GNB     ] [I] ready\n",
        "2024-11-25T15:08:25.001000 [PHY] [D] [1023.9] PUSCH: rnti=0x46 h_id=0 rv=0 tbs=11 crc=KO sinr=1dB\n"
        "2024-11-25T15:08:25.009000 [PHY] [D] [   0.7] PUSCH: rnti=0x46 h_id=0 rv=2 tbs=11 crc=OK sinr=1dB\n"
        "2024-11-25T15:08:25.010000 [PHY] [D] [   0.8] PUSCH: rnti=0x46 h_id=0 rv=0 tbs=12 crc=OK sinr=1dB\n",
        {},
    ),
    "mobileinsight": (
        '{"type_id": "LTE_RRC_Serv_Cell_Info", "timestamp": "2020-02-17 23:11:21"}\n',
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 10239, "Re-tx Index": "First", "PUSCH TB Size": 9}]}\n'
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 7, "Re-tx Index": "Second", "PUSCH TB Size": 9}]}\n'
        '{"type_id": "LTE_PHY_PUSCH_Tx_Report", "timestamp": "2020-02-17 23:11:22", "Records": ['
        '{"Current SFN SF": 8, "Re-tx Index": "First", "PUSCH TB Size": 9}]}\n',
        {},
    ),
    "nr-scope": (
        "timestamp,system_frame_index,slot_index,rnti,dci_format,transport_block_size,redundancy_version,"
        "new_data_indicator,harq_id\n",
        "1727307156.0,1023,9,17,1_1,800,0,0,4\n1727307156.007,0,6,17,1_1,800,2,0,4\n"
        "1727307156.02,1,9,17,1_1,800,0,1,4\n",
        {},
    ),
    "ng-scope": (
        "",
        "10239\t61\t100\t20\t5\t0\t800\t0\t0\t0\t3\t1727307156000000\t1\t0\t\n"
        "7\t61\t100\t20\t5\t2\t800\t0\t0\t0\t3\t1727307156008000\t1\t0\t\n"
        "8\t61\t100\t20\t5\t0\t800\t0\t0\t0\t4\t1727307156009000\t1\t0\t\n",
        {},
    ),
    "table": (
        "t,lost,size\n",
        "0,1,9\n0.008,0,9\n0.009,0,40\n",
        {"time": "t", "bad": "lost=1", "size": "size"},
    ),
}


@pytest.mark.parametrize("name", EXCERPTS)
def test_excerpt__reads_alike_with_other_line_ends_and_blank_lines(name: str, tmp_path: Path) -> None:
    header, rows, options = EXCERPTS[name]
    (tmp_path / "plain").write_text(header + rows)
    plain = import_trace(name, tmp_path / "plain", **options)
    assert len(plain) == 3
    assert (plain.decode_time_ns == 0).tolist() == [True, False, False]
    forms = {
        "DOS line ends": (header + rows).replace("\n", "\r\n"),
        "blank lines": header + rows.replace("\n", "\n\n") + "\n  \n",
        "comments": header + "# by hand\n" + rows + "# end\n",
        "a byte-order mark": "\ufeff" + header + rows,
    }
    for form, text in forms.items():
        (tmp_path / "other").write_bytes(text.encode())
        other = import_trace(name, tmp_path / "other", **options)
        for column in (*plain.table.names, "size_bytes"):
            np.testing.assert_array_equal(getattr(other, column), getattr(plain, column), err_msg=form)


@pytest.mark.parametrize("name", EXCERPTS)
def test_excerpt__that_ends_in_the_middle_of_a_line_loses_that_line(name: str, tmp_path: Path) -> None:
    header, rows, options = EXCERPTS[name]
    cut = rows.rstrip().rfind("\n")
    (tmp_path / "cut").write_text(header + rows[: cut + 1 + (len(rows) - cut) // 4])
    assert len(import_trace(name, tmp_path / "cut", **options)) == 2


@pytest.mark.parametrize("name", [name for name in EXCERPTS if name != "table"])
def test_excerpt__is_recognised(name: str, tmp_path: Path) -> None:
    header, rows, _ = EXCERPTS[name]
    (tmp_path / "log").write_text(header + rows)
    assert import_trace("auto", tmp_path / "log").metadata["importer"] == name


@pytest.mark.parametrize("name", EXCERPTS)
@settings(derandomize=True, deadline=None)
@given(damage=DAMAGE, reading=st.sampled_from(["phy", "link"]))
def test_excerpt__that_is_damaged_is_refused_or_makes_a_good_trace(
    name: str, damage: list[tuple[float, int, str]], reading: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Pieces of the text are replaced; the outcome is one line, or rows that a trace may have."""
    header, rows, options = EXCERPTS[name]
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    path.write_text(damaged(header + rows, damage), encoding="utf-8")
    check(name, path, reading=reading, **options)
