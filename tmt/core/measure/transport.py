"""Performance of TCP: goodput, delay, retransmissions and windows, from the records of one simulation.

Packet records are a structured array with the columns of `PACKET_RECORDS` in `tmt.core.schema`, window
records one with those of `WINDOW_RECORDS`. Segments are numbered from 0 in each flow. Percentiles are by
nearest rank: the p-th is the least value that at least p % of the values do not exceed. A figure that does
not exist (the delay of a flow that delivered nothing) is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tmt.core.schema import PACKET_EVENTS
from tmt.core.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tmt.core.trace import FloatArray, Int64Array

Records = npt.NDArray[np.void]
Figures = dict[str, int | float | None]

SENT, RECEIVED, LINK_LOST, LINK_UNSETTLED, QUEUE_DROPPED, DECODED, ACK_THINNED, AQM_DROPPED, MARKED = range(
    len(PACKET_EVENTS)
)
FORWARD, RETURN = 0, 1
DELAY_PERCENTILES = {"median": 50, "p85": 85, "p95": 95, "p99": 99}


@dataclass(frozen=True, slots=True)
class FlowDelivery:
    """Delivery of one flow's data to the receiving application, segment by segment.

    Attributes
    ----------
    start_ns : when the first segment was sent; None for a flow that sent nothing
    stop_ns : end of the flow's active time: the end of its transfer, else the end of the run
    completed : whether the transfer was delivered whole (False without a transfer size)
    in_order_ns : [n_segments]
        When each segment and all before it had arrived; for coded data or QUIC, when each part was handed
        over.
    payload_bytes : [n_segments], payload of each of those segments or parts received_bytes : IP bytes of all
    data packets that arrived in the active time, duplicates included
    """

    start_ns: int | None
    stop_ns: int
    completed: bool
    in_order_ns: Int64Array
    payload_bytes: Int64Array
    received_bytes: int

    @property
    def active_ns(self) -> int:
        """Length of the active time; 0 for a flow that sent nothing."""
        return 0 if self.start_ns is None else self.stop_ns - self.start_ns

    @property
    def goodput_bytes(self) -> int:
        """TCP payload handed to the application, in order, each byte once."""
        return int(self.payload_bytes.sum())

    @property
    def goodput_bps(self) -> float:
        """Payload bits in order per second of active time; 0 for a flow that was never active."""
        return _per_second(8 * self.goodput_bytes, self.active_ns)


def deliveries(
    packets: Records,
    *,
    flows: int,
    end_ns: int,
    header_bytes: int,
    transfer_bytes: int | None = None,
    handed_over: bool = False,
) -> list[FlowDelivery]:
    """Follow each flow's data from the sender to the receiving application.

    `packets`, [n_records], has the columns of `PACKET_RECORDS`; a flow without a record never sent. `end_ns`
    is the simulated time of the end. A packet of no more than `header_bytes`, TCP's and IP's (a SYN), carries
    no payload. `transfer_bytes` is the payload of each flow's transfer; None for flows that send until the
    end. If `handed_over`, records `decoded` say when data were handed over: for coded data, and for QUIC,
    whose datagrams do not show their content.
    """
    data = packets[packets["direction"] == FORWARD]
    sent, received = data[data["event"] == SENT], data[data["event"] == RECEIVED]
    decoded = data[data["event"] == DECODED]
    parts = zip(by_flow(sent, flows), by_flow(received, flows), by_flow(decoded, flows), strict=True)
    return [
        _delivery(
            out,
            into,
            _handed_over(blocks) if handed_over else _in_order(into, header_bytes),
            end_ns,
            transfer_bytes,
        )
        for out, into, blocks in parts
    ]


def delivery_figures(flows: Sequence[FlowDelivery], transfer_bytes: int | None = None) -> Figures:
    """Return goodput, received rate, completion and fairness over all flows of a run (``docs/metrics.md``).

    Columns: ``goodput_bps``, ``goodput_bytes``, ``received_bps``, ``completion_s``, ``flows_completed``,
    ``fairness``. `flows` are those of `deliveries`; `transfer_bytes` is None for flows that send until the
    end.
    """
    active = [flow for flow in flows if flow.active_ns]
    goodputs = np.array([flow.goodput_bps for flow in flows])
    durations_ns = [flow.active_ns for flow in flows if flow.completed]
    return {
        "goodput_bps": float(goodputs.sum()) if active else None,
        "goodput_bytes": sum(flow.goodput_bytes for flow in flows),
        "received_bps": sum(_per_second(8 * flow.received_bytes, flow.active_ns) for flow in flows)
        if active
        else None,
        "completion_s": max(durations_ns) / NS_PER_S
        if durations_ns and len(durations_ns) == len(flows)
        else None,
        "flows_completed": None if transfer_bytes is None else len(durations_ns),
        "fairness": jain_index(goodputs) if len(flows) > 1 else None,
    }


def delay_figures(packets: Records) -> Figures:
    """Return least, median and high percentiles of the one-way delay of data packets, in seconds.

    Each arrived transmission counts. All are None when no data packet arrived.
    """
    delay_ns = packets["delay_ns"][(packets["direction"] == FORWARD) & (packets["event"] == RECEIVED)]
    count = len(delay_ns)
    if not count:
        return dict.fromkeys(("delay_min_s", *(f"delay_{name}_s" for name in DELAY_PERCENTILES)))
    ranks = {"min": 0} | {name: -(-percent * count // 100) - 1 for name, percent in DELAY_PERCENTILES.items()}
    ordered = np.partition(delay_ns, sorted(set(ranks.values())))
    return {f"delay_{name}_s": int(ordered[rank]) / NS_PER_S for name, rank in ranks.items()}


def recovery_figures(packets: Records) -> Figures:
    """Return the segments that TCP sent, its retransmissions, and the most transmissions of one segment."""
    transmission = packets["transmission"][(packets["direction"] == FORWARD) & (packets["event"] == SENT)]
    sent, repeated = len(transmission), int(np.count_nonzero(transmission > 1))
    return {
        "segments_sent": sent,
        "retransmissions": repeated,
        "retransmission_ratio": repeated / sent if sent else None,
        "max_transmissions": int(transmission.max()) if sent else None,
    }


def loss_figures(packets: Records) -> Figures:
    """Count the packets lost, left unsettled and dropped on the way, for both directions."""
    kinds = packets["direction"].astype(np.intp) * len(PACKET_EVENTS) + packets["event"]
    counts = np.bincount(kinds, minlength=2 * len(PACKET_EVENTS)).reshape(2, -1)
    names = {LINK_LOST: "link_lost", LINK_UNSETTLED: "link_unsettled", QUEUE_DROPPED: "queue_dropped"}
    names |= {AQM_DROPPED: "aqm_dropped", MARKED: "marked"}
    found: Figures = {
        f"{word}_{name}": int(counts[direction, event])
        for direction, word in ((FORWARD, "forward"), (RETURN, "return"))
        for event, name in names.items()
    }
    return found | {"return_acks_thinned": int(counts[RETURN, ACK_THINNED])}


def ack_load(packets: Records, rate_bps: float) -> float | None:
    """Return the share of a plain return link of `rate_bps` that the ACKs of forward flows took.

    It is measured from the first ACK to the last; None with fewer than two.
    """
    own = packets["direction"] == RETURN
    sent = packets[own & (packets["event"] == SENT)]
    kept_out = packets[own & np.isin(packets["event"], (QUEUE_DROPPED, ACK_THINNED))]
    if len(sent) < 2 or sent["time_ns"][-1] == sent["time_ns"][0]:
        return None
    taken_bits = 8 * (int(sent["size_bytes"].sum()) - int(kept_out["size_bytes"].sum()))
    return taken_bits * NS_PER_S / (rate_bps * float(sent["time_ns"][-1] - sent["time_ns"][0]))


def window_figures(windows: Records, flows: Sequence[FlowDelivery]) -> Figures:
    """Return the congestion window's mean over the active times, averaged over flows, and its maximum."""
    means = [
        mean_window(of_flow["time_ns"], of_flow["cwnd_packets"], flow.start_ns, flow.stop_ns)
        for flow, of_flow in zip(flows, by_flow(windows, len(flows)), strict=True)
        if flow.start_ns is not None and flow.active_ns and len(of_flow)
    ]
    return {
        "cwnd_mean_packets": float(np.mean(means)) if means else None,
        "cwnd_max_packets": float(windows["cwnd_packets"].max()) if means else None,
    }


