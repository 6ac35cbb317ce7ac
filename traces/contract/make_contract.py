"""Write the contract files: tiny traces that every reader accepts, and one for every reason to refuse.

Run as ``python traces/contract/make_contract.py`` after the refusals or the schema changed, and look at the
difference before it is committed: the files are the agreement between TMT's readers and the simulator's.

`expected.tsv` lists the files with what a reader that wants a trace of `kind` must say: nothing in `place`
and `reason` for a good file, else ``FILE:PLACE: REASON`` (``FILE: REASON`` where there is no place). A reason
that ends in ``...`` is completed by the library that reads the format.

`combining.tsv` lists erased transmissions of an LLDU by their Es/N0 with what a receiver that combines them
must decide, computed with fifty digits.
"""

from __future__ import annotations

import gzip
import io
import sys
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import prod
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.schema import FORMAT_VERSION, LINK_TRACE, PACKET_RECORDS, PHY_TRACE, Table, row_dtype
from tmt.core.words.refusals import REFUSALS, refusal
from tmt.io.base import wrong_columns
from tmt.io.parquet import WRITE_SETTINGS, arrow_schema

LATEST_NS = 2**62
"""The latest time allowed, by hand: 146 years."""

LARGEST_BYTES = 2**31 - 1
"""The largest size allowed, by hand: what a C++ `int` holds."""

PHY_ROWS = np.array(
    [(0, 200_000_000), (1_500_000, 0), (1_500_001, 1), (3_000_000, 123_456_789), (LATEST_NS, LATEST_NS)],
    PHY_TRACE.dtype,
)
"""What every good PHY trace here holds."""

LINK_ROWS = np.array(
    [
        (0, 20_000_000, True, 1),
        (1_500_000, 520_000_000, True, 2),
        (1_500_001, 1_000_000_000, False, 255),
        (3_000_000, 0, True, 1),
        (4_500_000, -1, False, 3),
        (LATEST_NS, LATEST_NS, True, 1),
    ],
    LINK_TRACE.dtype,
)
"""What every good link trace here holds: in time, late, given up, at no delay, unsettled, the latest."""


PHY_SIZES = (1, 40, 1500, 12_761, LARGEST_BYTES)
LINK_SIZES = (*PHY_SIZES, 7)
"""Sizes of the rows, from the least to the most allowed, in files that have them."""


ES_N0_MDB = (-100_000, -1, 0, 7250, 100_000)
"""Es/N0 of the slots, from the least to the most allowed, in files that have them."""

MODES = (0, 27, 1, 128, 255)
"""Modes of the slots, the least and the greatest among them, in files that have them."""


def sized(rows: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Return `rows` with a size each."""
    return with_column(rows, "size_bytes", "<u4", sizes)


def with_column(rows: np.ndarray, name: str, dtype: str, values: tuple[int, ...]) -> np.ndarray:
    """Return `rows` with one column more."""
    other = np.zeros(len(rows), [*rows.dtype.descr, (name, dtype)])
    for own in rows.dtype.names or ():
        other[own] = rows[own]
    other[name] = values
    return other


def with_es_n0_column(rows: np.ndarray, es_n0_mdb: tuple[int, ...] = ES_N0_MDB) -> np.ndarray:
    """Return `rows` with the Es/N0 of each slot."""
    return with_column(rows, "es_n0_mdb", "<i4", es_n0_mdb)


def with_modes(rows: np.ndarray) -> np.ndarray:
    """Return `rows` with the mode of each slot."""
    return with_column(rows, "mode", "|u1", MODES)


def with_sizes(text: bytes, separator: bytes, sizes: tuple[int, ...], name: bytes = b"size_bytes") -> bytes:
    """Return lines of text with a size, or another number, behind each but a header."""
    lines = text.splitlines()
    ends = [str(size).encode() for size in sizes]
    ends = [name] * (len(lines) - len(ends)) + ends
    return b"".join(line + separator + end + b"\n" for line, end in zip(lines, ends, strict=True))


@dataclass(frozen=True)
class Sample:
    """One file: its name and content, the trace that is wanted of it, and where and why it is refused."""

    name: str
    kind: str
    content: bytes
    place: str = ""
    reason: str = ""


def npy(rows: np.ndarray, version: tuple[int, int] = (1, 0)) -> bytes:
    """Return `rows` as a `.npy` file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, rows, version=version, allow_pickle=False)
    return file.getvalue()


def changed(rows: np.ndarray, row: int, **values: int) -> np.ndarray:
    """Return a copy of `rows` with other values in one row."""
    other = rows.copy()
    for name, value in values.items():
        other[name][row] = value
    return other


