"""Conversion in memory refuses the same arrays as file readers, with the same messages."""

import numpy as np
import pytest

from tmt import NoScheme
from tmt.core.convert import convert
from tmt.core.errors import InputError
from tmt.core.trace import PhyTrace
from tmt.io import open_trace

NAN = float("nan")


@pytest.mark.parametrize(
    ("tx", "decode", "sizes", "said"),
    [
        ([0, 1, 2], [1, 0], None, "decode_time_ns has 2 rows; tx_time_ns has 3"),
        ([0, 1], [1, 0], [5], "size_bytes has 1 rows; tx_time_ns has 2"),
        ([0, 3, 2], [1, 1, 1], None, "row 3: tx_time_ns is 2, earlier than 3 in the row before"),
        ([0, 3, 3], [1, 1, 1], None, "row 3: tx_time_ns is 3 as in the row before"),
        ([-1, 3], [1, 1], None, "row 1: tx_time_ns is -1; the least allowed is 0"),
        ([0, 3], [1, -7], None, "row 2: decode_time_ns is -7; the least allowed is 0"),
        ([0, 2**62 + 1], [1, 1], None, "row 2: tx_time_ns is 4611686018427387905; the most allowed"),
        ([0, 3], [1, 1], [5, 0], "row 2: size_bytes is 0; the least allowed is 1"),
        ([0, 3], [1, NAN], None, "row 2: decode_time_ns has no value; write 0 for an erased slot"),
        ([0.0, NAN], [1, 1], None, "row 2: tx_time_ns has no value"),
        ([0.0, 0.5], [1, 1], None, "found: tx_time_ns float64"),
        ([0, 1], [True, False], None, "found: decode_time_ns bool"),
        ([[0, 1]], [1, 1], None, r"found: tx_time_ns int64\[1, 2\]"),
        (["0", "1"], [1, 1], None, "found: tx_time_ns str"),
        (np.array([], np.int64), np.array([], np.int64), None, "there are no rows"),
        (np.array([1, 0], np.uint64), [1, 1], None, "row 2: tx_time_ns is 0, earlier than 1"),
    ],
)
def test_convert__refuses_arrays(tx, decode, sizes, said) -> None:
    with pytest.raises(InputError, match=said) as refused:
        convert(PhyTrace(tx, decode, size_bytes=sizes), NoScheme())
    assert str(refused.value).startswith("phy trace:")


def test_convert__refuses_sizes_that_are_given_twice() -> None:
    phy = PhyTrace(np.arange(2), np.ones(2, np.int64), {"lldu_bytes": 33}, np.array([5, 6], np.uint32))
    with pytest.raises(InputError, match="both the column size_bytes and lldu_bytes"):
        convert(phy, NoScheme())


def test_convert__takes_whole_numbers_of_any_width() -> None:
    link = convert(PhyTrace(np.array([0, 1], np.uint16), [3, 0], size_bytes=[7, 8]), NoScheme())
    assert [column.tolist() for column in (link.tx_time_ns, link.delay_ns, link.size_bytes)] == [
        [0, 1],
        [3, 0],
        [7, 8],
    ]
    assert [str(column.dtype) for column in (link.tx_time_ns, link.size_bytes)] == ["int64", "uint32"]


def test_convert__says_of_arrays_the_same_as_of_a_file(tmp_path) -> None:
    path = tmp_path / "phy.csv"
    path.write_text("tx_time_ns,decode_time_ns\n5,1\n4,1\n")
    with pytest.raises(InputError) as of_file, open_trace(path) as reader:
        list(reader)
    with pytest.raises(InputError) as of_arrays:
        convert(PhyTrace(np.array([5, 4]), np.array([1, 1])), NoScheme())
    assert of_arrays.value.reason == of_file.value.reason
