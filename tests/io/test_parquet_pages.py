"""The check of a Parquet file's pages refuses footers that no library can follow."""

from __future__ import annotations

import io

import pytest

from tmt.io.parquet_pages import check_pages


def test_check_pages__refuses_a_column_whose_name_is_a_struct() -> None:
    # Thrift's compact protocol: 0xNT is field N further on of type T (9 list, 12 struct, 6 a number), 0x1T a
    # list of one element of type T, 0 the end of a struct. The footer's field 4 lists row groups, whose field
    # 1 lists columns. Field 3 of a column describes it; there field 3 is its name and field 9 its first page.
    footer = bytes.fromhex("49 1c  19 1c  3c  39 1c 00  66 08  00 00 00 00")
    file = io.BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(ValueError, match="describes a column without its name or place"):
        check_pages(file, ["slot"])