def parquet(table: pa.Table, **settings: object) -> bytes:
    """Return `table` as a Parquet file of row groups of two rows."""
    file = io.BytesIO()
    pq.write_table(table, file, **{"row_group_size": 2, **WRITE_SETTINGS, **settings})
    return file.getvalue()


def arrow(rows: np.ndarray, table: Table, metadata: dict[str, object]) -> pa.Table:
    """Return `rows` as they stand in Parquet: null delays for unsettled rows."""
    columns = next(form for form in table.forms if row_dtype(form) == rows.dtype)
    arrays = [
        pa.array(rows[column.name], mask=rows[column.name] == column.null if column.null else None)
        for column in columns
    ]
    return pa.table(arrays, arrow_schema(columns, metadata))


def flipped(content: bytes, where: int) -> bytes:
    """Return `content` with the bits of one byte inverted."""
    other = bytearray(content)
    other[where] ^= 0xFF
    return bytes(other)


def with_long_page(content: bytes) -> bytes:
    """Return a Parquet file whose first page claims 1 MiB less a byte in place of its own size.

    The header follows the four bytes PAR1: type, size and compressed size. Each is a byte 0x15 and a
    number, doubled, of seven bits a byte.
    """
    compressed_size = 9
    assert content[4:9:2] == b"\x15\x15\x15"
    return content[:compressed_size] + b"\xfe\xff\x7f" + content[compressed_size + 1 :]


def zipped(content: bytes) -> bytes:
    """Return `content` compressed, without a date."""
    return gzip.compress(content, mtime=0)


PHY_TXT = (
    b"0 0.2\n0.0015 0\n0.001500001 0.000000001\n0.003 0.123456789\n"
    b"4611686018.427387904 4611686018.427387904\n"
)
LINK_TXT = (
    b"0 0.02 true 1\n0.0015 0.52 true 2\n0.001500001 1 false 255\n0.003 0 true 1\n0.0045 - false 3\n"
    b"4611686018.427387904 4611686018.427387904 true 1\n"
)
PHY_CSV = (
    b"tx_time_ns,decode_time_ns\n0,200000000\n1500000,0\n1500001,1\n3000000,123456789\n"
    b"4611686018427387904,4611686018427387904\n"
)
LINK_CSV = (
    b"tx_time_ns,delay_ns,delivered,transmissions\n0,20000000,true,1\n1500000,520000000,true,2\n"
    b"1500001,1000000000,false,255\n3000000,0,true,1\n4500000,,false,3\n"
    b"4611686018427387904,4611686018427387904,true,1\n"
)
METADATA: dict[str, object] = {"format_version": FORMAT_VERSION}


def good_sized() -> list[Sample]:
    """Files with a size for each row that must be read."""
    phy, link = sized(PHY_ROWS, PHY_SIZES), sized(LINK_ROWS, LINK_SIZES)
    return [
        Sample("link-sizes.npy", "link", npy(link)),
        Sample("link-sizes.parquet", "link", parquet(arrow(link, LINK_TRACE, METADATA))),
        Sample("link-sizes.csv", "link", with_sizes(LINK_CSV, b",", LINK_SIZES)),
        Sample("link-sizes.txt", "link", with_sizes(LINK_TXT, b" ", LINK_SIZES)),
        Sample("phy-sizes.npy", "phy", npy(phy)),
        Sample("phy-sizes.parquet", "phy", parquet(arrow(phy, PHY_TRACE, METADATA))),
        Sample("phy-sizes.csv.gz", "phy", zipped(with_sizes(PHY_CSV, b",", PHY_SIZES))),
        Sample("phy-sizes.txt", "phy", with_sizes(PHY_TXT, b" ", PHY_SIZES)),
    ]


def with_es_n0(text: bytes, es_n0_mdb: tuple[int, ...] = ES_N0_MDB) -> bytes:
    """Return lines of CSV with the Es/N0 of each slot."""
    return with_sizes(text, b",", es_n0_mdb, b"es_n0_mdb")


def phy_with_es_n0(rows: np.ndarray, es_n0_mdb: pa.Array) -> bytes:
    """Return a PHY trace with the Es/N0 of each slot as a Parquet file."""
    return parquet(arrow(rows, PHY_TRACE, METADATA).append_column("es_n0_mdb", es_n0_mdb))


