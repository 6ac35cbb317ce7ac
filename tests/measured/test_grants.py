"""NR-Scope and NG-Scope: outcomes inferred from grants that were heard."""

import csv
import gzip
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from naive import on_link

from tests.measured.imports import import_trace
from tmt.core.convert import convert
from tmt.core.errors import InputError, UsageError
from tmt.core.trace import PhyTrace
from tmt.importers.attempts import in_order
from tmt.importers.grants import mark_repeats, read_grants

MS = 1_000_000
EPOCH_S = 1_727_307_156

NR_HEADER = (
    "timestamp,system_frame_index,slot_index,rnti,dci_format,mcs_index,transport_block_size,redundancy_version,"
    "new_data_indicator,harq_id,harq_feedback\n"
)


def nr(
    slot: int, bits: int, version: int, new_data: int, process: int, user: int = 17, form: str = "1_1"
) -> str:
    frame = slot // 10 % 1024
    stamp = f"{EPOCH_S + slot // 1000}.{slot % 1000:03}123"
    return f"{stamp},{frame},{slot % 10},{user},{form},5,{bits},{version},{new_data},{process},0\n"


def nr_log(folder: Path, text: str) -> Path:
    (folder / "dci.csv").write_text(NR_HEADER + text)
    return folder / "dci.csv"


