"""The rows of the contract files, and how they become bytes."""

from __future__ import annotations

import io

import numpy as np

from tmt.core.schema import LINK_TRACE, PHY_TRACE

LATEST_NS = 2**62
"""The latest time allowed, by hand: 146 years."""

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

PHY_SIZES = (1, 40, 1500, 12_761, 2**31 - 1)
LINK_SIZES = (*PHY_SIZES, 7)
"""Sizes of the rows, from the least to the most allowed (what a C++ `int` holds), in files that have them."""

ES_N0_MDB = (-100_000, -1, 0, 7250, 100_000)
"""Es/N0 of the slots, from the least to the most allowed, in files that have them."""

MODES = (0, 27, 1, 128, 255)
"""Modes of the slots, the least and the greatest among them, in files that have them."""

DTYPES = {"size_bytes": "<u4", "es_n0_mdb": "<i4", "mode": "|u1"}


def with_columns(rows: np.ndarray, **columns: tuple[int, ...]) -> np.ndarray:
    """Return `rows` with more columns."""
    other = np.zeros(len(rows), [*rows.dtype.descr, *((name, DTYPES[name]) for name in columns)])
    for name in rows.dtype.names or ():
        other[name] = rows[name]
    for name, values in columns.items():
        other[name] = values
    return other


def changed(rows: np.ndarray, row: int, **values: int) -> np.ndarray:
    """Return a copy of `rows` with other values in one row."""
    other = rows.copy()
    for name, value in values.items():
        other[name][row] = value
    return other


def npy(rows: np.ndarray, version: tuple[int, int] = (1, 0)) -> bytes:
    """Return `rows` as a `.npy` file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, rows, version=version, allow_pickle=False)
    return file.getvalue()


def flipped(content: bytes, where: int) -> bytes:
    """Return `content` with the bits of one byte inverted."""
    other = bytearray(content)
    other[where] ^= 0xFF
    return bytes(other)