def good_with_es_n0() -> list[Sample]:
    """PHY traces with the Es/N0 of each slot that must be read."""
    sized_phy, column = sized(PHY_ROWS, PHY_SIZES), pa.array(ES_N0_MDB, pa.int32())
    header = b"tx_time decode_time es_n0_mdb\n"
    return [
        Sample("phy-es-n0.npy", "phy", npy(with_es_n0_column(PHY_ROWS))),
        Sample("phy-sizes-es-n0.npy", "phy", npy(with_es_n0_column(sized_phy))),
        Sample("phy-es-n0.parquet", "phy", phy_with_es_n0(PHY_ROWS, column)),
        Sample("phy-es-n0.csv", "phy", with_es_n0(PHY_CSV)),
        Sample("phy-es-n0.txt", "phy", header + with_sizes(PHY_TXT, b" ", ES_N0_MDB)),
        Sample("phy-sizes-es-n0.parquet", "phy", phy_with_es_n0(sized_phy, column)),
        Sample("phy-sizes-es-n0.csv", "phy", with_es_n0(with_sizes(PHY_CSV, b",", PHY_SIZES))),
    ]


def good_with_modes() -> list[Sample]:
    """PHY traces with the mode of each slot that must be read."""
    all_columns = phy_with_es_n0(sized(PHY_ROWS, PHY_SIZES), pa.array(ES_N0_MDB, pa.int32()))
    text = with_sizes(PHY_CSV, b",", MODES, b"mode")
    return [
        Sample("phy-mode.npy", "phy", npy(with_modes(PHY_ROWS))),
        Sample("phy-es-n0-mode.npy", "phy", npy(with_modes(with_es_n0_column(PHY_ROWS)))),
        Sample("phy-sizes-mode.npy", "phy", npy(with_modes(sized(PHY_ROWS, PHY_SIZES)))),
        Sample(
            "phy-sizes-es-n0-mode.npy",
            "phy",
            npy(with_modes(with_es_n0_column(sized(PHY_ROWS, PHY_SIZES)))),
        ),
        Sample(
            "phy-sizes-es-n0-mode.parquet",
            "phy",
            parquet(
                pq.read_table(io.BytesIO(all_columns)).append_column("mode", pa.array(MODES, pa.uint8()))
            ),
        ),
        Sample("phy-mode.csv", "phy", text),
        Sample("phy-es-n0-mode.csv", "phy", with_es_n0(text)),
    ]


def bad_mode() -> list[Sample]:
    """PHY traces that must be refused for their modes."""
    text = with_sizes(PHY_CSV, b",", MODES, b"mode")
    return [
        Sample(
            "mode-too-large.csv",
            "phy",
            text.replace(b",255\n", b",256\n"),
            "6",
            refusal("above_maximum", column="mode", value=256, maximum=255),
        ),
        Sample(
            "mode-cut-in-a-row.npy",
            "phy",
            npy(with_modes(PHY_ROWS))[:-1],
            reason=refusal("truncated", promised=5, held=4),
        ),
    ]


def bad_es_n0() -> list[Sample]:
    """PHY traces that must be refused for their Es/N0."""
    column = "es_n0_mdb"
    return [
        Sample(
            "es-n0-too-large.csv",
            "phy",
            with_es_n0(PHY_CSV, (*ES_N0_MDB[:4], 100_001)),
            "6",
            refusal("above_maximum", column=column, value=100_001, maximum=100_000),
        ),
        Sample(
            "es-n0-too-large.npy",
            "phy",
            npy(with_es_n0_column(PHY_ROWS, (*ES_N0_MDB[:4], 100_001))),
            "row 5",
            refusal("above_maximum", column=column, value=100_001, maximum=100_000),
        ),
        Sample(
            "sizes-es-n0-too-small.npy",
            "phy",
            npy(with_es_n0_column(sized(PHY_ROWS, PHY_SIZES), (ES_N0_MDB[0], -100_001, *ES_N0_MDB[2:]))),
            "row 2",
            refusal("below_minimum", column=column, value=-100_001, minimum=-100_000),
        ),
        Sample(
            "es-n0-cut-in-a-row.npy",
            "phy",
            npy(with_es_n0_column(PHY_ROWS))[:-1],
            reason=refusal("truncated", promised=5, held=4),
        ),
        Sample(
            "es-n0-of-other-type.npy",
            "phy",
            npy(with_es_n0_column(PHY_ROWS).astype([*PHY_ROWS.dtype.descr, ("es_n0_mdb", "<i8")])),
            reason=wrong_columns("", PHY_TRACE).reason,
        ),
        Sample(
            "phy-es-n0-as-link.npy",
            "link",
            npy(with_es_n0_column(PHY_ROWS)),
            reason=refusal("other_kind", found="phy", kind="link"),
        ),
        Sample(
            "es-n0-too-small.parquet",
            "phy",
            phy_with_es_n0(PHY_ROWS, pa.array((-100_001, *ES_N0_MDB[1:]), pa.int32())),
            "row 1",
            refusal("below_minimum", column=column, value=-100_001, minimum=-100_000),
        ),
        Sample(
            "es-n0-missing.csv",
            "phy",
            with_es_n0(PHY_CSV).replace(b",7250\n", b",\n"),
            "5",
            refusal("null", column=column),
        ),
        Sample(
            "es-n0-no-integer.csv",
            "phy",
            with_es_n0(PHY_CSV).replace(b",7250\n", b",7.25\n"),
            "5",
            refusal("not_integer", column=column, value="7.25"),
        ),
        Sample(
            "es-n0-of-other-type.parquet",
            "phy",
            phy_with_es_n0(PHY_ROWS, pa.array(ES_N0_MDB, pa.int64())),
            reason=wrong_columns(
                "", PHY_TRACE, "tx_time_ns int64, decode_time_ns int64, es_n0_mdb int64"
            ).reason,
        ),
    ]


