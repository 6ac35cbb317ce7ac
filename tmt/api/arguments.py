"""Arguments of the public functions: names of files, and names that stand for objects."""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tmt.campaign.local_workers import default_jobs
from tmt.core.declaration import Count, Problem, Refused, Spec, taken
from tmt.core.errors import UsageError
from tmt.spec import toml
from tmt.spec.points import one_of
from tmt.spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SpecT = TypeVar("SpecT", bound=Spec)


def path_of(what: str, given: object) -> Path:
    """Return the path that an argument gives (UsageError when it is no text and no path)."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{what} is of type {type(given).__name__}; the name of a file or a path is needed")
    return Path(given)


def processes_of(jobs: int | None) -> int:
    """Return the number of simulations at a time: by default one for each processor (Refused)."""
    return default_jobs() if jobs is None else int(taken("jobs", Count, jobs))


def chosen(
    key: str, kinds: Mapping[str, type[SpecT]], given: object, parameters: Mapping[str, Any] | None = None
) -> SpecT:
    """Return an object that is given as such, or by its class's name (Refused); messages name `key`."""
    for kind in kinds.values():
        if isinstance(given, kind):
            return given
    if not isinstance(given, str):
        raise Refused([Problem((key,), given, "type", f"an object, or a name: {', '.join(kinds)}")])
    if given not in kinds:
        raise Refused([Problem((key,), given, "choice", tuple(kinds))])
    return one_of(kinds[given], {"name": given, **(parameters or {})})


def scenario_of(given: Scenario | str | os.PathLike[str]) -> tuple[Scenario | toml.Document, Path]:
    """Return a scenario, or what its file describes; and that file, or a name made of the title.

    Raises
    ------
    InputError, UsageError
        When it is no scenario.
    """
    if isinstance(given, Scenario):
        return given, Path(re.sub(r"[^\w-]+", "-", given.title).strip("-") or "scenario")
    path = path_of("scenario", given)
    asked = toml.read(path)
    for note in asked.notes:
        warnings.warn(note, DeprecationWarning, stacklevel=3)
    return asked, path


@contextmanager
def named(key: str) -> Iterator[None]:
    """Name the argument in refusals of an object that is made of it."""
    try:
        yield
    except Refused as refused:
        raise Refused(one.within(key) for one in refused.problems) from None
