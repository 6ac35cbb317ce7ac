"""The part of a campaign that runs in the workers of a cluster: runs, and proofs that a worker fits.

A worker without the campaign's folder keeps link traces in a folder of its own, which only its user can read.
Their content is checked by hash at each use.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import distributed

from tmt.backend.ns2.simulator import Simulator
from tmt.campaign.link_traces import facts_file, link_file
from tmt.campaign.replay_run import programs_of
from tmt.campaign.tasks import ChangedProgramsError, Simulate, perform
from tmt.errors import TmtError
from tmt.provenance import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.campaign.planned_conversions import PlannedConversion

Content = tuple[bytes, bytes]
"""A link trace and its facts, as their files hold them."""


class InstalledPrograms(NamedTuple):
    """Hashes of the programs that decide a run, here or at a worker."""

    sources: str
    simulator_and_scripts: str
    simulator_file: str

    def difference(self, other: InstalledPrograms) -> str:
        """Say in which part two sets of programs differ."""
        parts = [name for name in self._fields if getattr(self, name) != getattr(other, name)]
        return ", ".join(name.replace("_", " ") for name in parts)


class WrongWorkerError(TmtError):
    """A worker has other programs than the engine; the argument is the worker's address."""


def installed_programs() -> InstalledPrograms:
    """Return the hashes of the programs on this machine."""
    simulator = Simulator.find()
    status = simulator.program.stat()
    version = status.st_ino, status.st_size, status.st_mtime_ns
    stamp, sources = programs_of("ns2")
    return InstalledPrograms(sources, stamp, _hash(simulator.program, version))


@lru_cache
def _hash(path: Path, _version: tuple[int, ...]) -> str:
    return file_sha256(path)


def examine(token_file: Path, token: str, dask_worker: Any) -> tuple[InstalledPrograms, bool]:
    """Return a worker's programs, and whether the worker can read and write the campaign's folder.

    The proof is a token that is read there and written into a file beside it, which the engine reads. Dask
    gives the worker as `dask_worker`.
    """
    found = installed_programs()
    try:
        if token_file.read_text() != token:
            return found, False
        answer_file(token_file, dask_worker.address).write_text(token)
    except OSError:
        return found, False
    return found, True


def answer_file(token_file: Path, worker: str) -> Path:
    """Return the file in which a worker writes the token."""
    return token_file.with_name(f"{token_file.name}-{hashlib.sha256(worker.encode()).hexdigest()[:16]}")


def perform_checked(
    task: Simulate, expected: InstalledPrograms, contents: list[Content] | None
) -> dict[str, Any]:
    """Do a run, if this worker's programs are the engine's.

    Parameters
    ----------
    contents
        Link traces of the run for a worker without the campaign's folder, or None. The records that such a
        run asks for come back under ``files``.

    Raises
    ------
    WrongWorkerError
        When the programs differ.
    """
    address = distributed.get_worker().address
    if installed_programs() != expected:
        raise WrongWorkerError(address)
    try:
        return perform(task) if contents is None else perform_away(task, contents)
    except ChangedProgramsError as error:
        raise WrongWorkerError(address) from error


def perform_away(task: Simulate, contents: Iterable[Content]) -> dict[str, Any]:
    """Do a run without the campaign's folder; see `perform_checked`."""
    place = private_folder()
    for conversion, content in zip(task.run.conversions, contents, strict=True):
        _put(place, conversion, content)
    with tempfile.TemporaryDirectory(dir=place, prefix="run-") as folder:
        records = Path(folder) / "records"
        records.mkdir()
        row = perform(replace(task, cache=place, scratch=Path(folder), records=records))
        kept = records / task.run.key
        files = {file.name: file.read_bytes() for file in kept.iterdir()} if kept.exists() else {}
        return row | {"files": files}


@cache
def private_folder() -> Path:
    """Return this process's folder of link traces, which nobody else can enter or foresee."""
    folder = tempfile.mkdtemp(prefix="tmt-worker-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _put(folder: Path, conversion: PlannedConversion, content: Content) -> None:
    """Write a link trace and its facts into a folder, unless they are there with the same content."""
    for path, part in zip(
        (link_file(folder, conversion), facts_file(folder, conversion)), content, strict=True
    ):
        if not path.exists() or file_sha256(path) != hashlib.sha256(part).hexdigest():
            descriptor, staged = tempfile.mkstemp(dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(part)
            Path(staged).rename(path)
