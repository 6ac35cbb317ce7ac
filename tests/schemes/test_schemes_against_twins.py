"""Every converter and its slow twin give the same rows, however the trace is cut into chunks."""

import itertools
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings
from naive import on_link
from naive.on_link import OnLink
from naive.traces import SCHEMES, by_twin, phy_trace, rows_of, slots

QUICK = settings(max_examples=200)


@QUICK
@given(slots(), SCHEMES, st.lists(st.integers(0, 120), max_size=6), st.booleans())
@example(([0, 1, 41], [0, 0, 7]), on_link.arq(0, detection_delay_ns=50), [1], True)
@example(  # the erasure of slot 2 is detected long after its unit was recovered
    (list(range(11)), [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1]),
    on_link.tetrys(2, 3, 0, detection_delay_ns=8),
    [1],
    False,
)
def test_converter__equals_its_twin_whatever_the_chunks(
    trace: tuple[list[int], list[int]], scheme: OnLink, cuts: list[int], sized: bool
) -> None:
    tx, decode = trace
    sizes = np.random.default_rng(len(tx)).integers(1, 2**31, len(tx)).tolist()
    es_n0_mdb = np.random.default_rng(len(tx) + sum(cuts)).integers(-15_000, 15_000, len(tx)).tolist()
    expected = by_twin(scheme, tx, decode, es_n0_mdb)
    converter = scheme.converter()
    borders = [0, *sorted(min(cut, len(tx)) for cut in cuts), len(tx)]
    rows, row_sizes = [], []
    for start, stop in itertools.pairwise(borders):
        chunk = phy_trace(
            tx[start:stop], decode[start:stop], sizes[start:stop] if sized else None, es_n0_mdb[start:stop]
        )
        settled = converter.feed(chunk)
        assert all(row.delay_ns >= 0 for row in rows_of(settled))
        rows += rows_of(settled)
        row_sizes += [] if settled.size_bytes is None else settled.size_bytes.tolist()
    rest = converter.finish()
    rows += rows_of(rest)
    row_sizes += [] if rest.size_bytes is None else rest.size_bytes.tolist()

    assert rows == expected.rows
    assert row_sizes == ([sizes[slot] for slot in expected.first_slots] if sized else [])
    uses, counts = Counter(expected.uses), converter.counts
    assert counts.slots == len(tx)
    assert counts.data_rows == uses["data"] == len(rows)
    assert counts.repair_slots == uses["repair"]
    assert counts.retransmission_slots == uses["retransmission"]
    assert counts.stalled_slots == uses["stall"]
    assert counts.dropped_tail == uses["dropped"]
    assert counts.delivered == sum(row.delivered for row in rows)
    assert counts.unsettled == sum(row.delay_ns == -1 for row in rows)
    assert counts.lost == sum(not row.delivered and row.delay_ns != -1 for row in rows)
    if sized:
        used = [size for size, use in zip(sizes, expected.uses, strict=True) if use != "dropped"]
        assert counts.sent_bytes == sum(used)
        assert counts.delivered_bytes == sum(
            size for size, row in zip(row_sizes, rows, strict=True) if row.delivered
        )


def test_converter__equals_its_twin_over_many_kernel_calls() -> None:
    # 2,000 or 5,000 slots per RTT: rings wrap, and the waiting NACKs and requests outgrow them.
    rng = np.random.default_rng(20140)
    n = 6_000
    tx = np.cumsum(rng.integers(1, 9, n)).tolist()
    decode = np.where(rng.random(n) < 0.3, 0, rng.integers(1, 30, n)).tolist()
    for scheme in (
        on_link.arq(10_000),
        on_link.arq(22_500),
        on_link.arq(500, max_transmissions=3),
        on_link.harq(10, 2, 5_000),
        on_link.harq(5, 7, 300, rounds=1),
        on_link.harq(38, 13, 1_000),
    ):
        converter = scheme.converter()
        rows = []
        for start in range(0, n, 700):
            rows += rows_of(converter.feed(phy_trace(tx[start : start + 700], decode[start : start + 700])))
        rows += rows_of(converter.finish())
        assert rows == by_twin(scheme, tx, decode).rows


@pytest.mark.parametrize(
    "scheme", [on_link.arq(40_000), on_link.harq(10, 2, 40_000), on_link.harq(3, 1, 2_000)], ids=str
)
def test_converter__gives_the_same_in_one_chunk_and_in_many(scheme: OnLink) -> None:
    # 20,000 slots in one chunk, in many chunks, and by the twin.
    rng = np.random.default_rng(7)
    n = 20_000
    tx = np.cumsum(rng.integers(90, 110, n)).tolist()
    decode = np.where(rng.random(n) < 0.2, 0, 3_000).tolist()
    whole, parts = scheme.converter(), scheme.converter()
    at_once = rows_of(whole.feed(phy_trace(tx, decode))) + rows_of(whole.finish())
    in_parts = []
    for start in range(0, n, 3_000):
        in_parts += rows_of(parts.feed(phy_trace(tx[start : start + 3_000], decode[start : start + 3_000])))
    in_parts += rows_of(parts.finish())
    assert at_once == in_parts == by_twin(scheme, tx, decode).rows
    assert whole.counts == parts.counts


REGULAR = {
    "whole ns": lambda i: 1_004_000 * i,
    "no whole ns": lambda i: 264 * 1_000_000_000 * i // 263_000,
    "one slot late": lambda i: 1_000 * i + (i >= 1_700),
    "one gap": lambda i: 1_000 * i + 900_000 * (i >= 1_700),
    "jitter within 1 ns": lambda i: 1_000 * i + i % 2,
}
"""Slots at equal distances, or nearly so: NACKs and requests fall due at the times of slots."""


@pytest.mark.parametrize("line", REGULAR)
@pytest.mark.parametrize("slots_per_rtt", [0, 1, 40.5, 500, 1_500])
def test_converter__equals_its_twin_on_regular_lines(line: str, slots_per_rtt: float) -> None:
    rng = np.random.default_rng(33)
    n = 3_300
    tx = [REGULAR[line](i) for i in range(n)]
    rtt_ns = int(slots_per_rtt * (tx[1_000] - tx[0]) / 1_000)
    decode = np.where(rng.random(n) < 0.15, 0, rng.integers(1, 5_000, n)).tolist()
    for scheme in (
        on_link.arq(rtt_ns),
        on_link.arq(rtt_ns, max_transmissions=2),
        on_link.harq(10, 2, rtt_ns),
        on_link.harq(3, 1, rtt_ns, extra=0),
        on_link.harq(38, 13, rtt_ns),
    ):
        expected = by_twin(scheme, tx, decode).rows
        for step in (n, 1_000):
            converter = scheme.converter()
            rows = []
            for start in range(0, n, step):
                rows += rows_of(
                    converter.feed(phy_trace(tx[start : start + step], decode[start : start + step]))
                )
            assert rows + rows_of(converter.finish()) == expected