def good() -> list[Sample]:
    """Files without sizes that must be read; their rows stand above."""
    foreign = pa.table({"note": ["a"] * len(PHY_ROWS), **{name: PHY_ROWS[name] for name in PHY_TRACE.names}})
    return [
        Sample("link.npy", "link", npy(LINK_ROWS)),
        Sample("link-version-2.npy", "link", npy(LINK_ROWS, (2, 0))),
        Sample("link-version-3.npy", "link", npy(LINK_ROWS, (3, 0))),
        Sample("link.parquet", "link", parquet(arrow(LINK_ROWS, LINK_TRACE, METADATA))),
        Sample("link.parquet.gz", "link", zipped(parquet(arrow(LINK_ROWS, LINK_TRACE, METADATA)))),
        Sample("link.csv", "link", LINK_CSV),
        Sample("link.csv.gz", "link", zipped(LINK_CSV)),
        Sample("link.txt", "link", LINK_TXT),
        Sample("phy.npy", "phy", npy(PHY_ROWS)),
        Sample("phy.parquet", "phy", parquet(arrow(PHY_ROWS, PHY_TRACE, METADATA))),
        Sample(
            "phy-of-another-program.parquet",
            "phy",
            parquet(foreign, use_dictionary=True, column_encoding=None, compression="snappy"),
        ),
        Sample("phy.csv", "phy", PHY_CSV),
        Sample("phy-in-seconds.csv", "phy", b"tx_time,decode_time\n" + PHY_TXT.replace(b" ", b",")),
        Sample(
            "phy-columns-swapped.csv",
            "phy",
            b'"decode_time_ns","note","tx_time_ns"\n'
            + b"".join(b"%d,,%d\n" % (row["decode_time_ns"], row["tx_time_ns"]) for row in PHY_ROWS),
        ),
        Sample("phy.txt", "phy", PHY_TXT),
        Sample("phy.txt.gz", "phy", zipped(PHY_TXT)),
        Sample("phy-header.txt", "phy", b"tx_time decode_time\n" + PHY_TXT),
        Sample(
            "phy-comments.txt", "phy", b"# seconds\n" + PHY_TXT.replace(b"\n", b"\n # next\n", 2) + b"\n \n"
        ),
        Sample("link-comments.csv", "link", b"# made by hand\n" + LINK_CSV + b"# the end\n\n"),
        Sample("phy-tabs-and-crlf.txt", "phy", PHY_TXT.replace(b" ", b" \t ").replace(b"\n", b" \r\n")),
        Sample("phy-without-last-newline.txt", "phy", PHY_TXT.rstrip()),
        Sample(
            "phy-floating-point.txt",
            "phy",
            b"0e0 2.0e-1\n1.5e-3 0.0\n0.0015000010000000002 9.9999999999999995e-10\n"
            b"+.003 0.12345678900000000123456789\n4611686018.427387904 4611686018.427387904\n",
        ),
    ]


