"""Binary files that the simulator and TMT refuse with the same words."""

from __future__ import annotations

import numpy as np

from tmt.core.schema import LINK_TRACE, PACKET_RECORDS
from tmt.core.words.refusals import refusal
from tmt.io.base import wrong_columns
from traces.contract.maker.content import (
    LARGEST_BYTES,
    LATEST_NS,
    LINK_CSV,
    LINK_ROWS,
    LINK_SIZES,
    PHY_ROWS,
    PHY_SIZES,
    Sample,
    changed,
    npy,
    sized,
)


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
