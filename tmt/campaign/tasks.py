"""Tasks of a worker in any process, on any machine: make a link trace that runs share, or run an experiment.

Tasks and their results are plain data.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tmt import __version__
from tmt.backend import BACKENDS, load_backend
from tmt.backend.base import RunError
from tmt.campaign.columns import DONE, FAILED, KILLED, TIMED_OUT, blank_row
from tmt.campaign.link_traces import Convert, link_file, make_link_trace, read_facts
from tmt.errors import OutputError, SimulatorError, TmtError
from tmt.experiment.experiment import Experiment
from tmt.experiment.record_files import save
from tmt.identity import source_hash
from tmt.metrics.capacity import arrive, packets_in_rows
from tmt.schema import FORMAT_VERSION
from tmt.settings.links import TraceLink
from tmt.settings.tcp import HEADER_BYTES
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.conversions import Conversion
    from tmt.campaign.grid import Run
    from tmt.schema import Packing

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers of a full disk: every other run would fail alike."""


class FullDiskError(OutputError):
    """There is no room left for results."""


class ChangedProgramsError(SimulatorError):
    """The programs are no longer those that the run's key names."""


@dataclass(frozen=True, slots=True)
class Simulate:
    """Run one experiment over the link traces in `cache`; packet records go to `records`."""

    run: Run
    attempt: int
    cache: Path
    scratch: Path
    records: Path


Task = Convert | Simulate


Programs = tuple[str, str]
"""Stamp of a backend's program, and hash of the sources that decide its runs."""


@lru_cache
def run_sources(backend: str = "ns2") -> str:
    """Return the hash of the sources that decide the row of a run, but for the backend's program."""
    return source_hash(__name__, Experiment.__module__, BACKENDS[backend])


def programs_of(backend: str) -> Programs:
    """Return the stamp of a backend's program, and the hash of the sources that decide its runs."""
    return load_backend(backend).stamp(), run_sources(backend)


def perform(task: Task) -> dict[str, Any]:
    """Do a task; return the row of a simulation, or ``{"error": text or None}`` of a conversion.

    Raises
    ------
    FullDiskError
        When there is no room to do it.
    """
    try:
        return make_link_trace(task) if isinstance(task, Convert) else _simulate(task)
    except OSError as error:
        cause = error if error.errno else error.__cause__
        if isinstance(cause, OSError) and cause.errno in FULL:
            raise FullDiskError(f"{task.scratch}: {os.strerror(cause.errno or 0)}") from error
        raise


def failed_row(
    task: Simulate, status: str, message: str, command: str | None = None, exit_status: int | None = None
) -> dict[str, Any]:
    """Return the row of a run that gave no result."""
    return _frame(task) | {
        "status": status,
        "message": message,
        "command": command,
        "exit_status": exit_status,
    }