def bad_npy() -> list[Sample]:
    """Link traces for the simulator that it and TMT refuse with the same words."""
    content, header = npy(LINK_ROWS), len(npy(LINK_ROWS)) - LINK_ROWS.nbytes

    def rows(name: str, place: str, reason: str, row: int, **values: int) -> Sample:
        return Sample(f"{name}.npy", "link", npy(changed(LINK_ROWS, row, **values)), place, reason)

    flag = changed(LINK_ROWS, 0).view(np.uint8).reshape(len(LINK_ROWS), -1)
    flag[2, 16] = 2  # delivered stands after two times of eight bytes
    plain = np.arange(6)
    return [
        Sample("empty.npy", "link", b"", reason=refusal("empty_file")),
        Sample("no-npy.npy", "link", LINK_CSV, reason=refusal("not_npy")),
        Sample(
            "unknown-version.npy",
            "link",
            content[:6] + b"\x04" + content[7:],
            reason=refusal("npy_version", major=4, minor=0),
        ),
        Sample("header-cut.npy", "link", content[:40], reason=refusal("npy_header")),
        Sample("header-magic-only.npy", "link", content[:6], reason=refusal("npy_header")),
        Sample(
            "header-without-shape.npy",
            "link",
            content.replace(b"'shape'", b"'shade'"),
            reason=refusal("npy_header"),
        ),
        Sample("other-columns.npy", "link", npy(plain), reason=wrong_columns("", LINK_TRACE).reason),
        Sample(
            "other-column-order.npy",
            "link",
            npy(np.zeros(1, [(name, LINK_TRACE.dtype[name]) for name in reversed(LINK_TRACE.names)])),
            reason=wrong_columns("", LINK_TRACE).reason,
        ),
        Sample(
            "phy-as-link.npy", "link", npy(PHY_ROWS), reason=refusal("other_kind", found="phy", kind="link")
        ),
        Sample(
            "packets-as-link.npy",
            "link",
            npy(np.zeros(1, PACKET_RECORDS.dtype)),
            reason=refusal("other_kind", found="packets", kind="link"),
        ),
        Sample("two-dimensions.npy", "link", npy(LINK_ROWS.reshape(2, 3)), reason=refusal("npy_shape")),
        Sample("no-dimension.npy", "link", npy(LINK_ROWS[0].reshape(())), reason=refusal("npy_shape")),
        Sample("no-rows.npy", "link", npy(LINK_ROWS[:0]), reason=refusal("no_rows")),
        Sample("cut-in-a-row.npy", "link", content[:-1], reason=refusal("truncated", promised=6, held=5)),
        Sample(
            "cut-after-header.npy", "link", content[:header], reason=refusal("truncated", promised=6, held=0)
        ),
        Sample("one-byte-too-many.npy", "link", content + b"\0", reason=refusal("trailing_bytes", extra=1)),
        rows(
            "negative-time",
            "row 1",
            refusal("below_minimum", column="tx_time_ns", value=-5, minimum=0),
            0,
            tx_time_ns=-5,
        ),
        rows(
            "time-beyond-limit",
            "row 6",
            refusal("above_maximum", column="tx_time_ns", value=LATEST_NS + 1, maximum=LATEST_NS),
            5,
            tx_time_ns=LATEST_NS + 1,
        ),
        rows("repeated-time", "row 2", refusal("repeated", column="tx_time_ns", value=0), 1, tx_time_ns=0),
        rows(
            "unsorted-times",
            "row 3",
            refusal("not_sorted", column="tx_time_ns", value=1_499_999, previous=1_500_000),
            2,
            tx_time_ns=1_499_999,
        ),
        rows(
            "negative-delay",
            "row 4",
            refusal("below_minimum_or_null", column="delay_ns", value=-2, minimum=0, null=-1),
            3,
            delay_ns=-2,
        ),
        rows(
            "delay-beyond-limit",
            "row 4",
            refusal("above_maximum", column="delay_ns", value=LATEST_NS + 1, maximum=LATEST_NS),
            3,
            delay_ns=LATEST_NS + 1,
        ),
        Sample(
            "delivered-is-2.npy",
            "link",
            npy(flag.reshape(-1).view(LINK_TRACE.dtype)),
            "row 3",
            refusal("not_flag", column="delivered", value=2),
        ),
        rows(
            "no-transmission",
            "row 1",
            refusal("below_minimum", column="transmissions", value=0, minimum=1),
            0,
            transmissions=0,
        ),
        rows("delivered-without-delay", "row 5", refusal("delivered_without_delay"), 4, delivered=1),
        Sample(
            "size-zero.npy",
            "link",
            npy(sized(LINK_ROWS, (*LINK_SIZES[:5], 0))),
            "row 6",
            refusal("below_minimum", column="size_bytes", value=0, minimum=1),
        ),
        Sample(
            "size-too-large.npy",
            "link",
            npy(sized(LINK_ROWS, (2**31, *LINK_SIZES[1:]))),
            "row 1",
            refusal("above_maximum", column="size_bytes", value=2**31, maximum=LARGEST_BYTES),
        ),
        Sample(
            "phy-sizes-as-link.npy",
            "link",
            npy(sized(PHY_ROWS, PHY_SIZES)),
            reason=refusal("other_kind", found="phy", kind="link"),
        ),
        Sample(
            "sizes-cut-in-a-row.npy",
            "link",
            npy(sized(LINK_ROWS, LINK_SIZES))[:-1],
            reason=refusal("truncated", promised=6, held=5),
        ),
        rows(
            "several-defects",
            "row 2",
            refusal("repeated", column="tx_time_ns", value=0),
            1,
            tx_time_ns=0,
            delay_ns=-2,
            transmissions=0,
        ),
    ]