def mean_window(time_ns: Int64Array, cwnd_packets: FloatArray, start_ns: int, stop_ns: int) -> float:
    """Average a window, which changes at `time_ns`, [n_changes], in order, over [start_ns, stop_ns).

    Before its first change it has the first change's value.
    """
    edges_ns = np.clip(np.concatenate([[start_ns], time_ns[1:], [stop_ns]]), start_ns, stop_ns)
    return float(np.average(cwnd_packets, weights=np.diff(edges_ns)))


def by_flow(records: Records, flows: int) -> Iterator[Records]:
    """Yield the records of each flow, from flow 0 to `flows` - 1."""
    if flows == 1:
        yield records
        return
    for flow in range(flows):
        yield records[records["flow"] == flow]


def of_flows(records: Records, flows: int) -> Records:
    """Return the records of the flows from 0 to `flows` - 1, without those of the return direction."""
    own = records["flow"] < flows
    return records if own.all() else records[own]


def of_group(records: Records, first: int, flows: int, until_ns: int, *, is_return: bool = False) -> Records:
    """Return the records of the flows from `first` to `first + flows - 1` until a time, numbered from 0.

    The directions of a return flow's packets are swapped: its data go `FORWARD`, as those of other flows.
    """
    own = (records["flow"] >= first) & (records["flow"] < first + flows) & (records["time_ns"] <= until_ns)
    if not first and not is_return and own.all():
        return records
    found = records[own]
    found["flow"] -= first
    if is_return and "direction" in (found.dtype.names or ()):
        found["direction"] = 1 - found["direction"]
    return found