def _simulate(task: Simulate) -> dict[str, Any]:
    if programs_of(str(task.run.coordinates["backend"])) != task.run.programs:
        raise ChangedProgramsError(
            "the simulator, its scripts or the sources of tmt were changed while the campaign ran; finished "
            "runs are kept, call again"
        )
    folder = task.scratch / f"{task.run.key}-{os.getpid()}"
    try:
        result = _experiment(task).run(folder, timeout_s=task.run.timeout_s)
        row = _frame(task) | result.row | _as_listed(task.run) | {"status": DONE}
        if task.run.online is None:
            link = link_file(task.cache, task.run.conversion)
            row["capacity_bps"] = _capacity_bps(link, task.run.template)
            row["lldu_loss_ratio"] = _loss_ratio(read_facts(task.cache, task.run.conversion))
        if task.run.keep_records:
            kept = folder / "kept"
            kept.mkdir()
            save(result, kept)
            final = task.records / task.run.key
            if not final.exists():
                kept.rename(final)
            row["records"] = f"{task.records.name}/{task.run.key}"
        return row
    except RunError as error:
        killed = error.status is not None and error.status < 0
        how = TIMED_OUT if error.timed_out else KILLED if killed else FAILED
        said = f"{error.outcome}\n{error.last_words}".strip()
        exit_status = None if killed else error.status
        return failed_row(task, how, said, shlex.join(error.argv), exit_status)
    except TmtError as error:
        if isinstance(error, OSError):
            raise
        return failed_row(task, FAILED, str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _experiment(task: Simulate) -> Experiment:
    """Return the experiment of a run of the grid, over the link traces of the cache."""
    run = task.run
    forward, back = run.template.forward_link, run.template.return_link
    assert isinstance(forward, TraceLink)
    if run.return_conversion is not None:
        online = run.online if run.return_conversion.scheme is None else None
        empty = TraceLink("", forward.lldu_bytes, scheme=online, packing=forward.packing)
        back = _placed(task, empty, run.return_conversion, run.return_start)
    forward = _placed(task, forward, run.conversion, run.start)
    return replace(run.template, seed=run.seed, forward_link=forward, return_link=back)


def _placed(task: Simulate, link: TraceLink, conversion: Conversion, start: float) -> TraceLink:
    """Return the link over a link trace of the cache, from where the run starts in it."""
    facts = read_facts(task.cache, conversion)
    offset_ns = int(start * facts["span_ns"]) if isinstance(start, float) else start
    return replace(link, path=link_file(task.cache, conversion), offset_ns=offset_ns)


def _as_listed(run: Run) -> dict[str, Any]:
    """Return the code that the traffic lists: where it varies, TCP's runs stand beside FECTCP's."""
    given = {name: run.coordinates[name] for name in ("code", "block_segments")}
    return {name: value for name, value in given.items() if value is not None}


def _frame(task: Simulate) -> dict[str, Any]:
    """Return the columns of a run that do not depend on its outcome."""
    run, scheme = task.run, task.run.link_scheme
    parameters = asdict(scheme)
    if run.online is not None:
        parameters["online"] = True
    return (
        blank_row()
        | run.coordinates
        | {
            "key": run.key,
            "experiment": run.experiment,
            "seed": run.seed,
            "trace": run.trace,
            "trace_parameters": json.dumps(run.conversion.trace_parameters),
            "scheme": run.scheme,
            "scheme_name": scheme.name,
            "scheme_parameters": json.dumps(parameters),
            "attempt": task.attempt,
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "schema_version": FORMAT_VERSION,
            "tmt_version": __version__,
            "sources": run.programs[1],
            "simulator": run.programs[0],
        }
    )


@lru_cache
def _packets_per_s(link: Path, packet_bytes: int, lldu_bytes: int | None, packing: Packing) -> float:
    """Return how many packets, sent back to back, arrive in a second of a link trace."""
    trace = np.load(link, mmap_mode="r", allow_pickle=False)
    packets = packets_in_rows(trace, packet_bytes, lldu_bytes or 0, packing)
    if not len(packets.first):
        return 0.0
    span_ns = int(trace["tx_time_ns"][packets.last[-1]]) - int(trace["tx_time_ns"][0])
    return float(np.count_nonzero(arrive(packets, trace["delivered"]))) * NS_PER_S / span_ns


def _capacity_bps(link: Path, experiment: Experiment) -> float:
    """Return what full packets would carry."""
    link_trace = experiment.forward_link
    assert isinstance(link_trace, TraceLink)
    rows = (link_trace.lldu_bytes, link_trace.packing or "padded")
    packets_per_s = _packets_per_s(link, experiment.packet_bytes, *rows)
    return float(8 * (experiment.packet_bytes - HEADER_BYTES) * packets_per_s)


def _loss_ratio(facts: dict[str, Any]) -> float:
    """Return the share of a link trace's LLDUs that its scheme gave up."""
    return float(facts["lost"] / facts["data_rows"])