def bad_text() -> list[Sample]:
    """Text and CSV that are refused, most with the number of a line."""

    def txt(name: str, old: bytes, new: bytes, line: int, reason: str) -> Sample:
        assert old in PHY_TXT, name
        return Sample(f"{name}.txt", "phy", PHY_TXT.replace(old, new, 1), str(line), reason)

    def csv(name: str, old: bytes, new: bytes, line: int, reason: str) -> Sample:
        assert old in LINK_CSV, name
        return Sample(f"{name}.csv", "link", LINK_CSV.replace(old, new, 1), str(line), reason)

    latest = "4611686018.427387904"
    link_header = ",".join(LINK_TRACE.names)

    def csv_header(found: str) -> str:
        needed = f"{link_header}; or in seconds {link_header.replace('_ns', '')}"
        return refusal("csv_header", found=found, columns=needed)

    phy_zipped = zipped(PHY_TXT)
    return [
        Sample("empty.txt", "phy", b"", reason=refusal("empty_file")),
        Sample("empty.csv.gz", "link", b"", reason=refusal("empty_file")),
        Sample("header-only.csv", "link", LINK_CSV.splitlines(keepends=True)[0], reason=refusal("no_rows")),
        txt("blank-line", b"0.003", b"\n0.003", 4, refusal("fields", found=0, needed=2)),
        txt("three-fields", b"0.003 ", b"0.003 1 ", 4, refusal("fields", found=3, needed=2)),
        txt(
            "not-a-number",
            b"0.003 ",
            b"zero ",
            4,
            refusal("not_seconds", column="tx_time", value="zero"),
        ),
        txt("nan", b"0.123456789", b"nan", 4, refusal("null_erased", column="decode_time")),
        txt(
            "huge-negative-exponent",
            b"0.123456789",
            b"1e-40000000",
            4,
            refusal("not_seconds", column="decode_time", value="1e-40000000"),
        ),
        Sample(
            "separated-by-semicolons.csv",
            "phy",
            b"# Excel\n" + PHY_CSV.replace(b",", b";"),
            "2",
            refusal("separator", found="semicolons"),
        ),
        Sample(
            "separated-by-tabs.csv",
            "phy",
            PHY_CSV.replace(b",", b"\t"),
            "1",
            refusal("separator", found="tabs"),
        ),
        Sample(
            "time-erased.csv",
            "phy",
            b"time,erased\n0,0\n0.0015,1\n",
            "1",
            refusal(
                "csv_header",
                found="time,erased",
                columns="tx_time_ns,decode_time_ns; "
                "or in seconds tx_time,decode_time (decode_time 0: erased)",
            ),
        ),
        Sample(
            "size-zero.csv",
            "link",
            with_sizes(LINK_CSV, b",", (*LINK_SIZES[:5], 0)),
            "7",
            refusal("below_minimum", column="size_bytes", value=0, minimum=1),
        ),
        Sample(
            "size-too-large.txt",
            "phy",
            with_sizes(PHY_TXT, b" ", (*PHY_SIZES[:4], 2**32)),
            "5",
            refusal("above_maximum", column="size_bytes", value=2**32, maximum=LARGEST_BYTES),
        ),
        Sample(
            "size-missing.txt",
            "phy",
            with_sizes(PHY_TXT, b" ", PHY_SIZES).replace(b" 1500\n", b" -\n"),
            "3",
            refusal("null", column="size_bytes"),
        ),
        txt(
            "infinite", b"0.123456789", b"-inf", 4, refusal("not_seconds", column="decode_time", value="-inf")
        ),
        txt(
            "negative-decode-time",
            b"0.123456789",
            b"-0.5",
            4,
            refusal("below_minimum", column="decode_time", value="-0.5", minimum=0),
        ),
        txt(
            "time-beyond-limit",
            b"4611686018.427387904 ",
            b"1e30 ",
            5,
            refusal("above_maximum", column="tx_time", value="1e30", maximum=latest),
        ),
        txt("repeated-time", b"0.0015 ", b"0 ", 2, refusal("repeated", column="tx_time", value=0)),
        txt(
            "repeated-when-rounded",
            b"0.001500001 ",
            b"0.0015000000004 ",
            3,
            refusal("repeated", column="tx_time", value="0.0015"),
        ),
        txt(
            "unsorted-times",
            b"0.003 ",
            b"0.0014 ",
            4,
            refusal("not_sorted", column="tx_time", value="0.0014", previous="0.001500001"),
        ),
        txt("missing-value", b"0.123456789", b"-", 4, refusal("null_erased", column="decode_time")),
        Sample(
            "one-column.txt",
            "phy",
            b"1\n2\n",
            "1",
            refusal("text_columns", found="1", columns="tx_time decode_time"),
        ),
        Sample(
            "no-text.txt",
            "phy",
            bytes(64),
            reason=refusal("other_format", ending="text", found="something else"),
        ),
        Sample(
            "before-begin.csv",
            "link",
            b"# begin_ns=1 length_ns=9000000\n" + LINK_CSV,
            "3",
            refusal("before_begin", column="tx_time_ns", value=0, begin=1),
        ),
        Sample(
            "after-end.txt",
            "phy",
            b"# begin=0 length=0.003\n" + PHY_TXT,
            "5",
            refusal("after_end", column="tx_time", value="0.003", end="0.003"),
        ),
        Sample(
            "two-lengths.csv",
            "link",
            b"# begin_ns=0 length_ns=5\n# begin_ns=0 length_ns=6\n" + LINK_CSV,
            "2",
            refusal("two_lengths", one="0 ns and 6 ns", two="0 ns and 5 ns", elsewhere="in line 1"),
        ),
        Sample(
            "length-is-no-number.txt",
            "phy",
            b"# begin=0 length=nan\n" + PHY_TXT,
            "1",
            refusal(
                "comment_of_length",
                found="# begin=0 length=nan",
                needed="# begin_ns=0 length_ns=200000000, or in seconds # begin=0 length=0.2",
            ),
        ),
        Sample("long-line.txt", "phy", b"1 " * 40_000, "1", refusal("long_line", limit=65_536)),
        Sample("csv-as.txt", "phy", PHY_CSV, reason=refusal("other_format", ending="text", found="CSV")),
        Sample("link-as-phy.txt", "phy", LINK_TXT, reason=refusal("other_kind", found="link", kind="phy")),
        Sample("not-gzip.txt.gz", "phy", PHY_TXT, reason=refusal("not_gzip")),
        Sample("gzip.txt", "phy", phy_zipped, reason=refusal("gzip")),
        Sample("cut.txt.gz", "phy", phy_zipped[:-1], "6", refusal("gzip_cut")),
        Sample("wrong-checksum.txt.gz", "phy", flipped(phy_zipped, -5), "6", refusal("gzip_damaged")),
        csv(
            "misnamed-column",
            b"delay_ns",
            b"delay_ms",
            1,
            csv_header(link_header.replace("delay_ns", "delay_ms")),
        ),
        csv(
            "column-twice",
            b"delay_ns",
            b"tx_time_ns",
            1,
            csv_header(link_header.replace("delay_ns", "tx_time_ns")),
        ),
        csv(
            "fraction",
            b"1500000,",
            b"1500000.5,",
            3,
            refusal("not_integer", column="tx_time_ns", value="1500000.5"),
        ),
        csv("flag", b"false,3", b"no,3", 6, refusal("not_flag", column="delivered", value="no")),
        csv(
            "negative-delay",
            b"520000000",
            b"-2",
            3,
            refusal("below_minimum_or_null", column="delay_ns", value=-2, minimum=0, null=-1),
        ),
        csv(
            "too-many-transmissions",
            b"255",
            b"256",
            4,
            refusal("above_maximum", column="transmissions", value=256, maximum=255),
        ),
        csv("delivered-without-delay", b",,false", b",,true", 6, refusal("delivered_without_delay")),
        Sample("phy-as-link.csv", "link", PHY_CSV, reason=refusal("other_kind", found="phy", kind="link")),
        Sample(
            "parquet-as.csv",
            "link",
            parquet(arrow(LINK_ROWS, LINK_TRACE, {})),
            reason=refusal("other_format", ending="CSV", found="Parquet"),
        ),
    ]


