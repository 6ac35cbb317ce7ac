"""Columns of a run's result row: its settings, and the outcomes.

The backends, the results, the tables on the terminal and `docs/metrics.md` use these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tmt.spec.settings import ENDINGS, GROUP_SETTINGS, SETTINGS, ColumnKind, Setting

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
    kind: ColumnKind
    group: ResultGroup
    unit: str
    meaning: str
    counts: str = ""
    null: str = ""


@dataclass(frozen=True, slots=True)
class ColumnFamily:
    """Declares columns that share the group, and `counts` and `null` if they have none of their own.

    The name's suffix tells the unit; without one, whole numbers have the unit of the family, other numbers
    none.
    """

    group: ResultGroup
    counts: str = ""
    null: str = ""
    unit: str = ""

    def text(self, name: str, meaning: str, **own: str) -> ResultColumn:
        """Declare a column of text."""
        return self._column("text", name, meaning, {"unit": ""} | own)

    def integer(self, name: str, meaning: str, **own: str) -> ResultColumn:
        """Declare a column of whole numbers."""
        return self._column("integer", name, meaning, {"unit": _unit_of(name, self.unit)} | own)

    def number(self, name: str, meaning: str, **own: str) -> ResultColumn:
        """Declare a column of numbers."""
        return self._column("number", name, meaning, {"unit": _unit_of(name)} | own)

    def _column(self, kind: ColumnKind, name: str, meaning: str, own: dict[str, str]) -> ResultColumn:
        shared = {"counts": self.counts, "null": self.null}
        return ResultColumn(name, kind, self.group, meaning=meaning, **shared | own)


def _unit_of(name: str, other: str = "") -> str:
    return next((unit for unit, ending in ENDINGS.items() if name.endswith(ending)), other)


_TCP_PAYLOAD = "TCP payload bytes, each counted once; no TCP, IP or link header"
_NO_TRACE = "for a plain link"
_NO_PROXY = "without a proxy"
_NEVER_ACTIVE = "when no flow was ever active"
_NO_PROGRAMS = "without programs"
_NO_COMPETITION = "without two groups of flows in the forward direction that are active together"

_SCENARIO = ColumnFamily("scenario")
_PROVENANCE = ColumnFamily("provenance")
_DELIVERY = ColumnFamily("delivery", _TCP_PAYLOAD)
_ARRIVED = "IP packets with TCP data that reached the receiver: payload and headers, retransmissions too"
_DELAY = ColumnFamily("delay", _ARRIVED, "when nothing was received")
_RECOVERY = ColumnFamily("recovery", "TCP segments handed to IP by the sender, of all flows", unit="segments")
_WINDOW = ColumnFamily("window", "TCP segments", _NEVER_ACTIVE)
_RETURN = ColumnFamily("link", "IP packets (TCP acknowledgements) before the return link", unit="packets")
_WIRED = ColumnFamily("link", null="without a wired hop", unit="packets")
_PROXY = ColumnFamily("proxy", "TCP segments at the proxy, on their way over the link", _NO_PROXY, "segments")
_WINDOWS = ColumnFamily("proxy", "windows that the proxy advertises to the senders", _NO_PROXY, "packets")
_COST = ColumnFamily("cost")
_OUTCOME = ColumnFamily("delivery")
_OF_PROGRAMS = ColumnFamily("delivery", null=_NO_PROGRAMS)


def _setting_column(one: Setting) -> ResultColumn:
    field, param = one.field, one.field.param
    return ResultColumn(one.name, one.kind, "scenario", param.unit, field.meaning, param.counts, param.null)


def _link_columns(direction: Literal["forward", "return"]) -> tuple[ResultColumn, ...]:
    trace = ColumnFamily("scenario", null=_NO_TRACE)
    extent = ColumnFamily("scenario", null=f"{_NO_TRACE}, and where only the rows tell it")
    return (
        trace.text(f"{direction}_trace", f"name of the link trace that is the {direction} link"),
        _PROVENANCE.text(f"{direction}_sha256", "SHA-256 of that file's content", null=_NO_TRACE),
        _SCENARIO.number(
            f"{direction}_rate_bps",
            f"rate of the {direction} link: as given for a plain link, mean rate of the rows for a trace",
            counts="useful bytes of the LLDUs, lost ones too; IP bytes for a plain link",
        ),
        trace.integer(
            f"{direction}_lldu_bytes",
            "useful bytes of one LLDU",
            null=f"{_NO_TRACE}, and where rows have sizes of their own",
        ),
        trace.text(f"{direction}_packing", "how packets lie in rows: padded or packed"),
        extent.number(f"{direction}_begin_s", "when the trace begins, on its own clock"),
        extent.number(f"{direction}_length_s", "length of the trace, after which it starts again"),
        trace.number(f"{direction}_offset_s", "time after the trace's beginning at which the run starts"),
        trace.text(
            f"{direction}_online",
            "scheme that runs during the simulation; the trace is then a PHY trace",
            null="for a plain link, and for a link trace",
        ),
    )


def _link_metrics(direction: Literal["forward", "return"], packets: str) -> tuple[ResultColumn, ...]:
    link = ColumnFamily("link", packets, unit="packets")
    return (
        link.integer(f"{direction}_link_lost", "given up by the link's scheme"),
        link.integer(
            f"{direction}_link_unsettled", "carried by rows that were unsettled at the end of the link trace"
        ),
        link.integer(f"{direction}_queue_dropped", "dropped because the queue in front of the link was full"),
        link.integer(f"{direction}_aqm_dropped", "dropped by the discipline of that queue"),
        link.integer(f"{direction}_marked", "marked by the discipline of that queue (ECN)"),
        link.number(
            f"{direction}_utilisation",
            "bytes of rows that packets took, padding included / bytes of all rows during the simulation",
            counts="data LLDUs, the rows of the link trace",
            null=f"{_NO_TRACE}, or without a row during the simulation",
        ),
        ColumnFamily("link", null=_NO_TRACE).integer(
            f"{direction}_trace_repeats", "times that the trace started again from its beginning"
        ),
    )


RUN_RESULTS = (
    *map(_setting_column, SETTINGS),
    _SCENARIO.text("backend", "program that did the run: ns2, emulate, linux, quic or programs"),
    _SCENARIO.text("program", "the programs at the path's ends: label, or commands", null=_NO_PROGRAMS),
    *_link_columns("forward"),
    *_link_columns("return"),
    _SCENARIO.text("queue", "discipline of the queue, and its parameters that are not the usual ones"),
    ResultColumn("proxy", "flag", "scenario", "", "whether a proxy before the link splits the connections"),
    _PROVENANCE.text("tmt_version", "version of this program"),
    _PROVENANCE.text("simulator", "stamp of the simulator's build"),
    _PROVENANCE.text("command", "command line of the simulation, quoted for a shell"),
    _DELIVERY.number(
        "goodput_bps",
        "data handed to the receivers' applications, in order, per second of a flow's active time (from its "
        "first segment sent to the end of its transfer or of the run); summed over flows",
        null=_NEVER_ACTIVE,
    ),
    _DELIVERY.number(
        "return_goodput_bps",
        "the same of the flows in the return direction, which no other figure of TCP counts",
        null="without flows in the return direction",
    ),
    _DELIVERY.integer("goodput_bytes", "data handed to the receivers' applications, in order, of all flows"),
    _DELIVERY.number(
        "code_overhead",
        "symbols that decoding needed beyond the source symbols / source symbols",
        counts="FECTCP segments that arrived before their block was decoded",
        null="for TCP, or when nothing was decoded",
    ),
    _DELIVERY.number(
        "completion_s",
        "from the first segment sent to the last in-order byte delivered, of the slowest flow",
        null="without a transfer size, or when a flow did not finish",
    ),
    _OUTCOME.integer(
        "flows_completed", "flows whose transfer was delivered whole", null="without a transfer size"
    ),
    _OUTCOME.number(
        "competition_s",
        "common time: that in which all flows of the forward direction are active",
        null=_NO_COMPETITION,
    ),
    _OUTCOME.text(
        "groups",
        "groups of flows as JSON: a list of one object each, those of the forward direction first",
        null="without groups of flows",
    ),
    _OUTCOME.text(
        "measures",
        "numbers that the programs said, as JSON: for each an object of value, unit and better direction",
        null=f"{_NO_PROGRAMS}, or without measures",
    ),
    _OF_PROGRAMS.text("ends", "ends of the programs as JSON: a list of one object each, servers first"),
    _OF_PROGRAMS.text(
        "flow_figures",
        "flows that the programs made as JSON: a list of one object each, those with the most bytes first",
    ),
    _OUTCOME.number(
        "second_share",
        "share of the bytes received that came over the second path",
        counts="IP packets of the forward links: payload and headers, repeated data too",
        null="without a second path, or when nothing was received",
    ),
    _DELIVERY.number(
        "fairness",
        "Jain's index of the flows' goodputs, from 1/flows to 1",
        null="for a single flow, or when nothing was delivered",
    ),
    _DELIVERY.number(
        "competition_fairness",
        "Jain's index of these flows' goodputs in their common time",
        null=f"{_NO_COMPETITION}, or when nothing was delivered",
    ),
    _DELIVERY.number(
        "convergence_s",
        "time from the start of the common time until the shares of all groups are steady",
        null=f"{_NO_COMPETITION}, or if the share of one never becomes steady",
    ),
    _DELIVERY.number(
        "received_bps",
        "all data packets that arrived per second of active time, summed over flows",
        counts=_ARRIVED,
        null=_NEVER_ACTIVE,
    ),
    *(
        _DELAY.number(f"delay_{name}_s", f"{words} one-way delay from sending agent to receiving agent")
        for name, words in (
            ("min", "least"),
            ("median", "median"),
            ("p85", "85th percentile of the"),
            ("p95", "95th percentile of the"),
            ("p99", "99th percentile of the"),
        )
    ),
    _RECOVERY.integer("segments_sent", "transmissions by TCP"),
    _RECOVERY.integer("retransmissions", "transmissions of segments that had been sent before"),
    _RECOVERY.number("retransmission_ratio", "retransmissions / segments_sent", null="when nothing was sent"),
    _RECOVERY.integer(
        "max_transmissions", "most transmissions of one segment by TCP", unit="", null="when nothing was sent"
    ),
    _RECOVERY.integer(
        "timeouts",
        "expiries of the senders' retransmission timers",
        unit="",
        counts="retransmission timers of all senders",
        null="when the backend does not count them",
    ),
    _WINDOW.number("cwnd_mean_packets", "congestion window: mean over the active time, then over flows"),
    _WINDOW.number("cwnd_max_packets", "largest congestion window of any flow"),
    *_link_metrics("forward", "IP packets (TCP data) on the forward link"),
    *_link_metrics("return", "IP packets (TCP acknowledgements) on the return link"),
    ResultColumn(
        "return_ack_load",
        "number",
        "link",
        "",
        "share of the return link that ACKs took: of a plain link's rate from the first to the last ACK, "
        "or of a trace's rows",
        counts="IP packets (TCP acknowledgements) that its queue did not drop",
        null="with less than two acknowledgements, or over a trace that flows of the return direction share",
    ),
    _RETURN.integer("return_acks_thinned", "removed by ACK thinning: a later acknowledgement stands for it"),
    _WIRED.integer(
        "wired_lost", "lost at random by the wired hop", counts="IP packets (TCP data) on the wired hop"
    ),
    _WIRED.integer(
        "wired_dropped",
        "dropped because a queue of the wired hop was full",
        counts="IP packets on the wired hop, in both directions",
    ),
    _PROXY.integer("proxy_fill_max_packets", "largest fill of one connection's buffer"),
    _PROXY.integer("proxy_segments_sent", "transmissions by the proxy's senders"),
    _PROXY.integer("proxy_retransmissions", "retransmissions by the proxy's senders"),
    _PROXY.integer("proxy_timeouts", "expiries of the proxy's retransmission timers", unit=""),
    _WINDOWS.number(
        "held_s", "time in which the proxy's window stopped a sender that had more to send; summed over flows"
    ),
    _WINDOWS.integer(
        "proxy_window_updates", "acknowledgements that the proxy sent only to update the window"
    ),
    _WINDOWS.integer("window_probes", "probes by which the senders asked for a window that stayed closed"),
    _COST.number(
        "late_share",
        "share of packets that were 1 ms late or later",
        counts="IP packets (TCP data) on the forward link",
        null="in simulated time",
    ),
    _COST.number("simulated_s", "simulated time at which the run ended"),
    _COST.number("wall_time_s", "time that the program ran, by the wall clock"),
)
"""Columns of the row of one replay; `docs/metrics.md` is written from them."""

_OF_RUN = (
    *("goodput_bps", "goodput_bytes", "completion_s", "flows_completed", "fairness", "received_bps"),
    *("delay_min_s", "delay_median_s", "delay_p85_s", "delay_p95_s", "delay_p99_s"),
    *("segments_sent", "retransmissions", "retransmission_ratio", "max_transmissions", "timeouts"),
    *("cwnd_mean_packets", "cwnd_max_packets"),
)
"""Columns of a run that each of its groups also has."""

_LOST = ColumnFamily("link", "IP packets (TCP data) of the group's flows", unit="packets")
_NO_RIVAL = "without another group in its direction that is active together with it"

GROUP_RESULTS = (
    ResultColumn(
        "group", "text", "scenario", "", "the group's name: its flows, and settings that are not usual"
    ),
    *map(_setting_column, GROUP_SETTINGS),
    _DELIVERY.number(
        "share",
        "part of the data that all groups of its direction delivered in their common time",
        null=f"{_NO_RIVAL}, or when nothing was delivered",
    ),
    _DELIVERY.number(
        "convergence_s",
        "time from the start of the common time until the group's share is steady",
        null=f"{_NO_RIVAL}, or if the share never becomes steady",
    ),
    *(one for one in RUN_RESULTS if one.name in _OF_RUN),
    _LOST.integer("link_lost", "given up by the link's scheme"),
    _LOST.integer("link_unsettled", "carried by rows that were unsettled at the end of the trace"),
    _LOST.integer("queue_dropped", "dropped because the queue in front of the link was full"),
)
"""Keys of an object of the column `groups`, in this order; figures of a group count until its end."""
