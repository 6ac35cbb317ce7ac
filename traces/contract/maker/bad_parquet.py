"""Parquet files that are refused."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tmt.core.schema import PHY_TRACE
from tmt.core.words.refusals import REFUSALS, refusal
from tmt.io.base import wrong_columns
from traces.contract.maker.content import (
    METADATA,
    PHY_CSV,
    PHY_ROWS,
    PHY_SIZES,
    Sample,
    arrow,
    changed,
    flipped,
    parquet,
    sized,
)


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


def with_long_page(content: bytes) -> bytes:
    """Return a Parquet file whose first page claims 1 MiB less a byte in place of its own size.

    The header follows the four bytes PAR1: type, size and compressed size. Each is a byte 0x15 and a
    number, doubled, of seven bits a byte.
    """
    compressed_size = 9
    assert content[4:9:2] == b"\x15\x15\x15"
    return content[:compressed_size] + b"\xfe\xff\x7f" + content[compressed_size + 1 :]
