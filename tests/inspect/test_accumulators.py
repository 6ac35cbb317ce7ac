"""Accumulators over a streamed trace, against direct computations over the whole trace."""

from collections import Counter
from itertools import groupby
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tmt.core.measure.distribution import (
    Distribution,
    Histogram,
    Outage,
    Pause,
    Pauses,
    Runs,
    of_counts,
    share_at_least,
)
from tmt.core.measure.timeline import BINS, LEAST_ROWS, RowBins

flags = st.lists(st.booleans(), min_size=1, max_size=60)
pieces = st.integers(1, 7)
quick = settings(max_examples=60)


def _nearest_rank(values: list[int], percentile: int) -> int:
    return sorted(values)[ceil(percentile * len(values) / 100) - 1]


@quick
@given(values=st.lists(st.integers(0, 2**62), min_size=1, max_size=50), piece=pieces)
def test_histogram__agrees_with_sorting_to_its_bucket(values: list[int], piece: int) -> None:
    histogram = Histogram()
    for start in range(0, len(values), piece):
        histogram.add(np.array(values[start : start + piece], np.int64))
    summary = histogram.summary()
    assert summary.count == len(values)
    assert (summary.minimum, summary.maximum) == (float(min(values)), float(max(values)))
    assert summary.mean == pytest.approx(sum(values) / len(values), rel=1e-12)
    for percentile, found in ((50, summary.p50), (90, summary.p90), (99, summary.p99)):
        exact = _nearest_rank(values, percentile)
        assert found is not None
        # A bucket spans 2**-11 of its values, and its least value stands for it.
        assert exact * (1 - 2**-11) - 1 <= found <= float(exact)


def test_histogram__is_exact_below_2048() -> None:
    values = np.arange(2048)
    histogram = Histogram()
    histogram.add(values)
    assert histogram.values_and_counts()[0].tolist() == values.tolist()


def test_histogram__adds_beyond_64_bits() -> None:
    histogram = Histogram()
    histogram.add(np.full(9, 2**62))
    assert histogram.summary().mean == float(2**62)


def test_histogram__of_nothing_has_no_values() -> None:
    assert Histogram().summary() == Distribution(0)


def test_distribution__of_counts_by_hand() -> None:
    # 1, 1, 1, 4, 9, 9: mean 25/6; the ranks ceil(3), ceil(5.4), ceil(5.94) hold 1, 9, 9.
    assert of_counts({9: 2, 1: 3, 4: 1}) == Distribution(6, pytest.approx(25 / 6), 1.0, 1.0, 9.0, 9.0, 9.0)
    values, share = share_at_least({9: 2, 1: 3, 4: 1})
    assert values.tolist() == [1, 4, 9]
    assert share.tolist() == pytest.approx([1.0, 0.5, 1 / 3])


@quick
@given(bad=flags, piece=pieces)
def test_runs__agree_with_grouping_the_whole(bad: list[bool], piece: int) -> None:
    tx_time_ns = np.cumsum(np.arange(1, len(bad) + 1) % 5 + 1)
    runs = Runs()
    for start in range(0, len(bad), piece):
        runs.add(np.array(bad[start : start + piece]), tx_time_ns[start : start + piece])
    runs.finish()
    lengths = [(kind, len(list(group))) for kind, group in groupby(bad)]
    assert runs.bursts == Counter(length for kind, length in lengths if kind)
    assert runs.gaps == Counter(length for kind, length in lengths if not kind)
    outages, first = [], 0
    for kind, length in lengths:
        end = min(first + length, len(bad) - 1)
        if kind:
            outages.append(Outage(int(tx_time_ns[first]), int(tx_time_ns[end] - tx_time_ns[first]), length))
        first += length
    assert runs.longest_outage == max(outages, key=lambda outage: outage.duration_ns, default=None)


