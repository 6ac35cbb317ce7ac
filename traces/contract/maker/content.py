"""What the contract files hold, and how rows become bytes."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.schema import FORMAT_VERSION, LINK_TRACE, PHY_TRACE, Table, row_dtype
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


@dataclass(frozen=True)
class Sample:
    """One file: its name and content, the trace that is wanted of it, and where and why it is refused."""

    name: str
    kind: str
    content: bytes
    place: str = ""
    reason: str = ""


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


def with_es_n0(text: bytes, es_n0_mdb: tuple[int, ...] = ES_N0_MDB) -> bytes:
    """Return lines of CSV with the Es/N0 of each slot."""
    return with_sizes(text, b",", es_n0_mdb, b"es_n0_mdb")


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


def phy_with_es_n0(rows: np.ndarray, es_n0_mdb: pa.Array) -> bytes:
    """Return a PHY trace with the Es/N0 of each slot as a Parquet file."""
    return parquet(arrow(rows, PHY_TRACE, METADATA).append_column("es_n0_mdb", es_n0_mdb))


def zipped(content: bytes) -> bytes:
    """Return `content` compressed, without a date."""
    return gzip.compress(content, mtime=0)


def flipped(content: bytes, where: int) -> bytes:
    """Return `content` with the bits of one byte inverted."""
    other = bytearray(content)
    other[where] ^= 0xFF
    return bytes(other)