def test_nr_scope__erases_a_grant_that_its_process_repeats(tmp_path: Path) -> None:
    """By hand, in milliseconds of the log.

    Process 4 fails at 0 (rv 2 at 7, of unknown size) and takes a new block at 20. Process 5 fails at 1 (rv 0,
    same NDI and size at 9). Process 6 has the same NDI and another size at 12: a grant between was not heard.
    Its repeat at 80 comes too late for the window.
    """
    path = nr_log(
        tmp_path,
        nr(10_235, 8000, 0, 0, 4)
        + nr(10_236, 800, 0, 1, 5)
        + nr(10_237, 1600, 0, 1, 6)
        + nr(10_238, 80, 0, 0, 4, user=99)
        + nr(10_242, 0, 2, 0, 4)
        + nr(10_244, 800, 0, 1, 5)
        + nr(10_247, 2400, 0, 1, 6)
        + nr(10_255, 4000, 0, 1, 4)
        + nr(10_256, 90, 0, 1, 4, form="0_1")
        + nr(10_315, 2400, 3, 1, 6),
    )
    phy = import_trace("auto", path, user="17")
    assert phy.metadata["importer"] == "nr-scope"
    assert [t // MS for t in phy.tx_time_ns.tolist()] == [0, 1, 2, 7, 9, 12, 20, 80]
    assert phy.size_bytes.tolist() == [1000, 100, 200, 1000, 100, 300, 500, 300]
    assert (phy.decode_time_ns == 0).tolist() == [True, True, *[False] * 6]
    notes = " | ".join(phy.metadata["notes"])
    assert (
        "of 2 repeats 1 came after a grant that was heard, 1 did not: about 50 % of the grants are missing"
        in notes
    )
    assert "1 grant of redundancy version 0 counts as repeated" in notes
    assert "1 of the same NDI and another size do not" in notes
    link = import_trace("auto", path, user="17", as_="link")
    assert link.transmissions.tolist() == [2, 2, 1, 1, 1, 1]
    assert [d // MS for d in link.delay_ns.tolist()] == [8, 9, 1, 1, 1, 1]


def test_nr_scope__leaves_out_grants_of_unknown_size(tmp_path: Path) -> None:
    path = nr_log(tmp_path, nr(0, 800, 0, 0, 1) + nr(1, 0, 0, 0, 2) + nr(2, 8, 0, 0, 3))
    trace = import_trace("nr-scope", path)
    assert trace.size_bytes.tolist() == [100, 1]
    assert "1 transmission of size 0 is left out" in trace.metadata["notes"]


def test_nr_scope__says_what_spacings_fit(tmp_path: Path) -> None:
    path = nr_log(tmp_path, nr(0, 800, 0, 0, 1) + nr(9, 800, 0, 0, 2))
    assert import_trace("nr-scope", path).tx_time_ns.tolist() == [0, 9 * MS]
    halves = import_trace("nr-scope", path, subcarrier_spacing=30)
    assert halves.tx_time_ns.tolist() == [0, 9 * MS // 2]


def test_nr_scope__matches_as_many_repeats_as_were_counted(measured_data: Path) -> None:
    """745 grants are repeats by redundancy version; 565 follow one of their process and NDI within 50 ms.

    Time stamps give 565, as counted before this importer was written. They lag by up to 70 ms, so that some
    lines stand out of order; by slot numbers, which are exact, 567 match.
    """
    path = measured_data / "formats" / "nrscope_5g_dci" / "t_mobile1_ueactivity_night_3.csv.gz"
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    stamps = [float(row["timestamp"]) for row in rows]
    slots = []
    for stamp, row in zip(stamps, rows, strict=True):
        slot_s = int(row["system_frame_index"]) / 100 + int(row["slot_index"]) / 1000
        # The stamps are 7.6 s and up to 0.07 s ahead of the slots, modulo 10.24 s.
        slots.append(slot_s + 10.24 * round((stamp - 7.6 - slot_s) / 10.24))
    matched = []
    for times in (stamps, slots):
        last: dict[tuple[str, ...], tuple[float, str]] = {}
        found = 0
        for time, row in sorted(zip(times, rows, strict=True), key=lambda pair: round(pair[0], 6)):
            key, new_data = (row["ue"], row["dci_format"], row["harq_id"]), row["new_data_indicator"]
            before = last.get(key, (0.0, ""))
            found += row["redundancy_version"] != "0" and time - before[0] < 0.0501 and before[1] == new_data
            last[key] = time, new_data
        matched.append(found)
    assert matched == [565, 567]
    grants = in_order(str(path), read_grants(str(path), None)[0])
    counts = mark_repeats(grants)
    assert (counts.heard, counts.heard + counts.unheard) == (567, 745)
    assert len(grants) == len(rows) == 18_114


def test_harq_processes__repeat_in_the_measured_slots_with_feedback_of_7(measured_data: Path) -> None:
    """NR repeats asynchronously: the scheduler chooses the slot.

    On the grants of each terminal, 16 processes retransmit in the measured slot for 79 % of the repeats if
    feedback takes 7 ms, and for at most 56 % if it takes more or less.
    """
    path = measured_data / "formats" / "nrscope_5g_dci" / "t_mobile1_ueactivity_night_3.csv.gz"
    grants = in_order(str(path), read_grants(str(path), None)[0])
    mark_repeats(grants)
    terminals = defaultdict[tuple[str, str], dict[int, int]](dict)
    measured = set()
    last: dict[tuple[str, str, int | None], int] = {}
    for grant in grants:
        terminal = grant.user, grant.direction
        if grant.repeat:
            measured.add((terminal, grant.time_ns))
            terminals[terminal][last.get((*terminal, grant.process), grant.time_ns)] = 0
        terminals[terminal][grant.time_ns] = MS
        last[*terminal, grant.process] = grant.time_ns
    matched = {}
    for feedback_ms in range(4, 11):
        scheme = on_link.harq_processes(
            (feedback_ms - 1) * MS, 16, max_transmissions=None, detection_delay_ns=MS
        )
        made = set()
        for terminal, slots in terminals.items():
            trace = PhyTrace(np.array(list(slots)), np.array(list(slots.values())))
            rows = convert(trace, *scheme).tx_time_ns
            made |= {(terminal, time_ns) for time_ns in slots.keys() - set(rows.tolist())}
        matched[feedback_ms] = len(measured & made)
    assert max(matched, key=matched.__getitem__) == 7
    assert (matched[7], len(measured)) == (598, 758)
    assert sorted(matched.values())[-2] <= 0.56 * len(measured)


def test_nr_scope__finds_a_user_s_bytes_in_the_sample(measured_data: Path) -> None:
    path = measured_data / "formats" / "nrscope_5g_dci" / "t_mobile2_ueactivity_afternoon_3.csv.gz"
    with gzip.open(path, "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["ue"] == "15" and row["dci_format"] == "0_1"]
    known = [int(row["transport_block_size"]) // 8 for row in rows if row["transport_block_size"] != "0"]
    trace = import_trace("auto", path, user="15", direction="up")
    assert not (Counter(known) - Counter(trace.size_bytes.tolist()))
    assert len(known) <= len(trace) <= len(rows)


def ng_down(tti: int, user: int, *words: tuple[int, int, int], process: int = 3) -> str:
    """Return a downlink line: redundancy version, bits and NDI of one or two code words."""
    first, second = (*words, (0, 0, 0))[:2]
    stamp = EPOCH_S * 1_000_000 + 1000 * tti
    fields = [tti % 10_240, user, 100, 20, 5, first[0], first[1], 5, second[0], second[1], process, stamp]
    return "\t".join(map(str, [*fields, first[2], second[2]])) + "\t\n"


def ng_up(tti: int, user: int, version: int, bits: int) -> str:
    fields = [tti % 10_240, user, 100, 20, 5, version, bits, 0, 0, 0, 0, EPOCH_S * 1_000_000 + 1000 * tti]
    return "\t".join(map(str, fields)) + "\t\n"


def test_ng_scope__reads_two_code_words_and_passes_over_empty_subframes(tmp_path: Path) -> None:
    """Both words fail at 10239 and 10247 ms, where the TTI has wrapped; the second needs a third attempt."""
    empty = "\t".join(["3", *["0"] * 10, str(EPOCH_S * 1_000_000 + 10_243_000), "0", "0"]) + "\t\n"
    (tmp_path / "dci_dl.txt").write_text(
        ng_down(10_239, 61, (0, 8000, 1), (0, 16_000, 1))
        + empty
        + ng_down(10_247, 61, (2, 8000, 1), (2, 16_000, 1))
        + ng_down(10_255, 61, (0, 800, 0), (3, 16_000, 1))
    )
    phy = import_trace("auto", tmp_path / "dci_dl.txt")
    assert phy.metadata["importer"] == "ng-scope"
    assert phy.tx_time_ns.tolist() == [0, 1, 8 * MS, 8 * MS + 1, 16 * MS, 16 * MS + 1]
    assert (phy.decode_time_ns == 0).tolist() == [True, True, False, True, False, False]
    link = import_trace("auto", tmp_path / "dci_dl.txt", as_="link")
    assert link.transmissions.tolist() == [2, 3, 1]
    assert link.size_bytes.tolist() == [1000, 2000, 100]


def test_ng_scope__takes_a_second_code_word_without_a_size_for_a_repeat(tmp_path: Path) -> None:
    """Its MCS of 29 says that the size is that of the grant before; an MCS of 5 without bits is none."""
    repeat = ng_down(10_247, 61, (2, 8000, 1), (2, 0, 1)).replace("\t5\t2\t0\t", "\t29\t2\t0\t")
    path = tmp_path / "dci_dl.txt"
    path.write_text(
        ng_down(10_239, 61, (0, 8000, 1), (0, 16_000, 1)) + repeat + ng_down(10_255, 61, (0, 800, 0))
    )
    phy = import_trace("auto", path)
    assert phy.size_bytes.tolist() == [1000, 2000, 1000, 2000, 100]


def test_ng_scope__takes_uplink_repeats_8_ms_later(tmp_path: Path) -> None:
    path = tmp_path / "dci_ul.txt"
    path.write_text(
        ng_up(100, 61, 0, 800) + ng_up(104, 61, 0, 800) + ng_up(108, 61, 1, 800) + ng_up(116, 61, 2, 800)
    )
    phy = import_trace("auto", path)
    assert (phy.decode_time_ns == 0).tolist() == [True, False, True, False]
    link = import_trace("auto", path, as_="link", direction="up")
    assert link.transmissions.tolist() == [3, 1]
    with pytest.raises(UsageError, match="--direction is down, but"):
        import_trace("auto", path, direction="down")


def test_ng_scope__takes_processes_without_new_data_indicators_for_a_downlink(tmp_path: Path) -> None:
    """Older versions print no NDI: only a redundancy version above 0 repeats, in its process."""

    def line(tti: int, version: int, process: int) -> str:
        stamp = EPOCH_S * 1_000_000 + 1000 * tti
        return "\t".join(map(str, [tti, 61, 100, 20, 5, version, 800, 0, 0, 0, process, stamp])) + "\t\n"

    path = tmp_path / "dci_raw_log_dl.dciLog"
    path.write_text(line(100, 0, 3) + line(101, 0, 4) + line(108, 0, 4) + line(109, 2, 3) + line(117, 0, 3))
    phy = import_trace("auto", path, direction="down")
    assert (phy.decode_time_ns == 0).tolist() == [True, False, False, False, False]
    with pytest.raises(UsageError, match="--direction is up, but"):
        import_trace("auto", path, direction="up")


def ng_json(rows: str, *, down: bool) -> str:
    """Spell tab-separated rows as later versions write them."""
    names = ["tti", "rnti", f"cell_{'dl' if down else 'ul'}_prb", "prb"]
    names += [f"TB{word}_{name}" for word in (1, 2) for name in ("mcs", "rv", "tbs")]
    names += ["harq", "timestamp_us", "TB1_ndi", "TB2_ndi"]
    records = []
    for row in rows.splitlines():
        fields = dict(zip(names, [*row.split("\t")[: len(names)], "0", "0"], strict=False))
        if not down:
            del fields["harq"]
        fields["collection_time"] = "0"
        records.append("{\n" + ",\n".join(f'"{name}": "{value}"' for name, value in fields.items()) + "\n}")
    return "[\n" + ",".join(records) + "]"


@pytest.mark.parametrize("down", [True, False])
def test_ng_scope__reads_the_json_of_later_versions_as_the_table(down: bool, tmp_path: Path) -> None:
    rows = (
        ng_down(10_239, 61, (0, 8000, 1), (0, 16_000, 1))
        + ng_down(10_247, 61, (2, 8000, 1), (2, 16_000, 1))
        + ng_down(10_255, 61, (0, 800, 0), (3, 16_000, 1))
        if down
        else ng_up(100, 61, 0, 800) + ng_up(104, 61, 0, 800) + ng_up(108, 61, 1, 800)
    )
    (tmp_path / "table.dciLog").write_text(rows)
    (tmp_path / "json.dciLog").write_text(ng_json(rows, down=down))
    table, json = (import_trace("auto", tmp_path / f"{name}.dciLog") for name in ("table", "json"))
    assert json.metadata["importer"] == "ng-scope"
    for column in (*table.table.names, "size_bytes"):
        np.testing.assert_array_equal(getattr(json, column), getattr(table, column))


def test_ng_scope__says_where_json_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "dl.dciLog"
    whole = ng_json(ng_down(1, 61, (0, 800, 0)) + ng_down(2, 61, (0, 800, 1), process=4), down=True)
    path.write_text(whole[: whole.rindex("TB2_ndi")])
    cut = import_trace("auto", path)
    assert len(cut) == 1
    assert "the last line is cut short and left out" in cut.metadata["notes"]
    path.write_text(whole.replace('"harq": "3"', '"harq"'))
    with pytest.raises(
        InputError, match=re.escape(f"{path}:18: this record, which ends here, is not a JSON")
    ):
        import_trace("ng-scope", path)
    path.write_text(whole.replace('"harq"', '"process"'))
    with pytest.raises(InputError, match=r"dl\.dciLog:18: this record, .* has no field harq"):
        import_trace("ng-scope", path)


def test_ng_scope__leaves_out_grants_for_several_terminals(tmp_path: Path) -> None:
    """System information (65535), paging (65534), random access (2), format 1C without redundancy version."""
    path = tmp_path / "dl.dciLog"
    path.write_text(
        ng_down(1, 65_535, (2, 256, 0))
        + ng_down(9, 65_534, (0, 72, 0))
        + ng_down(14, 2, (0, 56, 0))
        + ng_down(15, 7230, (-1, 0, 0))
        + ng_down(20, 61, (0, 800, 0))
    )
    phy = import_trace("auto", path)
    assert len(phy) == 1
    assert "4 grants of system information, paging and random access are left out" in phy.metadata["notes"]


def test_ng_scope__takes_the_size_of_a_repeat_without_one_from_its_block(tmp_path: Path) -> None:
    """MCS 29 to 31 have no size of their own; 4 as redundancy version of the uplink is a NACK."""
    path = tmp_path / "ul.dciLog"
    no_size = ng_up(108, 61, 1, 65_536).replace("\t5\t1\t", "\t29\t1\t")
    path.write_text(ng_up(100, 61, 0, 800) + no_size + ng_up(116, 61, 4, 0))
    phy = import_trace("auto", path)
    assert phy.size_bytes.tolist() == [100, 100, 100]
    assert (phy.decode_time_ns == 0).tolist() == [True, True, False]
