"""Records kept as files and tables, and the drawing of a run, from a small result made by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tmt.core.measure import transport
from tmt.core.schema import CONGESTION_STATES, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS
from tmt.run.measure import ExperimentResult
from tmt.show.charts import replay as figure
from tmt.show.charts.style import save as save_figure
from tmt.spec.run_columns import RUN_RESULTS

if TYPE_CHECKING:
    from pathlib import Path

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
def test_figure__is_drawn_from_the_timeline(result: ExperimentResult, tmp_path: Path, ending: str) -> None:
    drawing = figure.draw(result.timeline(bins=4, samples=5), tcp="cubic", title="T")
    goodput, delay, queue, window = drawing.axes
    assert [axes.get_ylabel() for axes in (goodput, delay, queue, window)] == [
        "goodput (Mbit/s)",
        "one-way delay (ms)",
        "queue (packets)",
        "cwnd (segments)",
    ]
    # The only payload, 1448 bytes, is complete at 1 s, in the second of four bins of 1 s. A link of 12 kbit/s
    # serves a packet of 1500 bytes for 1 s: from 0 to 1 s and from 2 to 3 s.
    capacity, steps = goodput.patches
    assert capacity.get_data()[0].tolist() == [12e3 / 1e6] * 4
    assert steps.get_data()[0].tolist() == [0, 1448 * 8 / 1e6, 0, 0]
    assert queue.patches[1].get_data()[0].tolist() == [1, 0, 1, 0]
    assert window.lines[0].get_ydata().tolist() == [1, 2, 2, 2, 2]
    assert window.lines[1].get_xdata().tolist() == [3.0]
    save_figure(drawing, tmp_path / f"run.{ending}")
    assert (tmp_path / f"run.{ending}").stat().st_size > 5000


def test_figure__tells_flows_apart(result: ExperimentResult) -> None:
    two = ExperimentResult(result.row, result.packets, result.windows, result.flows * 2, result.end_ns, [])
    drawing = figure.draw(two.timeline(bins=4, samples=5), tcp="cubic", title="T")
    labels = [text.get_text() for text in drawing.axes[0].get_legend().get_texts()]
    assert labels == ["capacity offered by the link", "flow 0", "flow 1"]


def test_figure__without_the_queue_has_no_panel_for_it(result: ExperimentResult) -> None:
    behind = replace(result, row=result.row | {"wired_rate_bps": 1e6})
    drawing = figure.draw(behind.timeline(bins=4, samples=5), tcp="cubic", title="T")
    assert len(drawing.axes) == 3
