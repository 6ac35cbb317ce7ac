"""The part of a campaign that runs in a cluster's workers: runs, and proofs of a worker's programs.

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
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.campaign.link_traces import facts_file, link_file
from tmt.campaign.pool import WrongWorkerError
from tmt.campaign.programs import installed_programs
from tmt.campaign.tasks import Simulate, perform
from tmt.core.errors import ChangedProgramsError
from tmt.core.provenance import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tmt.campaign.programs import InstalledPrograms, ProgramsByName
    from tmt.campaign.recipe import Recipe
    from tmt.campaign.run import Run

Content = tuple[bytes, bytes]
"""A link trace and its facts, as their files hold them."""


def examine(
    samples: Sequence[Run], token_file: Path, token: str, dask_worker: Any
) -> tuple[ProgramsByName, bool]:
    """Return a worker's programs for runs, and whether the worker can read and write the campaign's folder.

    The proof is a token that is read there and written into a file beside it, which the engine reads. Dask
    gives the worker as `dask_worker`.
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
        When the programs differ, before the run or after it.
    """
    try:
        if list(installed_programs([task.run]).values()) != [expected]:
            raise WrongWorkerError
        return perform(task) if contents is None else perform_away(task, contents)
    except ChangedProgramsError as error:
        raise WrongWorkerError from error


def perform_away(task: Simulate, contents: Iterable[Content]) -> dict[str, Any]:
    """Do a run without the campaign's folder; see `perform_checked`."""
    place = private_folder()
    for recipe, content in zip(task.run.recipes, contents, strict=True):
        _put(place, recipe, content)
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


def _put(folder: Path, recipe: Recipe, content: Content) -> None:
    """Write a link trace and its facts into a folder, unless they are there with the same content."""
    for path, part in zip((link_file(folder, recipe), facts_file(folder, recipe)), content, strict=True):
        if not path.exists() or file_sha256(path) != hashlib.sha256(part).hexdigest():
            descriptor, staged = tempfile.mkstemp(dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(part)
            Path(staged).rename(path)
