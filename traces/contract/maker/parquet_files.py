"""Contract files in Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.schema import FORMAT_VERSION, LINK_TRACE, PHY_TRACE, row_dtype
from tmt.io.parquet import WRITE_SETTINGS, arrow_schema
from traces.contract.maker.rows import (
    ES_N0_MDB,
    LINK_ROWS,
    LINK_SIZES,
    MODES,
    PHY_ROWS,
    PHY_SIZES,
    changed,
    flipped,
    with_columns,
)

if TYPE_CHECKING:
    import numpy as np


def parquet_files() -> dict[str, bytes]:
    """Return good and bad Parquet files."""
    tables = {f"{name}.parquet": parquet(table) for name, table in {**_good(), **_bad()}.items()}
    foreign = pa.table({"note": ["a"] * len(PHY_ROWS), **{name: PHY_ROWS[name] for name in PHY_TRACE.names}})
    other = parquet(foreign, use_dictionary=True, column_encoding=None, compression="snappy")
    return {**tables, "phy-of-another-program.parquet": other, **_damaged()}


def _good() -> dict[str, pa.Table]:
    phy = arrow(PHY_ROWS)
    es_n0 = pa.array(ES_N0_MDB, pa.int32())
    sized = arrow(with_columns(PHY_ROWS, size_bytes=PHY_SIZES))
    sized_es_n0 = sized.append_column("es_n0_mdb", es_n0)
    return {
        "link": arrow(LINK_ROWS),
        "link-sizes": arrow(with_columns(LINK_ROWS, size_bytes=LINK_SIZES)),
        "phy": phy,
        "phy-sizes": sized,
        "phy-es-n0": phy.append_column("es_n0_mdb", es_n0),
        "phy-sizes-es-n0": sized_es_n0,
        "phy-sizes-es-n0-mode": sized_es_n0.append_column("mode", pa.array(MODES, pa.uint8())),
    }


def _bad() -> dict[str, pa.Table]:
    """Return tables that are no trace."""
    phy = arrow(PHY_ROWS)
    sized = with_columns(PHY_ROWS, size_bytes=PHY_SIZES)
    too_small = pa.array((-100_001, *ES_N0_MDB[1:]), pa.int32())
    return {
        "missing-column": phy.drop_columns(["decode_time_ns"]),
        "other-type": phy.set_column(0, "tx_time_ns", phy["tx_time_ns"].cast(pa.timestamp("ns"))),
        "no-rows": phy.slice(0, 0),
        "missing-value": pa.table({"tx_time_ns": [0, None, 2], "decode_time_ns": [1, 1, 1]}),
        "sizes-twice": arrow(sized, lldu_bytes=1500),
        "size-of-other-type": phy.append_column("size_bytes", pa.array(PHY_SIZES, pa.int64())),
        "metadata-nested": phy.replace_schema_metadata({"tmt": "[" * 100_000 + "]" * 100_000}),
        "metadata-not-json": phy.replace_schema_metadata({"tmt": "made by hand"}),
        "unsorted-across-row-groups": arrow(changed(PHY_ROWS, 2, tx_time_ns=7)),
        "es-n0-too-small": phy.append_column("es_n0_mdb", too_small),
        "es-n0-of-other-type": phy.append_column("es_n0_mdb", pa.array(ES_N0_MDB, pa.int64())),
    }


def _damaged() -> dict[str, bytes]:
    content = parquet(arrow(PHY_ROWS))
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    last_column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(2).column(1)
    last_byte = last_column.data_page_offset + last_column.total_compressed_size - 1
    return {
        "cut.parquet": content[:-1],
        "damaged-footer.parquet": flipped(content, footer),
        "damaged-last-row-group.parquet": flipped(content, last_byte),
        "page-beyond-the-file.parquet": with_long_page(content),
    }


def with_long_page(content: bytes) -> bytes:
    """Return a Parquet file whose first page claims 1 MiB less a byte in place of its own size.

    The header follows the four bytes PAR1: type, size and compressed size. Each is a byte 0x15 and a
    number, doubled, of seven bits a byte.
    """
    compressed_size = 9
    assert content[4:9:2] == b"\x15\x15\x15"
    return content[:compressed_size] + b"\xfe\xff\x7f" + content[compressed_size + 1 :]


def parquet(table: pa.Table, **settings: object) -> bytes:
    """Return `table` as a Parquet file of row groups of two rows."""
    file = io.BytesIO()
    pq.write_table(table, file, **{"row_group_size": 2, **WRITE_SETTINGS, **settings})
    return file.getvalue()


def arrow(rows: np.ndarray, **metadata: object) -> pa.Table:
    """Return `rows` as they stand in Parquet: null delays for unsettled rows."""
    table = PHY_TRACE if "decode_time_ns" in (rows.dtype.names or ()) else LINK_TRACE
    columns = next(form for form in table.forms if row_dtype(form) == rows.dtype)
    arrays = [
        pa.array(rows[column.name], mask=rows[column.name] == column.null if column.null else None)
        for column in columns
    ]
    return pa.table(arrays, arrow_schema(columns, {"format_version": FORMAT_VERSION, **metadata}))
