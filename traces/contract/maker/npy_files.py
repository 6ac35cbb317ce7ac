"""Contract files in the binary form that TMT and the simulator read."""

from __future__ import annotations

import numpy as np

from tmt.core.schema import LINK_TRACE, PACKET_RECORDS
from traces.contract.maker.rows import (
    ES_N0_MDB,
    LATEST_NS,
    LINK_ROWS,
    LINK_SIZES,
    MODES,
    PHY_ROWS,
    PHY_SIZES,
    changed,
    npy,
    with_columns,
)


def npy_files() -> dict[str, bytes]:
    """Return good and bad `.npy` files."""
    whole = {f"{name}.npy": npy(rows) for name, rows in {**_good(), **_bad()}.items()}
    return whole | _versions() | _damaged()


def _good() -> dict[str, np.ndarray]:
    sized = with_columns(PHY_ROWS, size_bytes=PHY_SIZES)
    return {
        "link": LINK_ROWS,
        "link-sizes": with_columns(LINK_ROWS, size_bytes=LINK_SIZES),
        "phy": PHY_ROWS,
        "phy-sizes": sized,
        "phy-es-n0": with_columns(PHY_ROWS, es_n0_mdb=ES_N0_MDB),
        "phy-sizes-es-n0": with_columns(sized, es_n0_mdb=ES_N0_MDB),
        "phy-mode": with_columns(PHY_ROWS, mode=MODES),
        "phy-es-n0-mode": with_columns(PHY_ROWS, es_n0_mdb=ES_N0_MDB, mode=MODES),
        "phy-sizes-mode": with_columns(sized, mode=MODES),
        "phy-sizes-es-n0-mode": with_columns(sized, es_n0_mdb=ES_N0_MDB, mode=MODES),
    }


def _bad() -> dict[str, np.ndarray]:
    """Return rows that no reader of the kind that `expected.tsv` names takes."""
    flag = changed(LINK_ROWS, 0).view(np.uint8).reshape(len(LINK_ROWS), -1)
    flag[2, 16] = 2  # delivered stands after two times of eight bytes
    es_n0 = with_columns(PHY_ROWS, es_n0_mdb=ES_N0_MDB)
    sized = with_columns(PHY_ROWS, size_bytes=PHY_SIZES)
    return {
        "other-columns": np.arange(6),
        "other-column-order": np.zeros(
            1, [(name, LINK_TRACE.dtype[name]) for name in reversed(LINK_TRACE.names)]
        ),
        "phy-as-link": PHY_ROWS,
        "phy-sizes-as-link": sized,
        "phy-es-n0-as-link": es_n0,
        "packets-as-link": np.zeros(1, PACKET_RECORDS.dtype),
        "two-dimensions": LINK_ROWS.reshape(2, 3),
        "no-dimension": LINK_ROWS[0].reshape(()),
        "no-rows": LINK_ROWS[:0],
        "negative-time": changed(LINK_ROWS, 0, tx_time_ns=-5),
        "time-beyond-limit": changed(LINK_ROWS, 5, tx_time_ns=LATEST_NS + 1),
        "repeated-time": changed(LINK_ROWS, 1, tx_time_ns=0),
        "unsorted-times": changed(LINK_ROWS, 2, tx_time_ns=1_499_999),
        "negative-delay": changed(LINK_ROWS, 3, delay_ns=-2),
        "delay-beyond-limit": changed(LINK_ROWS, 3, delay_ns=LATEST_NS + 1),
        "delivered-is-2": flag.reshape(-1).view(LINK_TRACE.dtype),
        "no-transmission": changed(LINK_ROWS, 0, transmissions=0),
        "delivered-without-delay": changed(LINK_ROWS, 4, delivered=1),
        "several-defects": changed(LINK_ROWS, 1, tx_time_ns=0, delay_ns=-2, transmissions=0),
        "size-zero": with_columns(LINK_ROWS, size_bytes=(*LINK_SIZES[:5], 0)),
        "size-too-large": with_columns(LINK_ROWS, size_bytes=(2**31, *LINK_SIZES[1:])),
        "es-n0-too-large": with_columns(PHY_ROWS, es_n0_mdb=(*ES_N0_MDB[:4], 100_001)),
        "sizes-es-n0-too-small": changed(with_columns(sized, es_n0_mdb=ES_N0_MDB), 1, es_n0_mdb=-100_001),
        "es-n0-of-other-type": es_n0.astype([*PHY_ROWS.dtype.descr, ("es_n0_mdb", "<i8")]),
    }


def _versions() -> dict[str, bytes]:
    return {
        "link-version-2.npy": npy(LINK_ROWS, (2, 0)),
        "link-version-3.npy": npy(LINK_ROWS, (3, 0)),
        "unknown-version.npy": npy(LINK_ROWS).replace(b"NUMPY\x01", b"NUMPY\x04"),
    }


def _damaged() -> dict[str, bytes]:
    content = npy(LINK_ROWS)
    return {
        "empty.npy": b"",
        "header-cut.npy": content[:40],
        "header-magic-only.npy": content[:6],
        "header-without-shape.npy": content.replace(b"'shape'", b"'shade'"),
        "cut-in-a-row.npy": content[:-1],
        "cut-after-header.npy": content[: -LINK_ROWS.nbytes],
        "one-byte-too-many.npy": content + b"\0",
        "sizes-cut-in-a-row.npy": npy(with_columns(LINK_ROWS, size_bytes=LINK_SIZES))[:-1],
        "es-n0-cut-in-a-row.npy": npy(with_columns(PHY_ROWS, es_n0_mdb=ES_N0_MDB))[:-1],
        "mode-cut-in-a-row.npy": npy(with_columns(PHY_ROWS, mode=MODES))[:-1],
    }