def bad_parquet() -> list[Sample]:
    """Parquet files that are refused."""
    phy = arrow(PHY_ROWS, PHY_TRACE, METADATA)
    content = parquet(phy)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    last_column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(2).column(1)
    last_byte = last_column.data_page_offset + last_column.total_compressed_size - 1
    other_type = phy.set_column(0, "tx_time_ns", phy["tx_time_ns"].cast(pa.timestamp("ns")))
    nullable = pa.table({"tx_time_ns": [0, None, 2], "decode_time_ns": [1, 1, 1]})
    damaged = REFUSALS["damaged"].format(detail="...")

    def columns(found: str) -> str:
        return wrong_columns("", PHY_TRACE, found).reason

    return [
        Sample("cut.parquet", "phy", content[:-1], reason=damaged),
        Sample("damaged-footer.parquet", "phy", flipped(content, footer), reason=damaged),
        Sample("damaged-last-row-group.parquet", "phy", flipped(content, last_byte), "row group 3", damaged),
        Sample(
            "page-beyond-the-file.parquet",
            "phy",
            with_long_page(content),
            "row group 1",
            refusal("damaged", detail="..."),
        ),
        Sample(
            "csv-as.parquet", "phy", PHY_CSV, reason=refusal("other_format", ending="Parquet", found="CSV")
        ),
        Sample(
            "missing-column.parquet",
            "phy",
            parquet(phy.drop_columns(["decode_time_ns"])),
            reason=columns("tx_time_ns int64"),
        ),
        Sample(
            "other-type.parquet",
            "phy",
            parquet(other_type),
            reason=columns("tx_time_ns timestamp[ns], decode_time_ns int64"),
        ),
        Sample("no-rows.parquet", "phy", parquet(phy.slice(0, 0)), reason=refusal("no_rows")),
        Sample(
            "missing-value.parquet", "phy", parquet(nullable), "row 2", refusal("null", column="tx_time_ns")
        ),
        Sample(
            "sizes-twice.parquet",
            "phy",
            parquet(arrow(sized(PHY_ROWS, PHY_SIZES), PHY_TRACE, {**METADATA, "lldu_bytes": 1500})),
            reason=refusal("sizes_twice"),
        ),
        Sample(
            "size-of-other-type.parquet",
            "phy",
            parquet(phy.append_column("size_bytes", pa.array(PHY_SIZES, pa.int64()))),
            reason=columns("tx_time_ns int64, decode_time_ns int64, size_bytes int64"),
        ),
        Sample(
            "metadata-nested.parquet",
            "phy",
            parquet(phy.replace_schema_metadata({"tmt": "[" * 100_000 + "]" * 100_000})),
            reason=refusal("metadata"),
        ),
        Sample(
            "unsorted-across-row-groups.parquet",
            "phy",
            parquet(arrow(changed(PHY_ROWS, 2, tx_time_ns=7), PHY_TRACE, METADATA)),
            "row 3",
            refusal("not_sorted", column="tx_time_ns", value=7, previous=1_500_000),
        ),
        Sample(
            "metadata-not-json.parquet",
            "phy",
            parquet(phy.replace_schema_metadata({"tmt": "made by hand"})),
            reason=refusal("metadata"),
        ),
    ]


