"""Result files of flent: a series of rates, a series of round trips."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.measured.excerpts import PROBES
from tests.measured.imports import import_trace
from tmt.importers.flent import Flent

S, MS = 10**9, 10**6


def test_flent__makes_rows_at_the_rate_of_a_series(tmp_path: Path) -> None:
    """By hand: 24 kbit/s for 1 s are two rows of 1500 bytes, 48 kbit/s are four; the third value is null."""
    excerpt = PROBES["flent"]
    (tmp_path / "a.flent").write_text(excerpt.text)
    trace = import_trace("auto", tmp_path / "a.flent", **excerpt.options)
    assert (trace.tx_time_ns / MS).tolist() == [0, 500, 1000, 1250, 1500, 1750]
    assert trace.metadata["notes"][0] == "1 of 3 times without a value"


def test_flent__lays_half_of_each_round_trip_over_a_line(tmp_path: Path) -> None:
    """By hand: 50.5 ms in the first second, 70 ms in the third; the second has no value and is cut out."""
    excerpt = PROBES["flent of round trips"]
    (tmp_path / "a.flent").write_text(excerpt.text)
    trace = import_trace("flent", tmp_path / "a.flent", **excerpt.options)
    assert (trace.tx_time_ns / MS).tolist() == [0, 500, 1000, 1500]
    assert (trace.delay_ns / MS).tolist() == [25.25, 25.25, 35, 35]
    assert "1 hole without a measurement, 1.0 s in all, is left out" in trace.metadata["notes"]


@pytest.mark.parametrize(("name", "line"), [("TCP upload", None), ("Ping (ms) avg", 1e6)])
def test_flent__tells_units_by_the_name_where_the_file_has_none(
    name: str, line: float | None, tmp_path: Path
) -> None:
    """Files of netperf-wrapper, as flent was called, have no SERIES_META."""
    document = {"metadata": {"NETPERF_WRAPPER_VERSION": "0.5"}, "results": {name: [10, 20]}}
    (tmp_path / "a.json").write_text(json.dumps(document | {"x_values": [0, 0.2]}))
    series = Flent(line=line).rates(str(tmp_path / "a.json"))
    assert series.duration_ns.tolist() == [S // 5, S // 5]
    if line is None:
        assert series.rate_bps.tolist() == [10e6, 20e6]
    else:
        assert series.delay_ns.tolist() == [5 * MS, 10 * MS]


def test_flent__agrees_with_counts_of_a_measurement(measured_data: Path) -> None:
    """Counted with `json`: 700 of 750 values, 61,969.26 Mbit in steps of 0.2 s, so 1,032,820 whole rows.

    The 750 round trips have a mean of 49.8086 ms.
    """
    path = str(measured_data / "formats" / "flent_rrul_icmp.flent.gz")
    series = Flent(series="TCP download sum").rates(path)
    assert (len(series.rate_bps), int(series.duration_ns.sum())) == (700, 140 * S)
    assert len(series.opportunities_ns(1500)) == 1_032_820
    trips = Flent(series="Ping (ms) ICMP", line=1e6).rates(path)
    assert np.mean(trips.delay_ns) / MS == pytest.approx(49.8086 / 2, rel=1e-5)
