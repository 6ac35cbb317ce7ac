"""Packets laid back to back into rows, against a loop over single bytes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tmt.core.measure.link_use import arrive, packets_in_rows
from tmt.core.schema import LINK_TRACE


def _rows(sizes: list[int] | None, count: int) -> np.ndarray[Any, Any]:
    if sizes is None:
        return np.zeros(count, LINK_TRACE.dtype)
    rows = np.zeros(count, np.dtype([*LINK_TRACE.dtype.descr, ("size_bytes", "<u4")]))
    rows["size_bytes"] = sizes
    return rows


def _byte_by_byte(row_bytes: list[int], packet_bytes: int, packing: str) -> list[tuple[int, int]]:
    """Return first and last row of each whole packet; a padded one leaves the rest of its last row empty."""
    found, first, taken = [], 0, 0
    for row, room in enumerate(row_bytes):
        for _ in range(room):
            if taken == 0:
                first = row
            taken += 1
            if taken == packet_bytes:
                found.append((first, row))
                taken = 0
                if packing == "padded":
                    break
    return found


@settings(max_examples=200)
@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=40),
    packet_bytes=st.integers(1, 30),
    packing=st.sampled_from(["padded", "packed"]),
    has_sizes=st.booleans(),
)
def test_packets_in_rows__agree_with_single_bytes(
    sizes: list[int], packet_bytes: int, packing: Any, has_sizes: bool
) -> None:
    row_bytes = sizes if has_sizes else [sizes[0]] * len(sizes)
    rows = _rows(sizes if has_sizes else None, len(sizes))
    found = packets_in_rows(rows, packet_bytes, sizes[0], packing)
    assert list(zip(found.first, found.last, strict=True)) == _byte_by_byte(row_bytes, packet_bytes, packing)


@settings(max_examples=100)
@given(
    delivered=st.lists(st.booleans(), min_size=4, max_size=30), packing=st.sampled_from(["padded", "packed"])
)
def test_arrive__needs_every_row_of_a_packet(delivered: list[bool], packing: Any) -> None:
    sizes = [3, 5, 2, 7] * 8
    packets = packets_in_rows(_rows(sizes[: len(delivered)], len(delivered)), 6, 0, packing)
    ends = zip(packets.first, packets.last, strict=True)
    expected = [all(delivered[first : last + 1]) for first, last in ends]
    assert arrive(packets, np.array(delivered)).tolist() == expected


def test_packets_in_rows__segments_as_rlc_does() -> None:
    # Blocks of 100, 250, 60 and 400 bytes end at bytes 100, 350, 410 and 810; packets of 150 bytes end at
    # bytes 150, 300, 450, 600 and 750.
    packets = packets_in_rows(_rows([100, 250, 60, 400], 4), 150, 0, "packed")
    assert packets.first.tolist() == [0, 1, 1, 3, 3]
    assert packets.last.tolist() == [1, 1, 3, 3, 3]
    padded = packets_in_rows(_rows([100, 250, 60, 400], 4), 150, 0, "padded")
    # 100 + 250 bytes carry one packet, 60 + 400 the other: the rest of a packet's last block is padding.
    assert (padded.first.tolist(), padded.last.tolist()) == ([0, 2], [1, 3])


@pytest.mark.parametrize("packing", ["padded", "packed"])
def test_packets_in_rows__of_a_trace_that_is_too_short_are_none(packing: Any) -> None:
    assert len(packets_in_rows(_rows([10, 20], 2), 31, 0, packing).first) == 0