def samples() -> list[Sample]:
    """Every contract file."""
    return [
        *(*good(), *good_sized(), *good_with_es_n0(), *good_with_modes()),
        *(*bad_npy(), *bad_text(), *bad_parquet(), *bad_es_n0(), *bad_mode()),
    ]


def combined_transmissions() -> list[str]:
    """Lines of `combining.tsv`: combining, threshold in dB, whether it is reached, the transmissions' Es/N0.

    Thresholds lie from 1e-11 dB to 10 dB below or above what the transmissions reach, a third of them as near
    as 64-bit numbers can tell.
    """
    numbers, lines = Random(1), ["combining\tcombining_threshold_db\tdecoded\tes_n0_mdb"]
    with localcontext(prec=50):
        for number in range(600):
            kind = ("chase", "incremental")[number % 2]
            es_n0_mdb = [numbers.randint(-25_000, 25_000) for _ in range(numbers.randint(2, 6))]
            snrs = [Decimal(10) ** (Decimal(mdb) / 10_000) for mdb in es_n0_mdb]
            reached = sum(snrs) if kind == "chase" else prod(1 + snr for snr in snrs) - 1
            off_db = 10 ** numbers.choice((-11.0, numbers.uniform(-10, -3), numbers.uniform(-3, 1)))
            threshold_db = float(10 * Decimal(reached).log10()) + numbers.choice((-1, 1)) * off_db
            decoded = reached >= Decimal(10) ** (Decimal(threshold_db) / 10)
            values = " ".join(map(str, es_n0_mdb))
            lines.append(f"{kind}\t{threshold_db!r}\t{int(decoded)}\t{values}")
    return lines


def main(folder: Path) -> None:
    """Write all files and the list of what is expected."""
    lines = ["file\tkind\tplace\treason"]
    for sample in samples():
        (folder / sample.name).write_bytes(sample.content)
        lines.append("\t".join((sample.name, sample.kind, sample.place, sample.reason)))
    (folder / "expected.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    combined = combined_transmissions()
    (folder / "combining.tsv").write_text("\n".join(combined) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