def jain_index(shares: FloatArray) -> float | None:
    """Return (sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe 1984); None when every share is 0."""
    if not shares.any():
        return None
    relative = shares / shares.max()
    return float(relative.sum() ** 2 / (len(shares) * np.square(relative).sum()))


def _delivery(
    sent: Records,
    received: Records,
    in_order: tuple[Int64Array, Int64Array],
    end_ns: int,
    transfer_bytes: int | None,
) -> FlowDelivery:
    in_order_ns, payload_bytes = in_order
    stop_ns, completed = end_ns, False
    if transfer_bytes is not None:
        last = int(np.searchsorted(np.cumsum(payload_bytes), transfer_bytes))
        completed = last < len(in_order_ns)
        if completed:
            stop_ns = int(in_order_ns[last])
            in_order_ns, payload_bytes = in_order_ns[: last + 1], payload_bytes[: last + 1]
    return FlowDelivery(
        start_ns=int(sent["time_ns"][0]) if len(sent) else None,
        stop_ns=stop_ns,
        completed=completed,
        in_order_ns=in_order_ns,
        payload_bytes=payload_bytes,
        received_bytes=int(received["size_bytes"][received["time_ns"] <= stop_ns].sum(dtype=np.int64)),
    )


def _in_order(received: Records, header_bytes: int) -> tuple[Int64Array, Int64Array]:
    """Return time of in-order delivery and payload of each segment before the first gap."""
    count = len(received)
    sequence = received["sequence"]
    # A segment whose number is at least the count of arrivals has a gap before it.
    arrival = np.flatnonzero((sequence >= 0) & (sequence < count))
    first = np.full(count + 1, -1, dtype=np.int64)
    # NumPy keeps the last of several values for one index: in reverse order, the first arrival.
    first[sequence[arrival[::-1]]] = arrival[::-1]
    first = first[: int(np.argmin(first))]
    in_order_ns = np.maximum.accumulate(received["time_ns"][first])
    payload_bytes = np.maximum(received["size_bytes"][first].astype(np.int64) - header_bytes, 0)
    return in_order_ns, payload_bytes


def _handed_over(parts: Records) -> tuple[Int64Array, Int64Array]:
    """Return time and payload of each part of the data that was handed to the application."""
    return parts["time_ns"].astype(np.int64), parts["size_bytes"].astype(np.int64)


def _per_second(amount: int, duration_ns: int) -> float:
    return amount * NS_PER_S / duration_ns if duration_ns else 0.0
