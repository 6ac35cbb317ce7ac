"""The result of an experiment: its row, and the records that the figures in it were measured from."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt import __version__
from tmt.core.measure import transport
from tmt.core.measure.link_use import link_use
from tmt.core.measure.transport_timeline import Timeline, timeline
from tmt.core.units import ns_to_seconds
from tmt.core.words.html_table import html_table, spelled_number
from tmt.run.link_files import ReadyLink, link_figures
from tmt.spec.run_columns import RUN_RESULTS
from tmt.spec.settings import columns_of

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.core.measure.transport import FlowDelivery, Records
    from tmt.run.base import Backend, CodeCounts, Outcome, Recording, RowUse, SplitCounts, WiredLosses
    from tmt.run.setup import Setup
    from tmt.spec.links import PlainLink
    from tmt.spec.settings import Value


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ExperimentResult:
    """The result of one experiment.

    Attributes
    ----------
    row
        One value for each column of `tmt.spec.run_columns.RUN_RESULTS`, in that order.
    packets : [n_packets], columns of `tmt.core.schema.PACKET_RECORDS`
    windows : [n_changes], columns of `tmt.core.schema.WINDOW_RECORDS`
    flows
        Data that reached each flow's receiver.
    end_ns
        Simulated time at which the run ended.
    notes
        Notes for the user: an assumed LLDU size, where a trace starts and how often it repeated.
    forward_trace
        The forward link's trace as the simulator mapped it; None for a plain link.
    """

    row: dict[str, Value]
    packets: Records
    windows: Records
    flows: list[FlowDelivery]
    end_ns: int
    notes: list[str]
    forward_trace: Path | None = None

    def _repr_html_(self) -> str:
        shown = [column for column in RUN_RESULTS if column.group != "provenance"]
        rows = [
            (column.name, spelled_number(self.row[column.name]), column.unit, column.meaning)
            for column in shown
            if self.row[column.name] is not None
        ]
        return html_table(f"run of {self.row['tcp']}", rows, ("", "value", "unit", "meaning"))

    def timeline(self, bins: int = 150, samples: int = 2000) -> Timeline:
        """Return the run over time: means in `bins` of equal length, windows read `samples` times."""
        own = len(self.flows)
        packets, windows = transport.of_flows(self.packets, own), transport.of_flows(self.windows, own)
        link = link_use(self.row, self.forward_trace)
        return timeline(packets, windows, self.flows, link, end_ns=self.end_ns, bins=bins, samples=samples)


def measure(setup: Setup, backend: Backend, stamp: str, outcome: Outcome) -> ExperimentResult:
    """Return the figures of merit of a run beside its settings."""
    recording, settings = outcome.recording, setup.settings
    packets = transport.of_flows(recording.packets, settings.flows)
    windows = transport.of_flows(recording.windows, settings.flows)
    flows = transport.deliveries(
        packets,
        flows=settings.flows,
        end_ns=recording.end_ns,
        header_bytes=recording.header_bytes,
        transfer_bytes=settings.transfer_bytes,
        coded=recording.code is not None,
    )
    found = (
        columns_of(settings)
        | link_columns("forward", setup.forward)
        | link_columns("return", setup.back)
        | {
            "tmt_version": __version__,
            "backend": backend.name,
            "simulator": stamp,
            "late_share": recording.late_share,
            "command": shlex.join(outcome.argv),
            "wall_time_s": outcome.wall_time_s,
            "simulated_s": ns_to_seconds(recording.end_ns),
            "timeouts": recording.timeouts,
        }
        | _row_use("forward", recording.forward)
        | _row_use("return", recording.back)
        | _wired_losses(recording.wired)
        | _split_figures(recording.split)
        | _code_overhead(recording.code)
        | transport.delivery_figures(flows, settings.transfer_bytes)
        | {"return_goodput_bps": _return_goodput_bps(setup, recording)}
        | transport.delay_figures(packets)
        | transport.recovery_figures(packets)
        | transport.window_figures(windows, flows)
        | transport.loss_figures(recording.packets)
        | dict.fromkeys(outcome.without)
    )
    row = {column.name: found.pop(column.name) for column in RUN_RESULTS}
    assert not found, f"measured, but not declared in RUN_RESULTS: {', '.join(found)}"
    trace = setup.forward.file.npy if isinstance(setup.forward, ReadyLink) else None
    return ExperimentResult(
        row, recording.packets, recording.windows, flows, recording.end_ns, setup.notes(), trace
    )


def _return_goodput_bps(setup: Setup, recording: Recording) -> float | None:
    """Return the goodput of all flows of the return direction; None without such flows."""
    settings = setup.settings
    if not settings.return_flows:
        return None
    found = transport.deliveries(
        transport.mirrored(recording.packets, settings.flows),
        flows=settings.return_flows,
        end_ns=recording.end_ns,
        header_bytes=recording.header_bytes,
    )
    return sum(flow.goodput_bps for flow in found)


def link_columns(direction: str, link: ReadyLink | PlainLink) -> dict[str, Value]:
    """Return a link as result columns, its online scheme among them."""
    scheme = link.link.scheme if isinstance(link, ReadyLink) else None
    return {**link_figures(direction, link), f"{direction}_online": None if scheme is None else scheme.label}


def _code_overhead(counts: CodeCounts | None) -> dict[str, Value]:
    if counts is None or not counts.decoded_symbols:
        return {"code_overhead": None}
    return {"code_overhead": counts.overhead_symbols / counts.decoded_symbols}


def _wired_losses(losses: WiredLosses | None) -> dict[str, Value]:
    return {
        "wired_lost": None if losses is None else losses.lost,
        "wired_dropped": None if losses is None else losses.dropped,
    }


def _split_figures(counts: SplitCounts | None) -> dict[str, Value]:
    names = ("fill_max_packets", "segments_sent", "retransmissions", "timeouts", "window_updates")
    if counts is None:
        return dict.fromkeys((*(f"proxy_{name}" for name in names), "held_s", "window_probes"))
    values = (counts.most_fill, counts.segments, counts.retransmissions, counts.timeouts, counts.updates)
    return {f"proxy_{name}": value for name, value in zip(names, values, strict=True)} | {
        "held_s": ns_to_seconds(counts.held_ns),
        "window_probes": counts.probes,
    }


def _row_use(direction: str, use: RowUse | None) -> dict[str, Value]:
    return {
        f"{direction}_utilisation": use.used / use.offered if use is not None and use.offered else None,
        f"{direction}_trace_repeats": use.repeats if use is not None else None,
    }