@quick
@given(gaps_ns=st.lists(st.integers(1, 2**50), min_size=1, max_size=40), piece=pieces)
def test_timeline__counts_every_slot_where_it_lies(gaps_ns: list[int], piece: int) -> None:
    tx_time_ns = np.cumsum(np.array(gaps_ns, np.int64))
    bad = np.arange(len(gaps_ns)) % 3 == 0
    timeline = RowBins()
    for start in range(0, len(gaps_ns), piece):
        part = slice(start, start + piece)
        timeline.add(tx_time_ns[part], bad[part], ~bad[part])
    span = int(tx_time_ns[-1] - tx_time_ns[0])
    assert span < BINS * timeline.width_ns
    assert timeline.width_ns == 1 or span >= BINS * timeline.width_ns // 2
    places = Counter(((tx_time_ns - tx_time_ns[0]) // timeline.width_ns).tolist())
    assert {i: int(n) for i, n in enumerate(timeline.slots) if n} == places
    assert timeline.bad.sum() == bad.sum()
    start_s, share = timeline.bad_share()
    assert start_s[0] == tx_time_ns[0] / 1e9
    assert np.nansum(share * timeline.slots[: len(share)]) == pytest.approx(bad.sum())


@quick
@given(
    gaps_ns=st.lists(st.integers(1, 10**9), min_size=1, max_size=300),
    piece=st.integers(1, 100),
    has_sizes=st.booleans(),
)
def test_rates__of_bins_are_bytes_over_width(gaps_ns: list[int], piece: int, has_sizes: bool) -> None:
    tx_time_ns = 10**12 + np.cumsum(np.array(gaps_ns, np.int64))
    bad = np.arange(len(gaps_ns)) % 5 == 1
    good = np.arange(len(gaps_ns)) % 5 > 1  # others are neither, as unsettled rows
    size_bytes = (np.arange(len(gaps_ns)) * 7919 % 1500 + 1).astype(np.uint32) if has_sizes else None
    timeline = RowBins()
    for start in range(0, len(gaps_ns), piece):
        part = slice(start, start + piece)
        sizes = None if size_bytes is None else size_bytes[part]
        timeline.add(tx_time_ns[part], bad[part], good[part], sizes)
    rates = timeline.rates()
    if len(gaps_ns) == 1:
        assert rates is None
        return
    rows, edges_ns = len(gaps_ns), np.round((rates.edges_s - rates.edges_s[0]) * 1e9).astype(np.int64)
    # The rows fill the time from the first one to one mean interval after the last one.
    assert edges_ns[-1] == pytest.approx(int(tx_time_ns[-1] - tx_time_ns[0]) * rows / (rows - 1), abs=1e3)
    assert len(edges_ns) == 2 or rows / (len(edges_ns) - 1) >= LEAST_ROWS / 2
    amounts = [1] * rows if size_bytes is None else size_bytes.tolist()
    for place, (offered, taken) in enumerate(zip(rates.offered_per_s, rates.good_per_s, strict=True)):
        width_ns = edges_ns[1]
        inside = [i for i in range(rows) if (tx_time_ns[i] - tx_time_ns[0]) // width_ns == place]
        width_s = float(edges_ns[place + 1] - edges_ns[place]) / 1e9
        if width_s > 1e-3:  # edges in seconds since 10**12 ns are rounded to 0.1 us
            assert offered * width_s == pytest.approx(sum(amounts[i] for i in inside), rel=1e-3)
            assert taken * width_s == pytest.approx(sum(amounts[i] for i in inside if good[i]), rel=1e-3)


@quick
@given(gaps_ns=st.lists(st.integers(1, 2000), min_size=1, max_size=60), piece=pieces)
def test_pauses__agree_with_counting(gaps_ns: list[int], piece: int) -> None:
    tx_time_ns = np.cumsum(np.array(gaps_ns, np.int64))
    pauses = Pauses()
    for start in range(0, len(gaps_ns), piece):
        pauses.add(tx_time_ns[start : start + piece])
    between = gaps_ns[1:]  # the first value places the first row
    if not between:
        assert (pauses.longest, pauses.law(), pauses.are_regular) == (None, [], True)
        return
    place = between.index(max(between))
    assert pauses.longest == Pause(int(tx_time_ns[place]), max(between))
    assert pauses.are_regular == (max(between) <= 10 * sum(between) / len(between))
    for step in pauses.law():
        members = [pause for pause in between if pause >= step.least_ns]
        assert step.number == len(members) > 0
        assert step.share_of_time == pytest.approx(sum(members) / sum(between))
    steps = [s * 10**p for p in range(5) for s in (1, 2, 5)]
    assert [step.least_ns for step in pauses.law()] == [
        step for step in steps if min(between) <= step <= max(between)
    ]
