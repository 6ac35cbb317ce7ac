"""Tasks of a worker in any process, on any machine: make a link trace that runs share, or do a run.

Tasks and their results are plain data.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tmt import __version__
from tmt.campaign.columns import DONE, FAILED, KILLED, TIMED_OUT, blank_row
from tmt.campaign.link_traces import Convert, DamagedTraceError, make_link_trace
from tmt.core.errors import ChangedProgramsError, OutputError, TmtError
from tmt.core.identity import PACKAGE, loaded_hash
from tmt.core.schema import FORMAT_VERSION
from tmt.run import RunError

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.campaign.runs import Run

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers of a full disk: every other run would fail alike."""


class FullDiskError(OutputError):
    """There is no room left for results."""


@dataclass(frozen=True, slots=True)
class Simulate:
    """Do a run over the link traces in `cache`; packet records go to `records`."""

    run: Run
    attempt: int
    cache: Path
    scratch: Path
    records: Path


Task = Convert | Simulate


def perform(task: Task) -> dict[str, Any]:
    """Do a task; return the row of a simulation, or ``{"error": text or None}`` of a recipe.

    Raises
    ------
    FullDiskError
        When there is no room to do it.
    DamagedTraceError
        When a link trace of a simulation is missing or damaged.
    ChangedProgramsError
        When the programs are not, or no longer, those that the run's key names.
    """
    try:
        return make_link_trace(task) if isinstance(task, Convert) else _simulate(task)
    except OSError as error:
        cause = error if error.errno else error.__cause__
        if isinstance(cause, OSError) and cause.errno in FULL:
            raise FullDiskError(f"{task.scratch}: {os.strerror(cause.errno or 0)}") from error
        raise
    except TmtError:
        raise
    except Exception:
        loaded_hash(PACKAGE)  # a source that is changed just now is the likely cause
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
    _check_programs(task.run)
    folder = task.scratch / f"{task.run.key}-{os.getpid()}"
    try:
        row = _row_of(task, folder)
        _check_programs(task.run)  # they may have been replaced since the start
        kept = folder / "kept"
        if kept.exists():
            keep_records(kept, task)
            row["records"] = f"{task.records.name}/{task.run.key}"
        return row
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _row_of(task: Simulate, folder: Path) -> dict[str, Any]:
    """Do a run in a folder, and return its row, whether it ends well or not."""
    try:
        return _frame(task) | task.run.carry_out(folder, task.cache) | {"status": DONE}
    except RunError as error:
        killed = error.status is not None and error.status < 0
        how = TIMED_OUT if error.timed_out else KILLED if killed else FAILED
        said = f"{error.outcome}\n{error.last_words}".strip()
        exit_status = None if killed else error.status
        return failed_row(task, how, said, shlex.join(error.argv), exit_status)
    except TmtError as error:
        if isinstance(error, (OSError, DamagedTraceError, ChangedProgramsError)):
            raise
        return failed_row(task, FAILED, str(error))


def _check_programs(run: Run) -> None:
    """Refuse to run with other programs than those of the run's key (ChangedProgramsError)."""
    if run.installed_programs() != run.programs:
        raise ChangedProgramsError(
            "the simulator, its scripts or the sources of tmt were changed while the campaign ran; finished "
            "runs are kept; call again"
        )


def keep_records(kept: Path, task: Simulate) -> None:
    """Move a run's packet records to their place, unless an earlier attempt's are there.

    A folder cannot be moved over another one that holds files. So the first of two workers that do the same
    run, because the engine has given one of them up, keeps its records. Both have made the same.
    """
    final = task.records / task.run.key
    try:
        kept.rename(final)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise


def _frame(task: Simulate) -> dict[str, Any]:
    """Return the columns of a run that do not depend on its outcome."""
    run = task.run
    simulator, sources = run.programs
    return (
        blank_row()
        | run.columns()
        | {
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
    )
