"""Checks of rows: the first defect is found wherever chunks are cut, and fast and slow parsing agree."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from tmt.core import checks
from tmt.core.checks import Checker, Violation
from tmt.core.errors import InputError
from tmt.core.schema import LINK_TRACE, PHY_TRACE
from tmt.core.trace import LinkTrace, PhyTrace
from tmt.core.units import seconds_text, seconds_to_ns
from tmt.core.words.refusals import REFUSALS
from tmt.io import create_trace, fields, open_trace, read_phy, read_trace, write_trace
from traces.contract.maker import __main__ as contract
from traces.contract.maker.rows import ES_N0_MDB, LINK_ROWS, LINK_SIZES, MODES, PHY_ROWS, PHY_SIZES


def naive_defect(trace: LinkTrace) -> tuple[int, str] | None:
    """Row and key of the first defect, row by row, from the words of the schema."""
    previous = -1
    for row in range(len(trace)):
        tx, delay = int(trace.tx_time_ns[row]), int(trace.delay_ns[row])
        transmissions, delivered = int(trace.transmissions[row]), bool(trace.delivered[row])
        for wrong, key in [
            (tx < 0, "below_minimum"),
            (tx > 2**62, "above_maximum"),
            (tx == previous, "repeated"),
            (tx < previous, "not_sorted"),
            (delay < -1, "below_minimum_or_null"),
            (delay > 2**62, "above_maximum"),
            (transmissions < 1, "below_minimum"),
            (delivered and delay == -1, "delivered_without_delay"),
        ]:
            if wrong:
                return row, key
        previous = tx
    return None


def found_defect(trace: LinkTrace, cuts: list[int]) -> tuple[int, str] | None:
    checker = Checker(LINK_TRACE)
    violation: Violation | None = None
    for start, end in zip([0, *cuts], [*cuts, len(trace)], strict=True):
        violation = checker.check(LinkTrace(*(getattr(trace, n)[start:end] for n in LINK_TRACE.names)))
        if violation is not None:
            return violation.row, violation.key
    return None


rows = st.tuples(
    st.integers(-2, 40) | st.just(2**62 + 1),
    st.sampled_from([-2, -1, 0, 5, 2**62 + 1]) | st.integers(0, 9),
    st.booleans(),
    st.integers(0, 3),
)


@given(rows=st.lists(rows, max_size=12), data=st.data(), sort=st.booleans())
@settings(max_examples=400)
def test_checker__finds_the_first_defect_wherever_chunks_are_cut(
    rows: list[tuple[int, int, bool, int]], data: st.DataObject, *, sort: bool
) -> None:
    if sort:  # or hardly any list would get past its second row
        rows = sorted({row[0]: row for row in rows}.values())
    table = np.array(rows, LINK_TRACE.dtype)
    trace = LinkTrace(*(np.ascontiguousarray(table[name]) for name in LINK_TRACE.names))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    expected = naive_defect(trace)
    assert found_defect(trace, []) == expected
    assert found_defect(trace, cuts) == expected
    pieces = checks.PIECE_ROWS
    checks.PIECE_ROWS = 3
    try:
        assert found_defect(trace, cuts) == expected
    finally:
        checks.PIECE_ROWS = pieces


def test_reader__finds_a_defect_at_a_border_of_row_groups(tmp_path: Path) -> None:
    """Row groups and chunks have 262144 rows: the first row of the second one repeats the last time."""
    tx = np.arange(300_000, dtype=np.int64)
    write_trace(tmp_path / "phy.parquet", PhyTrace(tx, np.ones_like(tx)))
    assert len(read_phy(tmp_path / "phy.parquet")) == 300_000
    with pytest.raises(ValueError, match="row 262145: tx_time_ns is 262143 as in the row before"):
        write_trace(tmp_path / "bad.parquet", PhyTrace(np.where(tx < 262_144, tx, tx - 1), np.ones_like(tx)))
    lines = b"".join(b"%d 1\n" % (time - (time > 262_143)) for time in range(300_000))
    (tmp_path / "bad.txt").write_bytes(lines)
    with pytest.raises(InputError, match=r"bad\.txt:262145: tx_time is 262143 as in the row before"):
        read_phy(tmp_path / "bad.txt")


@pytest.mark.parametrize(("name", "unit"), [("a.txt", ""), ("a.csv", "_ns"), ("a.npy", "_ns")])
def test_reader__refuses_decode_times_that_are_moments(name: str, unit: str, tmp_path: Path) -> None:
    """Durations are not, even if they exceed the time of each slot, as in the first seconds of a trace."""
    tx = np.arange(300_000, dtype=np.int64) * 10_000
    erased = tx % 7 == 0
    for good in (np.full_like(tx, 5 * 10**9), np.where(tx == 10_000, 9_999, tx + 1), tx[::-1] + 3 * 10**9):
        write_trace(tmp_path / name, PhyTrace(tx, np.where(erased, 0, good)))
        assert len(read_phy(tmp_path / name)) == 300_000
    write_trace(tmp_path / name, PhyTrace(tx, np.where(erased, 0, tx + 36_000_000)))
    with pytest.raises(InputError, match=rf"{name}: decode_time{unit} grows with tx_time{unit}; it must be"):
        read_phy(tmp_path / name)


def test_parquet__with_empty_row_groups_is_read(tmp_path: Path) -> None:
    table = pa.table({"tx_time_ns": [1, 2, 3], "decode_time_ns": [4, 5, 6]})
    with pq.ParquetWriter(tmp_path / "phy.parquet", table.schema) as writer:
        for rows in (0, 3, 0):
            writer.write_table(table.slice(0, rows))
    assert pq.ParquetFile(tmp_path / "phy.parquet").num_row_groups == 3
    assert read_phy(tmp_path / "phy.parquet").tx_time_ns.tolist() == [1, 2, 3]


def test_parquet__of_a_later_version_is_read_with_a_warning(tmp_path: Path) -> None:
    later = PhyTrace(np.array([1]), np.array([1]), {"kind": "phy", "format_version": 2})
    write_trace(tmp_path / "phy.parquet", later)
    with pytest.warns(UserWarning, match=r"phy\.parquet: its format version 2 is newer than 1, which this"):
        assert len(read_phy(tmp_path / "phy.parquet")) == 1


@pytest.mark.parametrize(
    ("metadata", "key", "value"),
    [
        ({"lldu_bytes": "33"}, "lldu_bytes", '"33"'),
        ({"lldu_bytes": 0}, "lldu_bytes", "0"),
        ({"lldu_bytes": 33.5}, "lldu_bytes", "33.5"),
        ({"lldu_bytes": True}, "lldu_bytes", "true"),
        ({"slots": -3}, "slots", "-3"),
        ({"sent_bytes": 0}, "sent_bytes", "0"),
        ({"scheme": 5}, "scheme", "5"),
        ({"scheme": {"name": "fec", "data": 0, "repair": 1}}, "scheme.data", "0"),
        ({"scheme": {"name": "arq", "rtt_ns": "0.5"}}, "scheme.rtt_ns", '"0.5"'),
        ({"scheme": {"name": "arq", "rtt_ns": 2**63}}, "scheme.rtt_ns", str(2**63)),
    ],
)
def test_parquet__refuses_metadata(metadata: dict[str, Any], key: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "phy.parquet"
    write_trace(path, PhyTrace(np.array([1, 2]), np.array([1, 0]), metadata))
    with pytest.raises(InputError) as refused:
        read_phy(path)
    told = str(refused.value)
    assert told.startswith(f"{path}: the file is damaged: {key} in the metadata under the key tmt is {value}")
    assert "is needed" in told


def test_writer__refuses_a_trace_of_another_table(tmp_path: Path) -> None:
    chunk = PhyTrace(np.array([1]), np.array([1]))
    with (
        pytest.raises(ValueError, match="a phy trace cannot be written into a link trace"),
        create_trace(tmp_path / "link.npy", LINK_TRACE, {}) as writer,
    ):
        writer.write(chunk)
    assert list(tmp_path.iterdir()) == []


numbers = st.one_of(
    st.decimals(0, 4_611_686_018, places=9, allow_nan=False).map(str),
    st.decimals(0, 1000, allow_nan=False).map(str),
    st.floats(0, 4e9).map(repr),
    st.floats(0, 1e-6).map(repr),
)


@given(texts=st.lists(numbers, min_size=1, max_size=10))
@settings(max_examples=200)
def test_seconds__are_parsed_exactly_at_once_and_line_by_line(texts: list[str]) -> None:
    """Both ways must give the decimal number rounded half to even, as `seconds_to_ns` does digit by digit."""
    expected = [seconds_to_ns(text) for text in texts]
    block = "".join(f"{text} {text}\n" for text in texts).encode()
    dialect = fields.Dialect(" ", "-")
    layout = fields.Layout(PHY_TRACE, PHY_TRACE.columns[:2], (0, 1), 2, seconds=True)
    slow, error = fields.parse_lines(block, "file", 1, dialect, layout)
    assert error is None
    assert slow["tx_time_ns"].tolist() == expected
    fast = fields.parse_block(block, dialect, layout)
    if fast is not None:
        assert fast["decode_time_ns"].tolist() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.0000000005", 0),  # half to even
        ("0.0000000015", 2),
        ("0.00000000150000000000000001", 2),
        ("1e-9", 1),
        ("12345.678901234567890123", 12345678901235),
        ("4611686018.427387904", 2**62),
    ],
)
def test_seconds__are_parsed_at_once_up_to_24_places(text: str, expected: int) -> None:
    layout = fields.Layout(PHY_TRACE, PHY_TRACE.columns[:2], (0, 1), 2, seconds=True)
    parsed = fields.parse_block(f"{text} 0\n".encode(), fields.Dialect(" ", "-"), layout)
    if "00000000150000000000000001" in text:  # 26 places
        assert parsed is None
    else:
        assert parsed["tx_time_ns"].tolist() == [expected]
    assert seconds_to_ns(text) == expected


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [(0, "0"), (1, "0.000000001"), (10**9, "1"), (1_500_000_000, "1.5"), (2**62, "4611686018.427387904")],
)
def test_seconds__are_written_with_the_digits_they_need(time_ns: int, text: str) -> None:
    column = PHY_TRACE.column("tx_time_ns")
    written = fields.spelled_column(column, np.array([time_ns]), "-", seconds=True)
    assert written.to_pylist() == [text]
    assert seconds_text(time_ns) == text


def test_text__with_a_very_long_field_is_refused(tmp_path: Path) -> None:
    (tmp_path / "phy.txt").write_text("tx_time decode_time\n0 0.001\n" + 60_000 * "1" + "x 0.001\n")
    with pytest.raises(InputError, match=r"phy\.txt:3: .*seconds"):
        read_phy(tmp_path / "phy.txt")


def test_reader__shows_what_is_odd_in_a_file_in_one_printable_line(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes(b"0 1\n\x1b[31m\xff" + b"9" * 100 + b" 1\n")
    with pytest.raises(InputError) as refused, open_trace(path) as reader:
        list(reader)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < len(str(path)) + 120


CONTRACT = Path(__file__).resolve().parents[2] / "traces" / "contract"
TABLES = {"phy": PHY_TRACE, "link": LINK_TRACE}


def _expected() -> list[tuple[str, str, str, str]]:
    lines = (CONTRACT / "expected.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "file\tkind\tplace\treason"
    return [tuple(line.split("\t")) for line in lines[1:]]


EXPECTED = _expected()


@pytest.mark.parametrize(("name", "kind"), [(n, k) for n, k, _, reason in EXPECTED if not reason])
def test_good_file__holds_the_rows_that_were_written_down(name: str, kind: str) -> None:
    rows = PHY_ROWS if kind == "phy" else LINK_ROWS
    trace = read_trace(CONTRACT / name, TABLES[kind])
    assert read_trace(CONTRACT / name).table is TABLES[kind]
    if "sizes" in name:
        sizes = PHY_SIZES if kind == "phy" else LINK_SIZES
        assert trace.size_bytes.dtype == np.uint32
        np.testing.assert_array_equal(trace.size_bytes, sizes)
    else:
        assert trace.size_bytes is None
    if "es-n0" in name:
        assert trace.es_n0_mdb.dtype == np.int32
        np.testing.assert_array_equal(trace.es_n0_mdb, ES_N0_MDB)
    else:
        assert getattr(trace, "es_n0_mdb", None) is None
    if "mode" in name:
        assert trace.mode.dtype == np.uint8
        np.testing.assert_array_equal(trace.mode, MODES)
    else:
        assert getattr(trace, "mode", None) is None
    for column in TABLES[kind].columns:
        values = getattr(trace, column.name)
        assert values.dtype == column.dtype
        np.testing.assert_array_equal(values, rows[column.name])


@pytest.mark.parametrize(("name", "kind", "place", "reason"), [line for line in EXPECTED if line[3]])
def test_bad_file__is_refused_with_place_and_reason(name: str, kind: str, place: str, reason: str) -> None:
    path = CONTRACT / name
    with pytest.raises(InputError) as refused:
        read_trace(path, TABLES[kind])
    message = str(refused.value)
    expected = f"{path}:{place}: {reason}" if place else f"{path}: {reason}"
    if reason.endswith("..."):
        assert message.startswith(expected.removesuffix("..."))
    else:
        assert message == expected
    assert len(message.splitlines()) == 1


def test_contract__fires_every_refusal_there_is() -> None:
    reasons = [reason for *_, reason in EXPECTED]
    for key, template in REFUSALS.items():
        pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(template))
        assert any(re.fullmatch(pattern, reason) for reason in reasons), key


def test_contract__is_what_its_maker_makes(tmp_path: Path) -> None:
    contract.main(tmp_path)
    made = {path.name for path in tmp_path.iterdir()}
    kept = {path.name for path in CONTRACT.iterdir() if path.is_file()}
    assert kept == {"expected.tsv", "combining.tsv", *(name for name, *_ in EXPECTED)}
    assert made <= kept
    assert {Path(name).suffix for name in kept - made} == {".csv", ".txt", ".tsv"}
    for name in made:
        if ".parquet" not in name and not name.endswith(".gz"):  # those depend on the libraries' versions
            assert (tmp_path / name).read_bytes() == (CONTRACT / name).read_bytes(), name
