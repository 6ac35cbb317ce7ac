"""Figures of a run of programs from its packets: of all, of TCP's data in each direction, of each flow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.errors import SimulatorError
from tmt.core.measure import transport
from tmt.core.measure.transport import FORWARD, LINK_LOST, QUEUE_DROPPED, RECEIVED, RETURN, SENT
from tmt.core.units import NS_PER_S, ns_to_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tmt.core.measure.transport import FlowDelivery, Records
    from tmt.core.trace import BoolArray
    from tmt.spec.settings import Value

FLOWS = "flows.txt"

FLOWS_TOLD = 100
"""Number of flows in the result, those with the most bytes."""

TRANSPORTS = ("tcp", "udp")
"""Protocols that count as flows; neighbour discovery and ICMP are packets only."""


@dataclass(frozen=True, slots=True)
class SeenFlow:
    """A flow as seen in its packets; `header_bytes` are the IP and transport headers of a data packet.

    `path` is 0, or 1 on a second path.
    """

    number: int
    protocol: str
    version: int
    server_port: int
    client_port: int
    header_bytes: int
    path: int


def read_flows(directory: Path) -> list[SeenFlow]:
    """Return the flows that the kernel numbered, in order (SimulatorError)."""
    file = directory / FLOWS
    try:
        rows = [line.split("\t") for line in file.read_text().splitlines()]
        found = [SeenFlow(int(row[0]), row[1], *map(int, row[2:])) for row in rows]
    except FileNotFoundError:
        raise SimulatorError(f"{file}: the simulation has not written it") from None
    except (OSError, ValueError, TypeError, IndexError) as error:
        raise SimulatorError(f"{file}: is damaged or cut short: {error}") from error
    if [one.number for one in found] != list(range(len(found))):
        raise SimulatorError(f"{file}: its flows are not numbered from 0")
    return found


def figures(packets: Records, flows: Sequence[SeenFlow]) -> dict[str, Value]:
    """Return the result columns that follow from the packets of a run.

    Goodput is TCP's: payload delivered in order, of all connections, from the first data packet sent to the
    last one received. The received rate and the delays are those of all packets.
    """
    own = _of_flows(packets, len(flows))
    forward = [_delivery(of_flow, flow, FORWARD) for of_flow, flow in zip(own, flows, strict=True)]
    back = [_delivery(of_flow, flow, RETURN) for of_flow, flow in zip(own, flows, strict=True)]
    received = packets[(packets["direction"] == FORWARD) & (packets["event"] == RECEIVED)]
    data = packets[packets["transmission"] > 0]
    told = [
        _told(of_flow, flow, delivery)
        for of_flow, flow, delivery in zip(own, flows, forward, strict=True)
        if flow.protocol in TRANSPORTS
    ]
    told.sort(key=lambda one: -one["forward_bytes"] - one["return_bytes"])  # type: ignore[operator]
    return {
        "flows": len(told),
        "goodput_bps": _goodput_bps(forward),
        "goodput_bytes": sum(one.goodput_bytes for one in forward if one is not None),
        "return_goodput_bps": _goodput_bps(back),
        "received_bps": _rate_bps(received),
        "completion_s": None,
        "fairness": None,
        **transport.delay_figures(packets),
        **transport.recovery_figures(data),
        "flow_figures": json.dumps(told[:FLOWS_TOLD]),
    }


def on_second(packets: Records, flows: Sequence[SeenFlow]) -> BoolArray:
    """Return which packets are on the second path."""
    return np.isin(packets["flow"], [one.number for one in flows if one.path])


def second_share(packets: Records, flows: Sequence[SeenFlow]) -> float | None:
    """Return the share of the received forward bytes that came over the second path; None without any."""
    received = packets[(packets["direction"] == FORWARD) & (packets["event"] == RECEIVED)]
    sizes = received["size_bytes"].astype(np.int64)
    return int(sizes[on_second(received, flows)].sum()) / int(sizes.sum()) if len(sizes) else None


def _of_flows(packets: Records, count: int) -> list[Records]:
    """Return the records of each flow, in one pass."""
    order = np.argsort(packets["flow"], kind="stable")
    ends = np.cumsum(np.bincount(packets["flow"], minlength=count))
    return np.split(packets[order], ends[:-1]) if count else []


def _delivery(packets: Records, flow: SeenFlow, direction: int) -> FlowDelivery | None:
    """Return the delivery of TCP's data in a direction; None for other protocols, and without payload."""
    data = packets[(packets["direction"] == direction) & (packets["transmission"] > 0)]
    carrying = data[data["sequence"] > 0]
    if flow.protocol != "tcp" or not len(carrying):
        return None
    data = data.copy()
    data["direction"], data["flow"] = FORWARD, 0
    # The options of a SYN, whose number is 0, are no payload.
    data["size_bytes"][data["sequence"] == 0] = flow.header_bytes
    arrived = carrying["time_ns"][carrying["event"] == RECEIVED]
    end_ns = int(arrived[-1] if len(arrived) else data["time_ns"][-1])
    (found,) = transport.deliveries(data, flows=1, end_ns=end_ns, header_bytes=flow.header_bytes)
    return found


def _goodput_bps(flows: Sequence[FlowDelivery | None]) -> float | None:
    """Return the payload rate of flows over the time in which any of them was active."""
    own = [one for one in flows if one is not None and one.start_ns is not None]
    if not own:
        return None
    active_ns = max(one.stop_ns for one in own) - min(one.start_ns or 0 for one in own)
    return 8 * sum(one.goodput_bytes for one in own) * NS_PER_S / active_ns if active_ns else None


def _rate_bps(received: Records) -> float | None:
    """Return the rate of packets that arrived, from the first one's departure to the last one's arrival."""
    if not len(received):
        return None
    span_ns = int(received["time_ns"][-1] - (received["time_ns"][0] - received["delay_ns"][0]))
    return 8 * int(received["size_bytes"].sum(dtype=np.int64)) * NS_PER_S / span_ns if span_ns else None


def _told(packets: Records, flow: SeenFlow, delivery: FlowDelivery | None) -> dict[str, Value]:
    found: dict[str, Value] = {
        "flow": flow.number,
        "path": flow.path,
        "protocol": flow.protocol,
        "ip_version": flow.version,
        "server_port": flow.server_port,
        "client_port": flow.client_port,
        "start_s": ns_to_seconds(int(packets["time_ns"][0])),
        "end_s": ns_to_seconds(int(packets["time_ns"][-1])),
    }
    for name, direction in (("forward", FORWARD), ("return", RETURN)):
        own = packets[packets["direction"] == direction]
        sent = own[own["event"] == SENT]
        found |= {
            f"{name}_packets": len(sent),
            f"{name}_bytes": int(sent["size_bytes"].sum(dtype=np.int64)),
            f"{name}_lost": int(np.count_nonzero(own["event"] == LINK_LOST)),
            f"{name}_dropped": int(np.count_nonzero(own["event"] == QUEUE_DROPPED)),
            f"{name}_retransmissions": int(np.count_nonzero(sent["transmission"] > 1)),
        }
    delays = transport.delay_figures(packets)
    return found | {
        "goodput_bps": None if delivery is None else delivery.goodput_bps,
        "goodput_bytes": None if delivery is None else delivery.goodput_bytes,
        "delay_median_s": delays["delay_median_s"],
        "delay_p95_s": delays["delay_p95_s"],
    }
