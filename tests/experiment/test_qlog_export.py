"""A run as a qlog: events of records made by hand, and a run's packets, found again by the importer."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from experiments import asked
from link_traces import sent_once

from tmt import TraceLink
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.importers.qlog import Qlog
from tmt.io import write_trace
from tmt.show.qlog import write_qlog

SENT, RECEIVED, LINK_LOST = 0, 1, 2


def header(number: int) -> dict[str, Any]:
    return {"packet_type": "1RTT", "packet_number": number}


def data(number: int, offset: int) -> dict[str, Any]:
    frame = {"frame_type": "stream", "stream_id": 0, "offset": offset, "length": 948}
    return {"header": header(number), "raw": {"length": 972}, "frames": [frame]}


def acknowledgement(number: int, *ranges: list[int]) -> dict[str, Any]:
    frame = {"frame_type": "ack", "acked_ranges": list(ranges)}
    return {"header": header(number), "raw": {"length": 24}, "frames": [frame]}


def test_events__are_those_of_the_records(tmp_path: Path) -> None:
    # Segments 1, 2 and 3 are sent; 2 is lost; its second copy is sent in recovery. The ACK of 3 (a duplicate
    # to TCP) is lost, so that the next one names both copies that arrived since.
    rows = [
        # ms, event, direction, segment, bytes, transmission, uid
        (1, SENT, 0, 1, 1000, 1, 10),
        (2, SENT, 0, 2, 1000, 1, 11),
        (3, SENT, 0, 3, 1000, 1, 12),
        (4, LINK_LOST, 0, 2, 1000, 1, 11),
        (5, RECEIVED, 0, 1, 1000, 1, 10),
        (5, SENT, 1, 1, 52, 0, 13),
        (6, RECEIVED, 0, 3, 1000, 1, 12),
        (6, SENT, 1, 1, 52, 0, 14),
        (7, LINK_LOST, 1, 1, 52, 0, 14),
        (9, RECEIVED, 1, 1, 52, 0, 13),
        (10, SENT, 0, 2, 1000, 2, 15),
        (14, RECEIVED, 0, 2, 1000, 2, 15),
        (14, SENT, 1, 3, 52, 0, 16),
        (18, RECEIVED, 1, 3, 52, 0, 16),
    ]
    packets = np.zeros(len(rows), PACKET_RECORDS.dtype)
    for name, values in zip(
        ("time_ns", "event", "direction", "sequence", "size_bytes", "transmission", "uid"),
        zip(*rows, strict=True),
        strict=True,
    ):
        packets[name] = values
    packets["time_ns"] *= NS_PER_MS
    windows = np.zeros(2, WINDOW_RECORDS.dtype)
    windows["time_ns"] = 9 * NS_PER_MS, 10 * NS_PER_MS
    windows["cwnd_packets"], windows["ssthresh_packets"] = (10, 5), (2**31 - 1, 5)
    windows["srtt_ns"], windows["state"], windows["pacing_bps"] = (-1, 8_500_000), (0, 3), (0, 2e6)
    row = {"tcp": "cubic", "stack": "modern", "packet_bytes": 1000}
    run: Any = SimpleNamespace(row=row, packets=packets, windows=windows, flows=[None])
    write_qlog(run, tmp_path / "run.qlog")
    log = json.loads((tmp_path / "run.qlog").read_text())
    assert log["qlog_version"], log["qlog_format"] == ("0.3", "JSON")
    (trace,) = log["traces"]
    assert trace["vantage_point"] == {"name": "sender of flow 0", "type": "client"}
    # By hand. A window is 972 bytes a packet; packets 1 (lost) and 2 are open at 10 ms.
    assert [(one["time"], one["name"], one["data"]) for one in trace["events"]] == [
        (1.0, "transport:packet_sent", data(0, 0)),
        (2.0, "transport:packet_sent", data(1, 948)),
        (3.0, "transport:packet_sent", data(2, 2 * 948)),
        (
            9.0,
            "recovery:metrics_updated",
            {"congestion_window": 9720, "bytes_in_flight": 2916, "packets_in_flight": 3},
        ),
        (9.0, "recovery:congestion_state_updated", {"new": "slow_start"}),
        (9.0, "transport:packet_received", acknowledgement(0, [0, 0])),
        (
            10.0,
            "recovery:metrics_updated",
            {
                "congestion_window": 4860,
                "ssthresh": 4860,
                "smoothed_rtt": 8.5,
                "pacing_rate": 2_000_000,
                "bytes_in_flight": 1944,
                "packets_in_flight": 2,
            },
        ),
        (10.0, "recovery:congestion_state_updated", {"old": "slow_start", "new": "recovery"}),
        (10.0, "recovery:packet_lost", {"header": header(1)}),
        (10.0, "transport:packet_sent", data(3, 948)),
        (18.0, "transport:packet_received", acknowledgement(1, [2, 3])),
    ]


@pytest.mark.ns2
@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("stack", ["modern", "2009"])
def test_importer__finds_the_packets_of_a_run(stack: str, tmp_path: Path) -> None:
    rows = np.arange(2000)
    lost = np.flatnonzero(np.random.default_rng(1).random(2000) < 0.02)
    write_trace(
        tmp_path / "link.parquet",
        sent_once(rows * 6 * NS_PER_MS, np.full(2000, NS_PER_MS), lost, lldu_bytes=1500),
    )
    run = asked(
        forward=TraceLink(tmp_path / "link.parquet"),
        stack=stack,
        rtt_ns=NS_PER_S // 5,
        duration_ns=10 * NS_PER_S,
    ).run()
    write_qlog(run, tmp_path / "run.qlog")
    found = Qlog().probes(str(tmp_path / "run.qlog"))
    packets = run.packets[(run.packets["direction"] == 0) & (run.packets["transmission"] > 0)]
    sent = packets[packets["event"] == SENT]
    arrived = np.isin(sent["uid"], packets["uid"][packets["event"] == RECEIVED])
    count = len(found.delivered)
    assert count > 0.9 * len(sent)
    assert not np.all(arrived[:count])
    assert np.array_equal(found.delivered, arrived[:count])
    # The importer puts packets of one moment 1 ns apart.
    assert np.max(np.abs(found.tx_time_ns - sent["time_ns"][:count])) < 1000
    assert found.size_bytes == 1500
