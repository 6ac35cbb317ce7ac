"""Tasks of a worker in any process, on any machine: make a link trace that runs share, or execute a run.

Tasks and their results are plain data.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tmt import __version__
from tmt.campaign.columns import DONE, FAILED, KILLED, RECORDS, TIMED_OUT, blank_row
from tmt.campaign.link_traces import Convert, DamagedTraceError, make_link_trace, own_folder
from tmt.campaign.rows import new_records, waiting
from tmt.core.errors import ChangedProgramsError, OutputError, TmtError
from tmt.core.identity import PACKAGE, loaded_hash
from tmt.core.schema import FORMAT_VERSION
from tmt.io.atomic import full_cache
from tmt.run import RunError

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.columns import Row
    from tmt.campaign.runs import Run

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers of a full disk, on which every other run would fail, too."""


class FullDiskError(OutputError):
    """There is no room left for results."""


@dataclass(frozen=True, slots=True)
class Simulate:
    """Execute a run over the link traces in `cache`; its packet records wait in `scratch` for its row."""

    run: Run
    attempt: int
    cache: Path
    scratch: Path


Task = Convert | Simulate


def perform(task: Task) -> Row:
    """Execute a task; return the row of a simulation, or ``{"error": text or None}`` of a recipe.

    FullDiskError when there is no room; DamagedTraceError when a link trace of a simulation is missing or
    damaged; ChangedProgramsError when the programs differ from those of the run's key.
    """
    try:
        return {"error": make_link_trace(task)} if isinstance(task, Convert) else _simulate(task)
    except OSError as error:
        cause = error if error.errno else error.__cause__
        if isinstance(cause, OSError) and cause.errno in FULL:
            place = full_cache(cause) or task.scratch
            raise FullDiskError(f"{place}: {os.strerror(cause.errno or 0)}") from error
        raise
    except TmtError:
        raise
    except Exception:
        loaded_hash(PACKAGE)  # a source that is being changed is the likely cause
        raise


def failed_row(
    task: Simulate, status: str, message: str, command: str | None = None, exit_status: int | None = None
) -> Row:
    """Return the row of a run without a result."""
    return _frame(task) | {
        "status": status,
        "message": message,
        "command": command,
        "exit_status": exit_status,
    }


def _simulate(task: Simulate) -> Row:
    _check_programs(task.run)
    folder = own_folder(task.scratch, task.run.key)
    try:
        row = _row_of(task, folder)
        _check_programs(task.run)  # they may have been replaced since the start
        kept = folder / "kept"
        if kept.exists():
            row[RECORDS] = new_records(task.run.key)
            kept.rename(waiting(task.scratch, row[RECORDS]))
        return row
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _row_of(task: Simulate, folder: Path) -> Row:
    try:
        return _frame(task) | task.run.carry_out(folder, task.cache) | {"status": DONE}
    except RunError as error:
        killed = error.status is not None and error.status < 0
        how = TIMED_OUT if error.timed_out else KILLED if killed else FAILED
        said = f"{error.outcome}\n{error.last_words}".strip()
        return failed_row(task, how, said, shlex.join(error.argv), None if killed else error.status)
    except TmtError as error:
        if isinstance(error, (OSError, DamagedTraceError, ChangedProgramsError)):
            raise
        return failed_row(task, FAILED, str(error))


def _check_programs(run: Run) -> None:
    """Refuse to run with programs other than those of the run's key (ChangedProgramsError)."""
    if run.installed_programs() != run.programs:
        raise ChangedProgramsError(
            "the simulator, its scripts or the sources of tmt were changed while the campaign ran; finished "
            "runs are kept; call again"
        )


def _frame(task: Simulate) -> Row:
    """Return the columns of a run that do not depend on its outcome."""
    run = task.run
    simulator, sources = run.programs
    own: Row = {
        "key": run.key,
        "experiment": run.experiment,
        "seed": run.seed,
        "attempt": task.attempt,
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "schema_version": FORMAT_VERSION,
        "tmt_version": __version__,
        "sources": sources,
        "simulator": simulator,
    }
    return blank_row() | run.columns() | own
