"""MobileInsight's decoded messages, as JSON and as XML."""

import csv
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace, log_of_gallery
from tmt.core.errors import InputError

MS = 1_000_000
EPOCH = datetime(2020, 2, 17, 23, 11, 21, 990862)
ORDINALS = ("First", "Second", "Third", "Fourth")


def message(kind: str, log_ms: float, records: list[dict[str, Any]]) -> dict[str, Any]:
    stamp = str(EPOCH + timedelta(milliseconds=log_ms))
    return {"log_msg_len": 88, "type_id": kind, "timestamp": stamp, "Version": 102, "Records": records}


def uplink(log_ms: float, *attempts: tuple[int, int, int]) -> dict[str, Any]:
    """Return a report of attempts: subframe count, number of the attempt, bytes."""
    records = [
        {
            "Current SFN SF": slot,
            "Carrier Index": "PCC",
            "Re-tx Index": ORDINALS[number - 1],
            "PUSCH TB Size": size,
        }
        for slot, number, size in attempts
    ]
    return message("LTE_PHY_PUSCH_Tx_Report", log_ms, records)


def downlink(log_ms: float, slot: int, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Return an indication of one subframe, given how its blocks differ from a good one."""
    plain = {
        "HARQ ID": 0,
        "RV": 0,
        "NDI": 0,
        "CRC Result": "Pass",
        "RNTI Type": "C-RNTI",
        "TB Index": 0,
        "TB Size": 10,
    }
    found = [plain | block for block in blocks]
    record = {
        "Subframe Num": slot % 10,
        "Frame Num": slot // 10,
        "Serving Cell Index": "PCELL",
        "Transport Blocks": found,
    }
    return message("LTE_PHY_PDSCH_Stat_Indication", log_ms, [record])


def xml(value: Any) -> str:
    """Spell a message as the decoder's XML: pairs, lists and dictionaries."""
    if isinstance(value, dict):
        return (
            "<dict>"
            + "".join(f'<pair key="{name}"{kind(item)}>{xml(item)}</pair>' for name, item in value.items())
            + "</dict>"
        )
    if isinstance(value, list):
        return "<list>" + "".join(f"<item{kind(item)}>{xml(item)}</item>" for item in value) + "</list>"
    return str(value)


def kind(value: Any) -> str:
    return {dict: ' type="dict"', list: ' type="list"'}.get(type(value), "")


def written(folder: Path, messages: list[dict[str, Any]], form: str = "json") -> Path:
    lines = [
        json.dumps(m) if form == "json" else xml(m).replace("dict>", "dm_log_packet>", 1) for m in messages
    ]
    if form == "xml":
        lines = [line.removesuffix("</dict>") + "</dm_log_packet>" for line in lines]
    (folder / f"phone.{form}").write_text("\n".join(lines) + "\n")
    return folder / f"phone.{form}"


@pytest.mark.parametrize("form", ["json", "xml"])
def test_uplink__erases_attempts_that_were_repeated(form: str, tmp_path: Path) -> None:
    """Subframes 5, 6 and 13, the repeat of 5; another message stands between. A report holds several."""
    path = written(
        tmp_path,
        [
            uplink(0, (10_237, 1, 9), (10_238, 1, 50)),
            message("LTE_RRC_Serv_Cell_Info", 3, []),
            uplink(8, (5, 2, 9)),
        ],
        form,
    )
    phy = import_trace("auto", path)
    assert phy.metadata["importer"] == "mobileinsight"
    assert [t // MS for t in phy.tx_time_ns.tolist()] == [0, 1, 8]
    assert (phy.decode_time_ns == 0).tolist() == [True, False, False]
    link = import_trace("auto", path, as_="link")
    assert link.transmissions.tolist() == [2, 1]


@pytest.mark.parametrize("form", ["json", "xml"])
def test_downlink__counts_by_crc_and_process(form: str, tmp_path: Path) -> None:
    """Process 3 fails and is repeated 8 ms later with RV 2; two code words share a subframe."""
    path = written(
        tmp_path,
        [
            downlink(
                0, 100, {"HARQ ID": 3, "CRC Result": "Fail", "TB Size": 44}, {"HARQ ID": 3, "TB Index": 1}
            ),
            downlink(2, 102, {"RNTI Type": "SI-RNTI", "TB Size": 31}),
            downlink(8, 108, {"HARQ ID": 3, "RV": 2, "TB Size": 44}),
            downlink(9, 109, {"HARQ ID": 3, "NDI": 1, "TB Size": 20}),
        ],
        form,
    )
    phy = import_trace("mobileinsight", path, direction="down")
    assert phy.mode is None
    assert phy.tx_time_ns.tolist() == [0, 1, 8 * MS, 9 * MS]
    assert (phy.decode_time_ns == 0).tolist() == [True, False, False, False]
    assert "1 block of system information, paging and random access is left out" in phy.metadata["notes"]
    link = import_trace("mobileinsight", path, as_="link")
    assert link.transmissions.tolist() == [2, 1, 1]
    assert link.delay_ns.tolist() == [9 * MS, MS, MS]


def test_downlink__counts_what_was_recombined_as_a_repeat(tmp_path: Path) -> None:
    """The cell has taken an ACK for a NACK, and repeats with RV 0 what has arrived."""
    first, again = {"HARQ ID": 3}, {"HARQ ID": 3, "Did Recombining": "Yes"}
    path = written(tmp_path, [downlink(0, 100, first), downlink(8, 108, again), downlink(9, 109, {"NDI": 1})])
    link = import_trace("mobileinsight", path, as_="link")
    assert link.transmissions.tolist() == [2, 1]


def test_downlink__keeps_the_mcs(tmp_path: Path) -> None:
    path = written(tmp_path, [downlink(0, 100, {"MCS": 7}), downlink(8, 108, {"NDI": 1, "MCS": 28})])
    assert import_trace("mobileinsight", path).mode.tolist() == [7, 28]


def test_streams__may_have_names_of_any_kind(tmp_path: Path) -> None:
    """A decoder that writes a list or an object where a carrier's number stands."""
    up, down = uplink(0, (1, 1, 9), (9, 2, 9)), downlink(0, 100, {"TB Index": [0]})
    for record in up["Records"]:
        record["Carrier Index"] = {"number": 1}
    assert len(import_trace("mobileinsight", written(tmp_path, [up]))) == 2
    assert len(import_trace("mobileinsight", written(tmp_path, [down]))) == 1


def test_directions__of_one_log_keep_one_clock(tmp_path: Path) -> None:
    """The first subframe of the log is an uplink one, 2 ms before the first of the downlink."""
    path = written(
        tmp_path, [uplink(0, (98, 1, 9), (99, 1, 50)), downlink(4, 100, {}), downlink(8, 104, {"NDI": 1})]
    )
    down = import_trace("mobileinsight", path, direction="down")
    assert down.tx_time_ns.tolist() == [2 * MS, 6 * MS]


def test_mobileinsight__reads_xml_that_stands_in_a_document(tmp_path: Path) -> None:
    """People wrap the decoder's messages in an element and indent them; console lines stand between."""
    plain = written(tmp_path, [uplink(0, (1, 1, 9), (2, 1, 50)), uplink(8, (9, 2, 9))], "xml")
    document = tmp_path / "document.xml"
    spread = plain.read_text().replace("><", ">\n  <").replace("  <dm_log", "<dm_log")
    document.write_text("<data>\n" + spread.replace("\n<dm", "\n[INFO] message\n<dm") + "</data>\n")
    expected, found = import_trace("auto", plain), import_trace("auto", document)
    for column in (*expected.table.names, "size_bytes"):
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))
    document.write_text(document.read_text().replace('<pair key="Version">102</pair>', "<pair>", 1))
    with pytest.raises(InputError, match=re.escape(f"{document}:2: this message is neither whole JSON")):
        import_trace("mobileinsight", document)


