"""Declarations of the columns of a run's result row: meaning, unit, and the layer that each counts.

The backends, the results, the tables on the terminal and `docs/metrics.md` use these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tmt.settings.settings import PARAMETERS

if TYPE_CHECKING:
    from tmt.parameters import Kind

ResultKind = Literal["text", "integer", "number", "flag"]
"""Types of result columns: Parquet string, int64, float64 and bool; Python str, int, float and bool."""

ResultGroup = Literal[
    "scenario", "provenance", "delivery", "delay", "recovery", "window", "link", "proxy", "cost"
]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of a run's result row.

    `counts` names the layer and the bytes, packets or LLDUs that the number counts. `null` says when the
    column is empty; without it the column always has a value. `unit` is the unit's symbol.
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
_PROXY_SEGMENTS = "TCP segments at the proxy, on their way over the link"
_WINDOWS = "windows that the proxy advertises to the senders"
_KINDS: dict[Kind, ResultKind] = {
    "time": "number",
    "int": "integer",
    "float": "number",
    "str": "text",
    "bool": "flag",
}
_NO_TRACE = "for a plain link"
_NO_WIRED = "without a wired hop"
_NO_PROXY = "without a proxy"


def _setting_columns(group: str) -> tuple[ResultColumn, ...]:
    """Return the columns of a group of declared settings."""
    return tuple(
        ResultColumn(
            one.column,
            _KINDS[one.kind],
            "scenario",
            one.unit,
            one.parameter.meaning,
            one.parameter.counts,
            one.parameter.null,
        )
        for one in PARAMETERS
        if one.group == group
    )


def _link_columns(direction: Literal["forward", "return"]) -> tuple[ResultColumn, ...]:
    """Return the columns that describe one direction of the path."""
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
            null=f"{_NO_TRACE}, and where rows have sizes of their own",
        ),
        ResultColumn(
            f"{direction}_packing",
            "text",
            "scenario",
            "",
            "how packets lie in rows: padded or packed",
            null=_NO_TRACE,
        ),
        ResultColumn(
            f"{direction}_offset_s",
            "number",
            "scenario",
            "s",
            "time in the trace at which the run starts",
            null=_NO_TRACE,
        ),
        ResultColumn(
            f"{direction}_online",
            "text",
            "scenario",
            "",
            "scheme that runs during the simulation; the trace is then a PHY trace",
            null="for a plain link, and for a link trace",
        ),
    )


def _link_metrics(direction: Literal["forward", "return"], packets: str) -> tuple[ResultColumn, ...]:
    """Return the columns of the measurements on one direction of the path."""
    return (
        ResultColumn(
            f"{direction}_link_lost", "integer", "link", "packets", "given up by the link's scheme", packets
        ),
        ResultColumn(
            f"{direction}_link_unsettled",
            "integer",
            "link",
            "packets",
            "carried by rows that were unsettled at the end of the link trace",
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
            "bytes of rows that packets took, padding included / bytes of all rows during the simulation",
            _LLDUS,
            null=_NO_TRACE + ", or without a row during the simulation",
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
    *_setting_columns(""),
    ResultColumn("backend", "text", "scenario", "", "program that did the run: ns2, emulate or linux"),
    *_link_columns("forward"),
    *_link_columns("return"),
    *_setting_columns("coding"),
    *_setting_columns("wired"),
    ResultColumn("proxy", "flag", "scenario", "", "whether a proxy before the link splits the connections"),
    *_setting_columns("proxy"),
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
        "return_goodput_bps",
        "number",
        "delivery",
        "bit/s",
        "the same of the flows in the return direction, which no other figure of TCP counts",
        _TCP_PAYLOAD,
        null="without flows in the return direction",
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
        "code_overhead",
        "number",
        "delivery",
        "",
        "symbols that decoding needed beyond the source symbols / source symbols",
        "FECTCP segments that arrived before their block was decoded",
        null="for TCP, or when nothing was decoded",
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
        "most transmissions of one segment by TCP",
        _TCP_SENT,
        null="when nothing was sent",
    ),
    ResultColumn(
        "timeouts",
        "integer",
        "recovery",
        "",
        "expiries of the senders' retransmission timers",
        "retransmission timers of all senders",
        null="when the backend does not count them",
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
    ResultColumn(
        "wired_lost",
        "integer",
        "link",
        "packets",
        "lost at random by the wired hop",
        "IP packets (TCP data) on the wired hop",
        null=_NO_WIRED,
    ),
    ResultColumn(
        "wired_dropped",
        "integer",
        "link",
        "packets",
        "dropped because a queue of the wired hop was full",
        "IP packets on the wired hop, in both directions",
        null=_NO_WIRED,
    ),
    ResultColumn(
        "proxy_fill_max_packets",
        "integer",
        "proxy",
        "packets",
        "largest fill of one connection's buffer",
        _PROXY_SEGMENTS,
        null=_NO_PROXY,
    ),
    *(
        ResultColumn(f"proxy_{name}", "integer", "proxy", unit, meaning, _PROXY_SEGMENTS, null=_NO_PROXY)
        for name, unit, meaning in (
            ("segments_sent", "segments", "transmissions by the proxy's senders"),
            (
                "retransmissions",
                "segments",
                "retransmissions by the proxy's senders",
            ),
            ("timeouts", "", "expiries of the proxy's retransmission timers"),
        )
    ),
    ResultColumn(
        "held_s",
        "number",
        "proxy",
        "s",
        "time in which the proxy's window stopped a sender that had more to send; summed over flows",
        _WINDOWS,
        null=_NO_PROXY,
    ),
    ResultColumn(
        "proxy_window_updates",
        "integer",
        "proxy",
        "packets",
        "acknowledgements that the proxy sent only to update the window",
        _WINDOWS,
        null=_NO_PROXY,
    ),
    ResultColumn(
        "window_probes",
        "integer",
        "proxy",
        "packets",
        "probes by which the senders asked for a window that stayed closed",
        _WINDOWS,
        null=_NO_PROXY,
    ),
    ResultColumn(
        "late_share",
        "number",
        "cost",
        "",
        "share of packets that were 1 ms late or later",
        _FORWARD_IP,
        null="in simulated time",
    ),
    ResultColumn("simulated_s", "number", "cost", "s", "simulated time at which the run ended"),
    ResultColumn("wall_time_s", "number", "cost", "s", "time that the program ran, by the wall clock"),
)
"""Columns of the row that one replay gives; `docs/metrics.md` is written from them."""
