"""Reading the records of a simulation: good ones, and every kind of damage."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tmt.core.errors import SimulatorError
from tmt.core.measure import transport
from tmt.core.schema import CONGESTION_STATES, PACKET_RECORDS, UNSETTLED, WINDOW_RECORDS
from tmt.run.experiment import ExperimentResult
from tmt.run.records import COUNTERS, PACKETS, WINDOWS, read_records
from tmt.show.charts.files import save_chart
from tmt.show.charts.over_time import timeline_chart
from tmt.spec.columns import RUN_RESULTS

COUNTER_LINES = {
    "end_ns": 9,
    "header_bytes": 52,
    "flow_0_timeouts": 1,
    "flow_1_timeouts": 2,
    "forward_bytes_offered": 100,
    "forward_bytes_used": 60,
    "forward_trace_repeats": 3,
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A directory as a good run of two flows leaves it: forward a trace, back a plain link."""
    packets = np.zeros(3, PACKET_RECORDS.dtype)
    packets["time_ns"], packets["event"], packets["flow"] = [0, 4, 4], [0, 1, 4], [0, 0, 1]
    packets["delay_ns"] = [UNSETTLED, 4, UNSETTLED]
    np.save(tmp_path / PACKETS, packets)
    np.save(tmp_path / WINDOWS, np.array([(0, 1, 2.0, 9.0, UNSETTLED, 3, 0.0)], WINDOW_RECORDS.dtype))
    write_counters(tmp_path, COUNTER_LINES)
    return tmp_path


def write_counters(directory: Path, counters: dict[str, int]) -> None:
    (directory / COUNTERS).write_text("".join(f"{name}\t{value}\n" for name, value in counters.items()))


def test_records__of_a_good_run_are_read(records: Path) -> None:
    found = read_records(records, 2, command="ns")
    assert found.packets["time_ns"].tolist() == [0, 4, 4]
    assert found.windows["cwnd_packets"].tolist() == [2.0]
    assert (found.end_ns, found.header_bytes) == (9, 52)
    assert found.columns == {
        "timeouts": 3,
        "forward_utilisation": 0.6,
        "forward_trace_repeats": 3,
        "command": "ns",
    }


def spoil(name: str, change: Callable[[npt.NDArray[np.void]], object]) -> Callable[[Path], object]:
    """Return a function that changes one of the tables of a directory."""

    def apply(directory: Path) -> None:
        table = np.load(directory / name)
        changed = change(table)
        np.save(directory / name, table if changed is None else changed)

    return apply


def cut(name: str, bytes_left_out: int) -> Callable[[Path], object]:
    return lambda directory: (directory / name).write_bytes((directory / name).read_bytes()[:-bytes_left_out])


def put(column: str, values: list[int]) -> Callable[[npt.NDArray[np.void]], None]:
    def change(table: npt.NDArray[np.void]) -> None:
        table[column] = values

    return change


def header(text: str) -> Callable[[Path], object]:
    """Return a function that replaces the packets' records by a `.npy` header."""
    start = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little")
    return lambda directory: (directory / PACKETS).write_bytes(start + text.encode())


DESCR = np.lib.format.dtype_to_descr(PACKET_RECORDS.dtype)
SHAPES = (f"({10**14},)", f"({10**30},)", f"({'9' * 5000},)", "(1, 1)", "(-1,)")
HEADERS = (
    *(f"{{'descr': {DESCR}, 'fortran_order': False, 'shape': {shape}, }}" for shape in SHAPES),
    "{'descr': ',,,', 'fortran_order': False, 'shape': (1,), }",
    *("{'descr': 1, 2: 3}", "((((", '"' * 3, "(" * 9000, "[" * 900 + "]" * 900, "None", ""),
)
EMPTY_ARCHIVE = b"PK\x05\x06" + bytes(18)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / PACKETS).unlink(), "packets.npy: the simulation has not written it"),
        (lambda folder: (folder / COUNTERS).unlink(), "counters.tsv: the simulation has not written it"),
        (cut(PACKETS, 5), "packets.npy: is damaged or cut short"),
        (cut(WINDOWS, 140), "windows.npy: is damaged or cut short"),
        (lambda folder: (folder / PACKETS).write_bytes(b""), "packets.npy: is damaged or cut short"),
        (spoil(WINDOWS, lambda table: table["time_ns"]), "windows.npy: holds int64, not the windows"),
        (spoil(PACKETS, put("time_ns", [0, 5, 4])), "packets.npy:row 3: time_ns goes back"),
        (
            spoil(PACKETS, put("time_ns", [-1, 4, 4])),
            "packets.npy:row 1: time_ns is -1; it must be 0 or more",
        ),
        (spoil(PACKETS, put("event", [0, 9, 4])), "packets.npy:row 2: event is 9; it must be less than 9"),
        (
            spoil(PACKETS, put("direction", [0, 0, 2])),
            "packets.npy:row 3: direction is 2; it must be less than 2",
        ),
        (spoil(PACKETS, put("flow", [0, 0, 2])), "packets.npy:row 3: flow is 2; it must be less than 2"),
        (spoil(WINDOWS, put("flow", [2])), "windows.npy:row 1: flow is 2; it must be less than 2"),
        (cut(COUNTERS, 3), "counters.tsv: is damaged or cut short"),
        (
            lambda folder: write_counters(folder, {"end_ns": 1}),
            "counters.tsv: is cut short: there is no header",
        ),
        (
            lambda folder: write_counters(folder, COUNTER_LINES | {"end_ns": 1 << 63}),
            "counters.tsv: is damaged or cut short: a number of more than 64 bits",
        ),
        *((header(text), "packets.npy: is damaged or cut short") for text in HEADERS),
        (lambda folder: (folder / PACKETS).write_bytes(b"PK\x03\x04 no archive"), "packets.npy: is damaged"),
        (lambda folder: (folder / PACKETS).write_bytes(EMPTY_ARCHIVE), "packets.npy: is damaged"),
    ],
)
def test_bad_records__are_refused(records: Path, damage: Callable[[Path], object], words: str) -> None:
    damage(records)
    with pytest.raises(SimulatorError) as refusal:
        read_records(records, 2)
    assert words in str(refusal.value)


def test_row__that_claims_more_than_the_file_holds_is_refused(records: Path) -> None:
    # The file of a run that was killed after it wrote the header.
    content = (records / PACKETS).read_bytes()
    (records / PACKETS).write_bytes(content.replace(b"(3,)", b"(9,)"))
    with pytest.raises(SimulatorError, match="cut short"):
        read_records(records, 2)


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
