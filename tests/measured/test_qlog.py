"""Logs of QUIC endpoints: fates and round trips of their packets, in the forms that programs write."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.measured.excerpts import PROBES
from tests.measured.imports import import_trace, written
from tmt.core.errors import InputError
from tmt.importers.qlog import Qlog

MS = 1_000_000


def test_qlog__has_fates_and_delays_of_packets(tmp_path: Path) -> None:
    """By hand: packets at 0, 10, 20, 30 and 40 ms; an ACK at 62 ms, held for 2 ms, names 0, 2 and 3.

    The largest newly acknowledged one is 3: its round trip is 62 - 30 - 2 ms. Packet 4 is still open.
    """
    probes = Qlog().probes(written(tmp_path, PROBES["qlog"].text))
    assert (probes.tx_time_ns / MS).tolist() == [0, 10, 20, 30]
    assert probes.delivered.tolist() == [True, False, True, True]
    assert (probes.delay_ns / MS).tolist() == [15] * 4
    assert probes.size_bytes == 1228
    assert probes.notes[0] == (
        "lost are 1 of 4 packets: 1 as the sender declared, 0 because no acknowledgement names them"
    )
    assert probes.notes[2] == "1 packet behind the last acknowledged one is left out"


def test_qlog__reads_events_as_arrays(tmp_path: Path) -> None:
    """By hand, of draft 01: times in us as text. 8 was sent at 9 us and acknowledged at 40 ms; 7 was lost.

    The unit of an acknowledgement delay is not known there, so it is not subtracted.
    """
    probes = Qlog().probes(written(tmp_path, PROBES["qlog of draft 01"].text))
    assert probes.tx_time_ns.tolist() == [0, 9000]
    assert probes.delivered.tolist() == [False, True]
    assert probes.delay_ns.tolist() == [(40_000_000 - 9_000) // 2] * 2


def sent(number: int, time: float, kind: str = "1RTT", **more: Any) -> dict[str, Any]:
    header = {"packet_type": kind, "packet_number": number}
    return {"time": time, "name": "quic:packet_sent", "data": {"header": header}} | more


def acknowledged(ranges: list[Any], time: float, kind: str = "1RTT", **more: Any) -> dict[str, Any]:
    frames = [{"frame_type": "ack", "acked_ranges": ranges}]
    data = {"header": {"packet_type": kind, "packet_number": 0}, "frames": frames}
    return {"time": time, "name": "quic:packet_received", "data": data} | more


def of_path(event: dict[str, Any], path: int) -> dict[str, Any]:
    event["data"]["header"]["path_id"] = path
    return event


def test_qlog__takes_the_path_that_sends_most(tmp_path: Path) -> None:
    """Multipath QUIC numbers the packets of each path from 0; an ACK names its path.

    By hand: path 1 sends at 1, 2 and 3 ms and loses the second; path 0 sends one packet with the same number.
    """
    answer = acknowledged([[0, 0], [2, 2]], 43)
    answer["data"]["frames"][0] |= {"frame_type": "path_ack", "path_id": 1}
    events = [of_path(sent(number, 1 + number), 1) for number in range(3)]
    log = document(of_path(sent(0, 0), 0), *events, acknowledged([0], 10), answer)
    probes = Qlog().probes(written(tmp_path, log))
    assert (probes.tx_time_ns / MS).tolist() == [0, 1, 2]
    assert probes.delivered.tolist() == [True, False, True]
    assert (probes.delay_ns / MS).tolist() == [20, 20, 20]
    assert "1 packet of other paths is left out" in probes.notes


def document(*events: dict[str, Any], **common: str) -> str:
    return json.dumps({"qlog_version": "0.3", "traces": [{"common_fields": common, "events": events}]})


def test_qlog__keeps_spaces_of_packet_numbers_apart(tmp_path: Path) -> None:
    """Packet 0 of the handshake is lost; packet 0 of 1-RTT, which 0-RTT numbers with it, is not."""
    events = [
        sent(0, 0, "handshake"),
        sent(1, 1, "handshake"),
        sent(0, 2, "0RTT"),
        sent(1, 3),
        acknowledged([[0, 1]], 40),
        acknowledged([1], 41, "handshake"),
    ]
    probes = Qlog().probes(written(tmp_path, document(*events)))
    assert probes.delivered.tolist() == [False, True, True, True]


def test_qlog__takes_the_connection_that_sends_most(tmp_path: Path) -> None:
    events = [sent(0, 0, group_id="a"), sent(0, 1, group_id="b"), sent(1, 2, group_id="b")]
    events += [acknowledged([[0, 1]], 40, group_id="b")]
    probes = Qlog().probes(written(tmp_path, document(*events)))
    assert len(probes.delivered) == 2
    assert probes.notes[-1] == "1 connection with fewer packets is left out"


def test_qlog__adds_times_that_count_from_the_event_before(tmp_path: Path) -> None:
    events = [sent(0, 1000), sent(1, 10), acknowledged([[0, 1]], 50)]
    probes = Qlog().probes(written(tmp_path, document(*events, time_format="relative_to_previous_event")))
    assert (probes.tx_time_ns / MS).tolist() == [0, 10]
    assert (probes.delay_ns / MS).tolist() == [25, 25]


def test_qlog__takes_back_a_loss_that_was_none(tmp_path: Path) -> None:
    lost = sent(0, 30) | {"name": "recovery:packet_lost"}
    events = [sent(0, 0), sent(1, 1), acknowledged([[1]], 20), lost, acknowledged([[0, 1]], 40)]
    probes = Qlog().probes(written(tmp_path, document(*events)))
    assert probes.delivered.all()
    assert "1 packet was declared lost, but acknowledged: no loss" in probes.notes


def test_qlog__counts_each_packet_once_in_many_acknowledgements(tmp_path: Path) -> None:
    """Endpoints name all packets so far in each acknowledgement: 20,000 events take no minutes."""
    events = []
    for number in range(10_000):
        events += [sent(number, number), acknowledged([[0, number]], number + 0.5)]
    probes = Qlog().probes(written(tmp_path, document(*events)))
    assert probes.delivered.sum() == 10_000
    assert set(probes.delay_ns.tolist()) == {MS // 4}


def test_qlog__becomes_a_trace_without_the_line_that_is_cut(tmp_path: Path) -> None:
    path = written(tmp_path, PROBES["qlog"].text + '\x1e{"time": 70')
    trace = import_trace("auto", path)
    assert "the last line is cut short and left out" in trace.metadata["notes"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (document(), ": there is no event packet_sent in this log"),
        (document(sent(0, 0)), ": no packet of this log is acknowledged; were frames logged"),
        (
            document(sent(-1, 0)),
            r":traces\[0\]\.events\[0\]: packet_number is -1; allowed are whole numbers from 0",
        ),
        (
            document(sent(0, float("nan"))),
            r":traces\[0\]\.events\[0\]: the time of an event is nan; a number",
        ),
        (
            document(sent(0, 0), acknowledged([["x"]], 1)),
            r"events\[1\]: acked_ranges is x; allowed are whole numbers",
        ),
        ('{"qlog_version": "0.3"}', ": there is no list traces; this is not a file of qlog"),
        ('{"qlog_format": "JSON-SEQ"}\n[}\n{}\n', r":2: \[} is not a whole JSON document"),
    ],
)
def test_qlog__refuses_with_the_place(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        Qlog().probes(written(tmp_path, text))
