"""Every column that a file of ours holds, declared once.

Readers, writers, validators, the reference in `docs/formats.md` and the C++ header
`clift-ns2/core/schema.h` are derived from these declarations and from nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tmt.units import MAX_TIME_NS

FORMAT_VERSION = 1
"""Written into every file's metadata; a reader warns about a newer one."""

UNSETTLED = -1
"""Stands in `.npy` and in memory for the delay of an LLDU whose fate is open when the trace ends."""

Order = Literal["any", "strictly increasing", "increasing"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name carries the unit, its dtype is little-endian.

    `minimum` and `maximum` are the least and the greatest value allowed (None: no bound), `order` the rule
    from row to row, and `null` the number that stands for "no value" in memory and in `.npy` (Parquet and CSV
    use their own null for it).
    """

    name: str
    dtype: str
    meaning: str
    minimum: int | None = None
    maximum: int | None = None
    order: Order = "any"
    null: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """An ordered set of columns, and the `kind` under which metadata and messages know it."""

    kind: str
    title: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in file order."""
        return tuple(column.name for column in self.columns)

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The packed structured dtype of the `.npy` form."""
        return np.dtype([(column.name, column.dtype) for column in self.columns])

    def column(self, name: str) -> Column:
        """Return the column called `name` (KeyError when there is none)."""
        return {column.name: column for column in self.columns}[name]


_TX_TIME = Column(
    "tx_time_ns",
    "<i8",
    "when the slot is sent, on the sender's clock",
    minimum=0,
    maximum=MAX_TIME_NS,
    order="strictly increasing",
)

PHY_TRACE = Table(
    "phy",
    "PHY trace: one row per slot",
    (
        _TX_TIME,
        Column(
            "decode_time_ns",
            "<i8",
            "how long after tx_time_ns the PHY has decoded the slot, without propagation; 0 means erased",
            minimum=0,
            maximum=MAX_TIME_NS,
        ),
    ),
)

LINK_TRACE = Table(
    "link",
    "link trace: one row per data LLDU, in order of first transmission",
    (
        _TX_TIME,
        Column(
            "delay_ns",
            "<i8",
            "from the first transmission until the LLDU's fate is settled at the receiver (delivered or "
            "given up), without propagation; null while unsettled at the end of the trace",
            minimum=0,
            maximum=MAX_TIME_NS,
            null=UNSETTLED,
        ),
        Column("delivered", "|b1", "whether the LLDU was delivered"),
        Column(
            "transmissions",
            "|u1",
            "times the LLDU was sent (harq: 1 + requests of its block); 255 means 255 or more",
            minimum=1,
        ),
    ),
)

PACKET_RECORDS = Table(
    "packets",
    "packet records of one simulation, in order of time: what the taps and the trace-driven queues saw",
    (
        Column("time_ns", "<i8", "simulated time of the event", minimum=0, order="increasing"),
        Column("event", "|u1", "one of PACKET_EVENTS, by its number"),
        Column("direction", "|u1", "0: forward (sender to receiver), 1: return"),
        Column("flow", "<u2", "number of the flow, from 0"),
        Column("sequence", "<i8", "TCP segment number (forward) or highest segment acknowledged (return)"),
        Column("size_bytes", "<u4", "IP packet size: payload, TCP and IP headers"),
        Column(
            "transmission", "<u2", "which transmission of this segment by TCP it is, from 1; 0: not TCP data"
        ),
        Column("uid", "<i8", "ns-2's number of the packet"),
        Column(
            "delay_ns",
            "<i8",
            "for `received`: one-way delay from the sending agent to the receiving one; else null",
            minimum=0,
            null=UNSETTLED,
        ),
    ),
)

PACKET_EVENTS = ("sent", "received", "link_lost", "link_unsettled", "queue_dropped")
"""Numbers of `event` in `PACKET_RECORDS`: agent sends, agent receives, given up by the link's scheme, open
when the link trace ends, dropped by the queue's limit."""

WINDOW_RECORDS = Table(
    "windows",
    "congestion window over time: one row per change, per flow",
    (
        Column("time_ns", "<i8", "simulated time of the change", minimum=0, order="increasing"),
        Column("flow", "<u2", "number of the flow, from 0"),
        Column("cwnd_packets", "<f8", "congestion window, in segments"),
    ),
)

TABLES = (PHY_TRACE, LINK_TRACE, PACKET_RECORDS, WINDOW_RECORDS)

ResultKind = Literal["text", "integer", "number", "flag"]
"""Types of result columns: Parquet string, int64, float64 and bool; Python str, int, float and bool."""

ResultGroup = Literal["scenario", "provenance", "delivery", "delay", "recovery", "window", "link", "cost"]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of a run's result row.

    `counts` says which layer and which bytes, packets or LLDUs the number counts, and `null` when it has no
    value (empty: it always has one). `unit` is the unit's symbol, for tables and axes.
    """

    name: str
    kind: ResultKind
    group: ResultGroup
    unit: str
    meaning: str
    counts: str = ""
    null: str = ""


_TCP_PAYLOAD = "TCP payload bytes, each counted once; no TCP, IP or link header"
_IP_RECEIVED = "IP packets with TCP data that reached the receiver: payload and headers, retransmissions too"
_TCP_SENT = "TCP segments handed to IP by the sender, of all flows"
_FORWARD_IP = "IP packets (TCP data) on the forward link"
_RETURN_IP = "IP packets (TCP acknowledgements) on the return link"
_LLDUS = "data LLDUs, the rows of the link trace"
_NO_TRACE = "for a plain link"


def _link_columns(direction: Literal["forward", "return"]) -> tuple[ResultColumn, ...]:
    """What one direction of the path is made of."""
    return (
        ResultColumn(
            f"{direction}_trace",
            "text",
            "scenario",
            "",
            f"name of the link trace that is the {direction} link",
            null=_NO_TRACE,
        ),
        ResultColumn(
            f"{direction}_sha256", "text", "provenance", "", "SHA-256 of that file's content", null=_NO_TRACE
        ),
        ResultColumn(
            f"{direction}_rate_bps",
            "number",
            "scenario",
            "bit/s",
            f"rate of the {direction} link: as given for a plain link, mean rate of the rows for a trace",
            "useful bytes of the LLDUs, lost ones too; IP bytes for a plain link",
        ),
        ResultColumn(
            f"{direction}_lldu_bytes",
            "integer",
            "scenario",
            "byte",
            "useful bytes of one LLDU",
            null=_NO_TRACE,
        ),
        ResultColumn(
            f"{direction}_offset_s",
            "number",
            "scenario",
            "s",
            "where in the trace the run starts",
            null=_NO_TRACE,
        ),
    )


def _link_metrics(direction: Literal["forward", "return"], packets: str) -> tuple[ResultColumn, ...]:
    """What is measured on one direction of the path."""
    return (
        ResultColumn(
            f"{direction}_link_lost", "integer", "link", "packets", "given up by the link's scheme", packets
        ),
        ResultColumn(
            f"{direction}_link_unsettled",
            "integer",
            "link",
            "packets",
            "carried by rows that were open when the link trace was cut",
            packets,
        ),
        ResultColumn(
            f"{direction}_queue_dropped",
            "integer",
            "link",
            "packets",
            "dropped because the queue in front of the link was full",
            packets,
        ),
        ResultColumn(
            f"{direction}_utilisation",
            "number",
            "link",
            "",
            "rows that carried packets / rows that passed while the simulation ran",
            _LLDUS,
            null=_NO_TRACE + ", or when no row passed",
        ),
        ResultColumn(
            f"{direction}_trace_repeats",
            "integer",
            "link",
            "",
            "times that the trace started again from its beginning",
            null=_NO_TRACE,
        ),
    )


RUN_RESULTS = (
    ResultColumn("tcp", "text", "scenario", "", "TCP variant of all senders"),
    ResultColumn("flows", "integer", "scenario", "", "number of TCP flows that share the path"),
    ResultColumn("rtt_s", "number", "scenario", "s", "round-trip propagation time of the path"),
    ResultColumn(
        "duration_s", "number", "scenario", "s", "simulated time at which the run ends at the latest"
    ),
    ResultColumn(
        "transfer_bytes",
        "integer",
        "scenario",
        "byte",
        "size of each flow's transfer, rounded up to whole segments",
        _TCP_PAYLOAD,
        null="for flows that send until the end",
    ),
    ResultColumn("start_s", "number", "scenario", "s", "simulated time at which the first flow may start"),
    ResultColumn(
        "start_spread_s", "number", "scenario", "s", "flows start at random within so much time after start_s"
    ),
    ResultColumn("seed", "integer", "scenario", "", "number of the random substream"),
    ResultColumn(
        "packet_bytes",
        "integer",
        "scenario",
        "byte",
        "size of a full data packet",
        "IP packet: payload and headers",
    ),
    ResultColumn(
        "queue_packets",
        "integer",
        "scenario",
        "packets",
        "limit of the queue in front of each link",
        "IP packets",
    ),
    ResultColumn(
        "window_packets", "integer", "scenario", "packets", "bound on each sender's window", "TCP segments"
    ),
    ResultColumn("loop", "flag", "scenario", "", "whether a link trace starts again at its end"),
    ResultColumn("in_order", "flag", "scenario", "", "whether the link delivers packets in order"),
    ResultColumn(
        "hold_s",
        "number",
        "scenario",
        "s",
        "longest time that in-order delivery holds a packet back",
        null="when packets may wait for ever, or in_order is off",
    ),
    *_link_columns("forward"),
    *_link_columns("return"),
    ResultColumn("tmt_version", "text", "provenance", "", "version of this program"),
    ResultColumn("simulator", "text", "provenance", "", "stamp of the simulator's build"),
    ResultColumn("command", "text", "provenance", "", "command line of the simulation, quoted for a shell"),
    ResultColumn(
        "goodput_bps",
        "number",
        "delivery",
        "bit/s",
        "data handed to the receivers' applications, in order, per second of a flow's active time (from its "
        "first segment sent to the end of its transfer or of the run); summed over flows",
        _TCP_PAYLOAD,
        null="when no flow was ever active",
    ),
    ResultColumn(
        "goodput_bytes",
        "integer",
        "delivery",
        "byte",
        "data handed to the receivers' applications, in order, of all flows",
        _TCP_PAYLOAD,
    ),
    ResultColumn(
        "completion_s",
        "number",
        "delivery",
        "s",
        "from the first segment sent to the last in-order byte delivered, of the slowest flow",
        _TCP_PAYLOAD,
        null="without a transfer size, or when a flow did not finish",
    ),
    ResultColumn(
        "flows_completed",
        "integer",
        "delivery",
        "",
        "flows whose transfer was delivered whole",
        null="without a transfer size",
    ),
    ResultColumn(
        "fairness",
        "number",
        "delivery",
        "",
        "Jain's index of the flows' goodputs, from 1/flows to 1",
        _TCP_PAYLOAD,
        null="for a single flow, or when nothing was delivered",
    ),
    ResultColumn(
        "received_bps",
        "number",
        "delivery",
        "bit/s",
        "all data packets that arrived per second of active time, summed over flows",
        _IP_RECEIVED,
        null="when no flow was ever active",
    ),
    *(
        ResultColumn(
            f"delay_{name}_s",
            "number",
            "delay",
            "s",
            f"{words} one-way delay from sending agent to receiving agent",
            _IP_RECEIVED,
            null="when nothing was received",
        )
        for name, words in (
            ("min", "least"),
            ("median", "median"),
            ("p85", "85th percentile of the"),
            ("p95", "95th percentile of the"),
            ("p99", "99th percentile of the"),
        )
    ),
    ResultColumn("segments_sent", "integer", "recovery", "segments", "transmissions by TCP", _TCP_SENT),
    ResultColumn(
        "retransmissions",
        "integer",
        "recovery",
        "segments",
        "transmissions by TCP of segments that had been sent before",
        _TCP_SENT,
    ),
    ResultColumn(
        "retransmission_ratio",
        "number",
        "recovery",
        "",
        "retransmissions / segments_sent",
        _TCP_SENT,
        null="when nothing was sent",
    ),
    ResultColumn(
        "max_transmissions",
        "integer",
        "recovery",
        "",
        "most times that TCP sent one and the same segment",
        _TCP_SENT,
        null="when nothing was sent",
    ),
    ResultColumn(
        "timeouts",
        "integer",
        "recovery",
        "",
        "times that one expired",
        "retransmission timers of all senders",
    ),
    ResultColumn(
        "cwnd_mean_packets",
        "number",
        "window",
        "packets",
        "congestion window: mean over the active time, then over flows",
        "TCP segments",
        null="when no flow was ever active",
    ),
    ResultColumn(
        "cwnd_max_packets",
        "number",
        "window",
        "packets",
        "largest congestion window of any flow",
        "TCP segments",
        null="when no flow was ever active",
    ),
    *_link_metrics("forward", _FORWARD_IP),
    *_link_metrics("return", _RETURN_IP),
    ResultColumn("simulated_s", "number", "cost", "s", "simulated time at which the run ended"),
    ResultColumn("wall_time_s", "number", "cost", "s", "time that ns-2 ran, by the wall clock"),
)
"""Columns of the row that one replay gives; `docs/metrics.md` is written from them."""