def test_uplink__knows_the_attempt_before_a_measurement_gap(tmp_path: Path) -> None:
    """The second attempt, at 9 ms, is numbered but not sent; at 17 ms the process had no other block."""
    path = written(tmp_path, [uplink(0, (1, 1, 9), (2, 1, 50)), uplink(16, (17, 3, 9), (26, 3, 50))])
    phy = import_trace("auto", path)
    assert [t // MS for t in phy.tx_time_ns.tolist()] == [0, 1, 16, 25]
    assert (phy.decode_time_ns == 0).tolist() == [True, False, False, False]
    link = import_trace("auto", path, as_="link")
    assert link.transmissions.tolist() == [2, 1, 1]
    assert link.metadata["notes"][-1].startswith("1 block begins with a repeat (orphan), the first attempt")


@pytest.mark.parametrize("source", ["gallery", "source"])
def test_mobileinsight__reads_what_the_csv_of_the_same_log_holds(
    source: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The CSV of `lte-harq` was selected from a MobileInsight log: put back into messages, both agree."""
    if source == "gallery":
        table = log_of_gallery(tmp_path)
    else:
        table = request.getfixturevalue("measured_data") / "mobileinsight_lte" / "lte_ul_pusch_harq.csv"
    with table.open() as file:
        rows = list(csv.DictReader(file))
    messages = [
        uplink(
            float(row["log_ms"]),
            (10 * int(row["sfn"]) + int(row["subframe"]), int(row["attempt"]), int(row["tb_bytes"])),
        )
        for row in rows
    ]
    path = written(tmp_path, messages)
    for reading in ("phy", "link"):
        ours, theirs = (import_trace("auto", path, as_=reading), import_trace("auto", table, as_=reading))
        for column in (*ours.table.names, "size_bytes"):
            np.testing.assert_array_equal(getattr(ours, column), getattr(theirs, column))


def test_mobileinsight__passes_over_a_last_message_that_was_cut(tmp_path: Path) -> None:
    path = written(tmp_path, [uplink(0, (1, 1, 9)), uplink(2, (3, 1, 9))])
    path.write_text(path.read_text() + '{"type_id": "LTE_PHY_PUSCH_Tx')
    assert len(import_trace("mobileinsight", path)) == 2
    path.write_text('{"type_id": \n' + path.read_text())
    with pytest.raises(InputError, match=re.escape(f"{path}:1: this message is neither whole JSON nor")):
        import_trace("mobileinsight", path)
