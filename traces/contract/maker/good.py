"""Files that must be read."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.schema import LINK_TRACE, PHY_TRACE
from traces.contract.maker.content import (
    ES_N0_MDB,
    LINK_CSV,
    LINK_ROWS,
    LINK_SIZES,
    LINK_TXT,
    METADATA,
    MODES,
    PHY_CSV,
    PHY_ROWS,
    PHY_SIZES,
    PHY_TXT,
    Sample,
    arrow,
    npy,
    parquet,
    phy_with_es_n0,
    sized,
    with_es_n0,
    with_es_n0_column,
    with_modes,
    with_sizes,
    zipped,
)


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
