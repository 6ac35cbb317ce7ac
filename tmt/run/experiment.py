"""Carry out an experiment with its backend and measure it: a row, the records, and both as files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt import __version__
from tmt.core import provenance
from tmt.core.identity import core_places, loaded_hash, model_places
from tmt.core.measure import transport
from tmt.core.measure.link_use import link_use
from tmt.core.measure.timeline import Timeline, timeline
from tmt.core.provenance import digest
from tmt.core.schema import PACKET_RECORDS, WINDOW_RECORDS
from tmt.core.units import ns_to_seconds
from tmt.core.words.html_table import Charted, html_table, spelled_number
from tmt.core.words.values import ack_notes
from tmt.io.atomic import own_folder, write_text
from tmt.io.parquet import write_records
from tmt.run import load_backend
from tmt.run.groups import competition_columns, delivery_of, measured_groups
from tmt.run.link_files import ReadyLink, link_figures, ready_link
from tmt.run.motion import told
from tmt.run.records import PACKETS, WINDOWS
from tmt.run.setup import set_up
from tmt.spec.columns import RUN_RESULTS
from tmt.spec.experiment import PlainLink, TraceLink
from tmt.spec.path import MIN_BUFFER_PACKETS
from tmt.spec.points import plain
from tmt.spec.settings import columns_of
from tmt.spec.stacks import HEADER_BYTES, HOST_STACKS, RECEIVE_BUFFER_BYTES, VARIANTS, WINDOWS_PER_PATH
from tmt.spec.traffic import DEFAULT_CODE, ENDLESS_BLOCK_SEGMENTS, MAX_BLOCK_SEGMENTS, RATELESS_CODES

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

    from tmt.core.measure.transport import FlowDelivery, Records
    from tmt.run import Backend, Recording
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment, Link
    from tmt.spec.settings import Value


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ExperimentResult(Charted):
    """The result of one experiment.

    Attributes
    ----------
    row : one value for each column of `tmt.spec.columns.RUN_RESULTS`, in that order
    packets : [n_packets], columns of `tmt.core.schema.PACKET_RECORDS`
    windows : [n_changes], columns of `tmt.core.schema.WINDOW_RECORDS`
    flows : data that reached each flow's receiver
    end_ns : simulated time at which the run ended
    notes : notes for the user: an assumed LLDU size, where a trace starts and how often it repeated
    forward_trace : the forward link's trace as the simulator mapped it; None for a plain link
    """

    row: dict[str, Value]
    packets: Records
    windows: Records
    flows: list[FlowDelivery]
    end_ns: int
    notes: list[str]
    forward_trace: Path | None = None

    def _repr_html_(self) -> str:
        shown = [c for c in RUN_RESULTS if c.group != "provenance" and c.name != "groups"]
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

        In the run's own directory they replace the simulator's files of the same records. OutputError when a
        file cannot be written.
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
    """Return the figures of merit of a run with its settings."""
    flows = setup.flows[0]
    packets = transport.of_flows(recording.packets, flows)
    windows = transport.of_flows(recording.windows, flows)
    groups = measured_groups(setup, recording)
    forward = [one for one in groups if one.group.direction == "forward"]
    own = [flow for one in forward for flow in one.flows]
    back = [flow for one in groups[len(forward) :] for flow in one.flows]
    found = (
        columns_of(setup.experiment)
        | link_columns("forward", setup.forward)
        | link_columns("return", setup.back)
        | {
            "tmt_version": __version__,
            "backend": backend.name,
            "simulator": stamp,
            "simulated_s": ns_to_seconds(recording.end_ns),
            "return_goodput_bps": sum(flow.goodput_bps for flow in back) if back else None,
            "return_ack_load": _ack_load(setup, recording, packets, has_return_flows=bool(back)),
        }
        | delivery_of(forward)
        | transport.delay_figures(packets)
        | transport.recovery_figures(packets)
        | transport.window_figures(windows, own)
        | transport.loss_figures(recording.packets)
        | recording.columns
    )
    if setup.has_groups:
        found |= competition_columns(setup, groups)
    # A backend omits the columns of features that a run did not have.
    absent: dict[str, Value] = {column.name: None for column in RUN_RESULTS if column.null}
    found = absent | found
    row = {column.name: found[column.name] for column in RUN_RESULTS}
    assert found.keys() == row.keys(), "measured, but not declared in RUN_RESULTS"
    trace = setup.forward.file.npy if isinstance(setup.forward, ReadyLink) else None
    packets, windows = recording.packets, recording.windows
    dropped = 0 if back else row["return_queue_dropped"]
    notes = setup.notes() + ack_notes("the return link", row["return_ack_load"], dropped)  # type: ignore[arg-type]
    return ExperimentResult(row, packets, windows, own, recording.end_ns, notes, trace)


def _ack_load(
    setup: Setup, recording: Recording, packets: Records, *, has_return_flows: bool
) -> float | None:
    """Return the share of the return link that acknowledgements of `packets` took, for its column."""
    if isinstance(setup.back, PlainLink):
        links = max(setup.experiment.users, 1)
        return transport.ack_load(packets, setup.back.rate_bps * links)
    return None if has_return_flows else recording.columns["return_utilisation"]  # type: ignore[return-value]


def link_columns(direction: str, link: ReadyLink | PlainLink) -> dict[str, Value]:
    """Return a link as result columns, including its online scheme."""
    scheme = link.link.scheme if isinstance(link, ReadyLink) else None
    return {**link_figures(direction, link), f"{direction}_online": None if scheme is None else scheme.label}


FACTS = (
    {name: variant.controls for name, variant in VARIANTS.items()},
    *(WINDOWS_PER_PATH, HEADER_BYTES, MIN_BUFFER_PACKETS, HOST_STACKS, RECEIVE_BUFFER_BYTES),
    *(DEFAULT_CODE, RATELESS_CODES, ENDLESS_BLOCK_SEGMENTS, MAX_BLOCK_SEGMENTS),
)
"""Values of `tmt.spec` that decide a run without being settings: the meanings of names and of None."""


def run(
    experiment: Experiment, directory: str | PathLike[str] | None = None, timeout_s: float | None = None
) -> ExperimentResult:
    """Carry an experiment out and measure it.

    `directory`, new or empty, gets the backend's records and printed lines; None: a temporary one. After
    `timeout_s` of wall time the run is killed; None waits for ever.

    RunError, with the command line and last words, when the run fails, hangs or leaves damaged records.
    SimulatorError when the simulator is not built. InputError and UsageError when a link trace cannot be
    used, or `directory` is not empty; OutputError when it cannot be made.
    """
    backend = load_backend(experiment.backend)
    stamp = backend.stamp()
    backend.check(experiment)
    setup = set_up(experiment)
    if directory is None:
        with TemporaryDirectory(prefix="tmt-run-") as temporary:
            return measure(setup, backend, stamp, backend.run(setup, Path(temporary), timeout_s))
    folder = own_folder(directory, "a run")
    return measure(setup, backend, stamp, backend.run(setup, folder, timeout_s))


def fingerprint(experiment: Experiment) -> str:
    """Return a hash of everything that decides the result: settings, content of the links, programs.

    Errors are those of `programs_of`, and InputError and UsageError when a link trace cannot be used.
    """
    packet_bytes = experiment.traffic.packet_bytes
    links = [_content(link, packet_bytes) for link in (experiment.forward, experiment.back)]
    settings = [told(experiment.path), plain(experiment.traffic), experiment.seed]
    return digest(settings, links, programs_of(experiment.backend))


def _content(link: Link | None, packet_bytes: int) -> object:
    """Return a link's properties, without the name of its file."""
    if not isinstance(link, TraceLink):
        return None if link is None else plain(link)
    ready = ready_link(link, packet_bytes)
    settings = {key: value for key, value in plain(link).items() if key not in ("path", "others")}
    others = [one.sha256 for one in ready.others]
    extent = [ready.file.begin_ns, ready.file.length_ns] if ready.file.has_extent else []
    return [ready.file.sha256, ready.lldu_bytes, ready.packing, settings, *extent, *others]


def programs_of(backend: str, *models: object) -> tuple[str, str]:
    """Return the stamp of a backend's program, and the hash of the sources that decide a run.

    The sources are those of core, of the channels and schemes that take part (`models`), of all backends
    together, and of the backend. SimulatorError when the program is not built, ChangedProgramsError when a
    source was changed after the start of this process.
    """
    return load_backend(backend).stamp(), run_sources(backend, *models)


def run_sources(backend: str, *models: object) -> str:
    """Return the hash of core, models, files of all backends, and the backend (ChangedProgramsError)."""
    here = Path(__file__).parent
    shared = [path for path in sorted(here.iterdir()) if path.is_file()]
    return digest(loaded_hash(*core_places(), *model_places(*models), *shared, here / backend), FACTS)
