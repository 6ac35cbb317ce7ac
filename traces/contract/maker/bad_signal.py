"""PHY traces that are refused for the Es/N0 or the mode of a slot."""

from __future__ import annotations

import pyarrow as pa

from tmt.core.schema import PHY_TRACE
from tmt.core.words.refusals import refusal
from tmt.io.base import wrong_columns
from traces.contract.maker.content import (
    ES_N0_MDB,
    MODES,
    PHY_CSV,
    PHY_ROWS,
    PHY_SIZES,
    Sample,
    npy,
    phy_with_es_n0,
    sized,
    with_es_n0,
    with_es_n0_column,
    with_modes,
    with_sizes,
)


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
