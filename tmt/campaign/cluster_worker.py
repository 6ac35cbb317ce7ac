"""What a worker of a dask.distributed cluster does: show its programs, and do runs.

A worker without the campaign's folder keeps link traces in a folder that only its user can read, and checks
their hashes at each use.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.campaign.columns import RECORDS
from tmt.campaign.link_traces import facts_file, link_file
from tmt.campaign.pool import WrongWorkerError, installed_programs
from tmt.campaign.rows import waiting
from tmt.campaign.tasks import perform
from tmt.core.errors import ChangedProgramsError
from tmt.core.provenance import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import distributed

    from tmt.campaign.columns import Row
    from tmt.campaign.pool import InstalledPrograms, ProgramsByName
    from tmt.campaign.recipe import Recipe
    from tmt.campaign.runs import Run
    from tmt.campaign.tasks import Simulate

Content = tuple[bytes, bytes]
"""A link trace and its facts, as their files hold them."""

Files = dict[str, bytes]
"""Packet records of a run by the names of their files."""


def examine(
    samples: Sequence[Run], token_file: Path, token: str, dask_worker: distributed.Worker
) -> tuple[ProgramsByName, bool]:
    """Return a worker's programs for runs, and whether the worker can read and write the campaign's folder.

    The proof is a token that is read there and written into a file beside it, which the engine reads.
    """
    found = installed_programs(samples)
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
) -> tuple[Row, Files]:
    """Do a run if this worker's programs equal the engine's (WrongWorkerError, before or after the run).

    A worker without the campaign's folder gets link traces as `contents`, and returns records as files.
    """
    try:
        if list(installed_programs([task.run]).values()) != [expected]:
            raise WrongWorkerError
        return (perform(task), {}) if contents is None else perform_away(task, contents)
    except ChangedProgramsError as error:
        raise WrongWorkerError from error


def perform_away(task: Simulate, contents: Iterable[Content]) -> tuple[Row, Files]:
    """Do a run without the campaign's folder; see `perform_checked`."""
    place = private_folder()
    for recipe, content in zip(task.run.recipes, contents, strict=True):
        _put(place, recipe, content)
    with tempfile.TemporaryDirectory(dir=place, prefix="run-") as folder:
        row = perform(replace(task, cache=place, scratch=Path(folder)))
        if row[RECORDS] is None:
            return row, {}
        kept = waiting(Path(folder), row[RECORDS])
        return row, {file.name: file.read_bytes() for file in kept.iterdir()}


@cache
def private_folder() -> Path:
    """Return this process's folder of link traces, which nobody else can enter or predict."""
    folder = tempfile.mkdtemp(prefix="tmt-worker-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _put(folder: Path, recipe: Recipe, content: Content) -> None:
    """Write a link trace and its facts into a folder, unless they are there with the same content."""
    for path, part in zip((link_file(folder, recipe), facts_file(folder, recipe)), content, strict=True):
        if not path.exists() or file_sha256(path) != hashlib.sha256(part).hexdigest():
            descriptor, staged = tempfile.mkstemp(dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(part)
            Path(staged).rename(path)
