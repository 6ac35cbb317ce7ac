"""The time that a measurement covers, which importers write into the metadata of the trace."""

from pathlib import Path
from typing import Any

import pytest

from tests.measured.excerpts import EXCERPTS
from tests.measured.imports import import_trace

MS = 1_000_000

EXTENTS = {
    "lte-harq": (0, 10 * MS),  # subframes 9 to 18 of 1 ms, beyond the wrap of the frame numbers
    "ns3-lte": (23 * MS, 10 * MS),  # subframes 23 to 32
    "ns3-lte of two users": (23 * MS, 10 * MS),
    "ns3-nr": None,  # the file does not tell the length of a slot
    "outcomes": (0, 5 * MS),  # five outcomes, of which one says that nothing was sent
    "mahimahi": (0, 9 * MS),  # the last time stamp
    "iperf3": (0, 3000 * MS),  # three seconds
    "rates": (0, 3000 * MS),  # the last interval is as long as the one before it
}


@pytest.mark.parametrize("name", EXTENTS)
def test_extent__is_that_of_the_measurement(name: str, tmp_path: Path) -> None:
    excerpt = EXCERPTS[name]
    (tmp_path / "log").write_text(excerpt.text)
    found = import_trace(excerpt.importer, tmp_path / "log", **excerpt.options).metadata
    expected = EXTENTS[name]
    assert (found.get("begin_ns"), found.get("length_ns")) == (expected or (None, None))


@pytest.mark.parametrize(
    ("rows", "first_ms", "options", "extent_ms"),
    [
        ("0,1.2e7\n5,0\n", 0, {}, (0, 10_000)),
        ("0,0\n5,1.2e7\n", 5000, {}, (0, 10_000)),
        ("0,0\n5,1.2e7\n", 3000, {"from_": 2.0}, (0, 8000)),
        ("0,0\n5,1.2e7\n", 5000, {"until": 7.0}, (0, 7000)),
        ("0,0\n5,1.2e7\n", 3000, {"from_": 2.0, "until": 70.0}, (0, 8000)),
        ("0,1.2e7\n5,0\n5.5,1.2e7\n", 500, {"from_": 5.0, "until": 10.0}, (0, 3250)),
    ],
)
def test_rates__keep_an_outage_at_the_edge(
    rows: str, first_ms: int, options: dict[str, Any], extent_ms: tuple[int, int], tmp_path: Path
) -> None:
    """By hand: two intervals of 5 s, one without a row; the last lasts the median of the others."""
    (tmp_path / "rates.csv").write_text("time_s,rate_bps\n" + rows)
    trace = import_trace("rates", tmp_path / "rates.csv", **options)
    assert trace.tx_time_ns[0] == first_ms * MS
    assert trace.metadata["begin_ns"] == extent_ms[0] * MS
    assert trace.metadata["length_ns"] == extent_ms[1] * MS


def test_probes_over_a_line__last_their_mean_distance_more(tmp_path: Path) -> None:
    """The excerpt's five probes lie 10 ms apart, so that they stand for 50 ms."""
    (tmp_path / "log").write_text(EXCERPTS["irtt"].text)
    found = import_trace("irtt", tmp_path / "log", direction="up", line=1.2e6).metadata
    assert (found["begin_ns"], found["length_ns"]) == (0, 50 * MS)
    assert "length_ns" not in import_trace("irtt", tmp_path / "log", direction="up").metadata
