"""A run as a log of its senders in qlog 0.3, which viewers such as qvis read.

Source: draft-ietf-quic-qlog-main-schema and draft-ietf-quic-qlog-quic-events. TCP differs from QUIC in four
points. A packet's number counts the flow's transmissions from 0. An ACK frame names the transmissions that
had arrived when the acknowledgement was sent and that no earlier one named. A length is that of the IP packet
minus 28 bytes, as for QUIC. A packet is logged as lost when its segment is retransmitted in a recovery.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tmt.core.errors import UsageError
from tmt.core.measure.transport import RECEIVED, SENT
from tmt.core.schema import CONGESTION_STATES
from tmt.core.units import NS_PER_MS
from tmt.io.atomic import staged
from tmt.show.charts.style import tcp_label
from tmt.spec.stacks import FECTCP, HEADER_BYTES

if TYPE_CHECKING:
    from os import PathLike

    from tmt.core.measure.transport import Records
    from tmt.run.experiment import ExperimentResult
    from tmt.spec.experiment import Experiment

_IP_UDP_BYTES = 28
_RECOVERING = tuple(CONGESTION_STATES.index(name) for name in ("cwr", "recovery", "loss"))
_UNBOUNDED_PACKETS = (1 << 31) - 1
"""Slow start threshold of a sender that has none yet."""

_Events = Iterator[tuple[str, dict[str, Any]]]


def check_qlog(experiment: Experiment) -> None:
    """Refuse a run that is not TCP from end to end: with a proxy, or FECTCP (UsageError)."""
    if experiment.path.proxy is not None or experiment.traffic.tcp == FECTCP:
        part = "FECTCP" if experiment.traffic.tcp == FECTCP else "a proxy"
        raise UsageError(f"a qlog has TCP's packets from end to end; it cannot be written for {part}")


def write_qlog(result: ExperimentResult, path: str | PathLike[str]) -> None:
    """Write one JSON document with a trace for each flow, of a run that `check_qlog` accepts.

    OutputError when the file cannot be written.
    """
    row = result.row
    label = f"{tcp_label(str(row['tcp']))}, stack {row['stack']}"
    packet_bytes = row["packet_bytes"]
    assert isinstance(packet_bytes, int)
    flows = sorted({int(flow) for flow in result.packets["flow"]})
    with staged(path) as part, part.open("w", encoding="utf-8") as file:
        head = {"qlog_version": "0.3", "qlog_format": "JSON", "title": f"TMT: {label}"}
        file.write(_text(head)[:-1] + ',"traces":[')
        for place, flow in enumerate(flows):
            about = {
                "title": f"flow {flow}: {label}",
                "vantage_point": {"name": f"sender of flow {flow}", "type": "client"},
                "common_fields": {"time_format": "absolute", "reference_time": 0, "protocol_type": ["TCP"]},
            }
            file.write("," * (place > 0) + _text(about)[:-1] + ',"events":[')
            sender = _Sender(packet_bytes, int(flow >= len(result.flows)))
            events = sender.events(result.packets, result.windows, flow)
            file.writelines("," * (number > 0) + "\n" + _text(event) for number, event in enumerate(events))
            file.write("]}")
        file.write("]}\n")


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


class _Sender:
    """A sender's transmissions, and what it knows of them."""

    def __init__(self, packet_bytes: int, direction: int) -> None:
        self._packet_bytes, self._direction = packet_bytes, direction
        self._lengths: list[int] = []
        """Length of each data packet, by its number."""
        self._numbers: dict[int, int] = {}
        """Number of each data packet, by its uid."""
        self._newest: dict[int, int] = {}
        """Number of each segment's last transmission."""
        self._open: set[int] = set()
        """Numbers of packets that are neither acknowledged nor lost."""
        self._arrived: list[int] = []
        """Numbers in the order of arrival at the receiver; acknowledgements have named the first `_named`."""
        self._named = 0
        self._arrived_before: dict[int, int] = {}
        """Number of packets that had arrived when each acknowledgement was sent, by its uid."""
        self._acks = 0
        self._state = self._in_flight_bytes = 0
        self._phase = ""

    def events(self, packets: Records, windows: Records, flow: int) -> Iterator[dict[str, Any]]:
        """Yield the events of a flow in order of time."""
        own = packets[packets["flow"] == flow], windows[windows["flow"] == flow]
        # A window change at the same time holds the state in which the packets were sent.
        merged = [(int(one["time_ns"]), 1, one) for one in own[0]]
        merged += [(int(one["time_ns"]), 0, one) for one in own[1]]
        merged.sort(key=itemgetter(0, 1))
        for time_ns, is_packet, one in merged:
            for name, data in self._packet(one) if is_packet else self._window(one):
                yield {"time": time_ns / NS_PER_MS, "name": name, "data": data}

    def _packet(self, packet: Any) -> _Events:
        uid, event, is_data = int(packet["uid"]), packet["event"], packet["direction"] == self._direction
        if is_data and packet["transmission"] > 0:
            if event == SENT:
                yield from self._send(packet)
            elif event == RECEIVED and uid in self._numbers:
                self._arrived.append(self._numbers[uid])
        elif not is_data and event == SENT:
            self._arrived_before[uid] = len(self._arrived)
        elif not is_data and event == RECEIVED:
            yield from self._acknowledge(packet)

    def _send(self, packet: Any) -> _Events:
        number, segment, length = len(self._lengths), int(packet["sequence"]), _length(packet)
        earlier = self._newest.get(segment)
        # Outside of a recovery the sender only probes.
        if earlier in self._open and self._state in _RECOVERING:
            self._close(earlier)
            yield "recovery:packet_lost", {"header": _header(earlier)}
        self._newest[segment] = self._numbers[int(packet["uid"])] = number
        self._lengths.append(length)
        self._open.add(number)
        self._in_flight_bytes += length
        frames = []
        if segment > 0:  # 0 is the SYN
            payload = int(packet["size_bytes"]) - HEADER_BYTES
            offset = (segment - 1) * (self._packet_bytes - HEADER_BYTES)
            frames = [{"frame_type": "stream", "stream_id": 0, "offset": offset, "length": payload}]
        yield (
            "transport:packet_sent",
            {"header": _header(number), "raw": {"length": length}, "frames": frames},
        )

    def _acknowledge(self, packet: Any) -> _Events:
        until = self._arrived_before.pop(int(packet["uid"]), 0)
        fresh = sorted(self._arrived[self._named : until])
        self._named = max(self._named, until)
        for number in fresh:
            self._close(number)
        ranges: list[list[int]] = []
        for number in fresh or self._arrived[until - 1 : until]:
            if ranges and number == ranges[-1][1] + 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
        frames = [{"frame_type": "ack", "acked_ranges": ranges}] if ranges else []
        header = _header(self._acks)
        self._acks += 1
        yield (
            "transport:packet_received",
            {"header": header, "raw": {"length": _length(packet)}, "frames": frames},
        )

    def _close(self, number: int) -> None:
        if number in self._open:
            self._open.remove(number)
            self._in_flight_bytes -= self._lengths[number]

    def _window(self, window: Any) -> _Events:
        self._state = int(window["state"])
        cwnd, ssthresh = float(window["cwnd_packets"]), float(window["ssthresh_packets"])
        unit_bytes = self._packet_bytes - _IP_UDP_BYTES
        metrics: dict[str, int | float] = {"congestion_window": round(cwnd * unit_bytes)}
        if ssthresh < _UNBOUNDED_PACKETS:
            metrics["ssthresh"] = round(ssthresh * unit_bytes)
        if window["srtt_ns"] >= 0:
            metrics["smoothed_rtt"] = int(window["srtt_ns"]) / NS_PER_MS
        if window["pacing_bps"] > 0:
            metrics["pacing_rate"] = round(float(window["pacing_bps"]))
        metrics |= {"bytes_in_flight": self._in_flight_bytes, "packets_in_flight": len(self._open)}
        yield "recovery:metrics_updated", metrics
        phase = "slow_start" if cwnd < ssthresh else "congestion_avoidance"
        phase = "recovery" if self._state in _RECOVERING else phase
        if phase != self._phase:
            yield (
                "recovery:congestion_state_updated",
                ({"old": self._phase} if self._phase else {}) | {"new": phase},
            )
            self._phase = phase


def _header(number: int) -> dict[str, Any]:
    return {"packet_type": "1RTT", "packet_number": number}


def _length(packet: Any) -> int:
    return int(packet["size_bytes"]) - _IP_UDP_BYTES
