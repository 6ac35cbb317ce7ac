"""Text and CSV that are refused."""

from __future__ import annotations

from tmt.core.schema import LINK_TRACE
from tmt.core.words.refusals import refusal
from traces.contract.maker.content import (
    LARGEST_BYTES,
    LINK_CSV,
    LINK_ROWS,
    LINK_SIZES,
    LINK_TXT,
    PHY_CSV,
    PHY_SIZES,
    PHY_TXT,
    Sample,
    arrow,
    flipped,
    parquet,
    with_sizes,
    zipped,
)


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
