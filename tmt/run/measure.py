"""The result of an experiment: its row, the records that its figures come from, and both as files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmt import __version__
from tmt.core import provenance
from tmt.core.measure import transport
from tmt.core.measure.link_use import link_use
from tmt.core.measure.timeline import Timeline, timeline
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.core.units import ns_to_seconds
from tmt.core.words.html_table import Charted, html_table, spelled_number
from tmt.io.atomic import write_text
from tmt.io.parquet import write_records
from tmt.run.link_files import ReadyLink, link_figures
from tmt.run.records import PACKETS, WINDOWS
from tmt.spec.columns import RUN_RESULTS, columns_of

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from tmt.core.measure.transport import FlowDelivery, Records
    from tmt.run import Backend, Recording
    from tmt.run.setup import Setup
    from tmt.spec.columns import Value
    from tmt.spec.experiment import PlainLink


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ExperimentResult(Charted):
    """The result of one experiment.

    Attributes
    ----------
    row
        One value for each column of `tmt.spec.columns.RUN_RESULTS`, in that order.
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

    def to_frame(self) -> pd.DataFrame:
        """Return the row as a data frame."""
        import pandas as pd  # noqa: PLC0415  (slow to import, and commands need no frame)

        return pd.DataFrame([self.row])

    def timeline(self, bins: int = 150, samples: int = 2000) -> Timeline:
        """Return the run over time: means in `bins` of equal length, windows read `samples` times."""
        own = len(self.flows)
        packets, windows = transport.of_flows(self.packets, own), transport.of_flows(self.windows, own)
        link = link_use(self.row, self.forward_trace)
        return timeline(packets, windows, self.flows, link, end_ns=self.end_ns, bins=bins, samples=samples)

    def save(self, directory: str | PathLike[str]) -> None:
        """Write `packets.parquet`, `windows.parquet` and `result.json` into `directory`, which exists.

        Where that is the run's own directory they replace the simulator's files of the same records.

        Raises
        ------
        OutputError
            When a file cannot be written.
        """
        folder = Path(directory)
        run = {column.name: self.row[column.name] for column in RUN_RESULTS if column.group != "cost"}
        for name, records, table in (
            ("packets", self.packets, PACKET_RECORDS),
            ("windows", self.windows, WINDOW_RECORDS),
        ):
            about = provenance.record(table.kind, run=run)
            write_records(folder / f"{name}.parquet", table, records, about)
        write_text(folder / "result.json", json.dumps(self.row, indent=2) + "\n")
        for name in (PACKETS, WINDOWS):
            (folder / name).unlink(missing_ok=True)


def measure(setup: Setup, backend: Backend, stamp: str, recording: Recording) -> ExperimentResult:
    """Return the figures of merit of a run beside its settings."""
    traffic = setup.traffic
    packets = transport.of_flows(recording.packets, traffic.flows)
    windows = transport.of_flows(recording.windows, traffic.flows)
    flows = transport.deliveries(
        packets,
        flows=traffic.flows,
        end_ns=recording.end_ns,
        header_bytes=recording.header_bytes,
        transfer_bytes=traffic.transfer_bytes,
        coded=traffic.code is not None,
    )
    found = (
        columns_of(setup.experiment)
        | link_columns("forward", setup.forward)
        | link_columns("return", setup.back)
        | {
            "tmt_version": __version__,
            "backend": backend.name,
            "simulator": stamp,
            "simulated_s": ns_to_seconds(recording.end_ns),
            "return_goodput_bps": _return_goodput_bps(setup, recording),
        }
        | transport.delivery_figures(flows, traffic.transfer_bytes)
        | transport.delay_figures(packets)
        | transport.recovery_figures(packets)
        | transport.window_figures(windows, flows)
        | transport.loss_figures(recording.packets)
        | recording.columns
    )
    # A backend leaves out the columns of what a run did not have.
    absent: dict[str, Value] = {column.name: None for column in RUN_RESULTS if column.null}
    found = absent | found
    row = {column.name: found[column.name] for column in RUN_RESULTS}
    assert found.keys() == row.keys(), "measured, but not declared in RUN_RESULTS"
    trace = setup.forward.file.npy if isinstance(setup.forward, ReadyLink) else None
    return ExperimentResult(
        row, recording.packets, recording.windows, flows, recording.end_ns, setup.notes(), trace
    )


def _return_goodput_bps(setup: Setup, recording: Recording) -> float | None:
    """Return the goodput of all flows of the return direction; None without such flows."""
    traffic = setup.traffic
    if not traffic.return_flows:
        return None
    found = transport.deliveries(
        transport.mirrored(recording.packets, traffic.flows),
        flows=traffic.return_flows,
        end_ns=recording.end_ns,
        header_bytes=recording.header_bytes,
    )
    return sum(flow.goodput_bps for flow in found)


def link_columns(direction: str, link: ReadyLink | PlainLink) -> dict[str, Value]:
    """Return a link as result columns, its online scheme among them."""
    scheme = link.link.scheme if isinstance(link, ReadyLink) else None
    return {**link_figures(direction, link), f"{direction}_online": None if scheme is None else scheme.label}
