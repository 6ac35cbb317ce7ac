"""Records kept as files and tables, and the drawing of a run, from a small result made by hand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tmt.core.measure import transport
from tmt.core.schema import CONGESTION_STATES, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS
from tmt.run.experiment import ExperimentResult
from tmt.show.charts.files import save_chart
from tmt.show.charts.over_time import timeline_chart
from tmt.spec.columns import RUN_RESULTS

S = 1_000_000_000


@pytest.fixture
def result() -> ExperimentResult:
    packets = np.array(
        [
            (0, transport.SENT, 0, 0, 0, 1500, 1, 1, UNSETTLED),
            (S, transport.RECEIVED, 0, 0, 0, 1500, 1, 1, S),
            (2 * S, transport.SENT, 0, 0, 1, 1500, 1, 2, UNSETTLED),
            (3 * S, transport.LINK_LOST, 0, 0, 1, 1500, 1, 2, UNSETTLED),
        ],
        PACKET_RECORDS.dtype,
    )
    windows = np.array(
        [(0, 0, 1.0, np.inf, UNSETTLED, 0, 0.0), (S, 0, 2.0, 4.0, S, 3, 1e6)], WINDOW_RECORDS.dtype
    )
    flows = transport.deliveries(packets, flows=1, end_ns=4 * S, header_bytes=52)
    known = {"tcp": "cubic", "wall_time_s": 1.5, "forward_rate_bps": 12e3, "proxy": False}
    row = {column.name: None for column in RUN_RESULTS} | known
    return ExperimentResult(row, packets, windows, flows, 4 * S, [])


def test_save__writes_tables_that_say_how_they_were_made(result: ExperimentResult, tmp_path: Path) -> None:
    np.save(tmp_path / "packets.npy", result.packets)
    result.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "packets.parquet",
        "result.json",
        "windows.parquet",
    ]
    table = pq.read_table(tmp_path / "packets.parquet")
    assert tuple(table.column_names) == PACKET_RECORDS.names
    assert table["delay_ns"].to_pylist() == [None, S, None, None]
    metadata = json.loads(table.schema.metadata[b"tmt"])
    assert (metadata["kind"], metadata["run"]["tcp"]) == ("packets", "cubic")
    assert "wall_time_s" not in metadata["run"], "the same run would not give the same file twice"
    assert json.loads((tmp_path / "result.json").read_text()) == result.row
    windows = pd.read_parquet(tmp_path / "windows.parquet")
    assert tuple(windows.columns) == WINDOW_RECORDS.names
    assert windows["cwnd_packets"].tolist() == [1.0, 2.0]
    assert [CONGESTION_STATES[number] for number in windows["state"]] == ["open", "recovery"]
    assert windows["srtt_ns"].isna().tolist() == [True, False]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_chart__is_drawn_from_the_timeline(result: ExperimentResult, tmp_path: Path, ending: str) -> None:
    chart = timeline_chart(result.timeline(bins=4, samples=5), "cubic", "T")
    alt.Chart.from_dict(chart, validate=True)
    assert _headings(chart) == [
        "Goodput (Mbit/s)",
        "One-way delay (ms)",
        "Queue (packets)",
        "Congestion window (segments)",
    ]
    # The only payload, 1448 bytes, is complete at 1 s, in the second of four bins of 1 s. A link of 12 kbit/s
    # serves a packet of 1500 bytes for 1 s: from 0 to 1 s and from 2 to 3 s. Each bin has two rows.
    rows = chart["datasets"]
    assert [row["time"] for row in rows["goodput"]] == [0, 1, 1, 2, 2, 3, 3, 4]
    assert [row["high"] for row in rows["goodput"]] == [12e3 / 1e6] * 8
    assert [row["line_0"] for row in rows["goodput"][::2]] == [0, 1448 * 8 / 1e6, 0, 0]
    assert [row["line_0"] for row in rows["delay"][::2]] == [None, 1000, None, None]
    assert [row["line_0"] for row in rows["queue"][::2]] == [1, 0, 1, 0]
    assert [row["line_0"] for row in rows["window"]] == [1, 2, 2, 2, 2]
    assert rows["lost on the link"] == [{"time": 3.0}]
    (path,) = save_chart(chart, tmp_path / f"run.{ending}")
    assert path.stat().st_size > 5000


def _headings(chart: dict[str, Any]) -> list[str]:
    return [panel["layer"][0]["encoding"]["color"]["legend"]["title"] for panel in chart["vconcat"]]


def test_chart__tells_flows_apart(result: ExperimentResult) -> None:
    two = ExperimentResult(result.row, result.packets, result.windows, result.flows * 2, result.end_ns, [])
    chart = timeline_chart(two.timeline(bins=4, samples=5), "cubic", "T")
    scale = chart["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == ["capacity of the link", "flow 0", "flow 1"]
    assert len(set(scale["range"])) == 3


def test_chart__without_the_queue_has_no_panel_for_it(result: ExperimentResult) -> None:
    behind = replace(result, row=result.row | {"wired_rate_bps": 1e6})
    assert len(timeline_chart(behind.timeline(bins=4, samples=5), "cubic", "T")["vconcat"]) == 3
