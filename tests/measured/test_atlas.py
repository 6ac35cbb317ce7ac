"""Results of RIPE Atlas in the forms of its firmware."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tmt.core.errors import InputError, TmtError

MS, S = 10**6, 10**9


def result(at: int, *packets: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A result of firmware 5020, with the fields of its documentation."""
    return {
        "fw": 5020,
        "mver": "2.2.1",
        "lts": 54,
        "dst_name": "192.0.2.7",
        "af": 4,
        "dst_addr": "192.0.2.7",
        "src_addr": "198.51.100.2",
        "proto": "ICMP",
        "ttl": 58,
        "size": 64,
        "result": list(packets),
        "dup": 0,
        "rcvd": sum("rtt" in packet for packet in packets),
        "sent": len(packets),
        "msm_id": 1001,
        "prb_id": 6658,
        "timestamp": at,
        "msm_name": "Ping",
        "type": "ping",
        "step": 240,
    } | more


TWO = [
    result(1682445214, {"rtt": 44.5}, {"x": "*"}, {"rtt": 42.0}),
    result(1682445454, {"rtt": 41.0}, {"error": "connect failed: Network is unreachable"}, {"rtt": 43.0}),
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TWO),
        json.dumps(TWO[::-1], indent=1),
        "".join(json.dumps(one) + "\n" for one in TWO),
        "".join(json.dumps(one) + "\r\n" for one in TWO) + '{"fw": 50',
        json.dumps([TWO[0] | {"comment": "long" * 20_000}, TWO[1]]),
        json.dumps(TWO[0] | {"comment": "long" * 20_000}) + "\n" + json.dumps(TWO[1]) + "\n",
    ],
)
def test_atlas__sends_the_packets_of_a_result_a_second_apart(text: str, tmp_path: Path) -> None:
    """By hand: sent at 0, 1, 2, 240, 241 and 242 s; half of a round trip under way."""
    (tmp_path / "results").write_text(text, newline="")
    trace = import_trace("auto", tmp_path / "results")
    assert trace.metadata["importer"] == "atlas"
    assert (trace.tx_time_ns / S).tolist() == [0, 1, 2, 240, 241, 242]
    assert trace.delivered.tolist() == [True, False, True, True, False, True]
    assert (trace.delay_ns[trace.delivered] / MS).tolist() == [22.25, 21, 20.5, 21.5]
    assert trace.metadata["lldu_bytes"] == 92
    cut = "the last line is cut short and left out" in trace.metadata["notes"]
    assert cut == text.endswith("50")
    assert (
        "2 losses of unknown direction count as lost down; do not import both directions"
        in (trace.metadata["notes"])
    )


def test_atlas__leaves_out_duplicates_and_late_answers(tmp_path: Path) -> None:
    packets = {"rtt": 10.0}, {"rtt": 11.0, "dup": 1}, {"x": "*"}, {"rtt": 900.0, "late": 1}, {"rtt": 12.0}
    (tmp_path / "results").write_text(json.dumps([result(9, *packets)]))
    trace = import_trace("atlas", tmp_path / "results", packet_interval=0.5)
    assert (trace.tx_time_ns / S).tolist() == [0, 0.5, 1]
    assert trace.delivered.tolist() == [True, False, True]


def test_atlas__reads_firmware_1_and_4400(tmp_path: Path) -> None:
    """Firmware 1 has the mean of its answers alone; 4400 says IPv6 by its mode."""
    first = {"addr": "178.63.78.16", "avg": 20.0, "dup": 0, "from": "62.194.83.50", "fw": 1, "max": 20.3}
    first |= {"min": 19.9, "msm_id": 1000047, "name": "atlas.ripe.net", "prb_id": 165, "rcvd": 2, "sent": 3}
    first |= {"size": 56, "timestamp": 1332938930}
    (tmp_path / "one").write_text(json.dumps([first]))
    trace = import_trace("auto", tmp_path / "one")
    assert trace.delivered.tolist() == [True, True, False]
    assert np.unique(trace.delay_ns).tolist() == [10 * MS]
    second = result(7, {"rtt": 2.0}, {"rtt": 2.5}, fw=4400, mode="ICMP6", size=20)
    del second["af"], second["type"]
    (tmp_path / "two").write_text(json.dumps(second))
    assert import_trace("auto", tmp_path / "two").metadata["lldu_bytes"] == 68


def test_atlas__takes_one_probe_and_measurement(tmp_path: Path) -> None:
    other = result(1682445300, {"rtt": 7.0}, prb_id=9)
    traceroute = {"prb_id": 6658, "msm_id": 5, "type": "traceroute", "timestamp": 3, "result": []}
    third = result(1682445400, {"rtt": 8.0}, msm_id=1002)
    (tmp_path / "results").write_text(json.dumps([*TWO, other, traceroute, third]))
    with pytest.raises(InputError, match=r"there are 3 probes or measurements; choose one by --probe: 66"):
        import_trace("atlas", tmp_path / "results")
    with pytest.raises(InputError, match=r"choose one by --probe: 6658/1001 \(2 res.*, 6658/1002 \(1 res"):
        import_trace("atlas", tmp_path / "results", probe="6658")
    with pytest.raises(TmtError, match=r"--probe is 8; .* holds 6658/1001"):
        import_trace("atlas", tmp_path / "results", probe="8")
    trace = import_trace("atlas", tmp_path / "results", probe="6658/1001")
    assert len(trace) == 6
    assert "1 result of other types is left out" in trace.metadata["notes"]
    assert import_trace("atlas", tmp_path / "results", probe="9").delay_ns.tolist() == [3_500_000]


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        ([result(1, {"x": "*"})], "1 packet is lost, and there is no other; no delay is known"),
        ([result(1, {"rtt": -1})], "result 1: rtt is -1; a number from 0"),
        ([result(1, {"y": 1})], "result 1: a packet of it has neither rtt, x nor error"),
        ([result(1, {"rtt": 1}) | {"timestamp": "now"}], "timestamp is now"),
        ([{"type": "dns", "rcvd": 1}], "there is no result of ping by RIPE Atlas"),
    ],
)
def test_atlas__that_cannot_be_is_refused(held: Any, reason: str, tmp_path: Path) -> None:
    (tmp_path / "results").write_text(json.dumps(held))
    with pytest.raises(InputError, match=reason):
        import_trace("atlas", tmp_path / "results")
