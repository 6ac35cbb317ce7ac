"""The programs that decide runs, as hashes: ours, or those of a worker on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tmt.core.identity import PACKAGE, loaded_hash
from tmt.run.program import program_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.campaign.run import Run


class InstalledPrograms(NamedTuple):
    """Hashes of the programs that decide a kind of runs, and of all sources of TMT."""

    stamp_and_scripts: str
    sources: str
    program_file: str


ProgramsByName = dict[str, InstalledPrograms]
"""By the name of the program that executes runs, such as ``ns2``."""


def one_of_each(runs: Iterable[Run]) -> list[Run]:
    """Return one run for each set of programs that the runs need."""
    return list({run.programs: run for run in runs}.values())


def installed_programs(runs: Iterable[Run]) -> ProgramsByName:
    """Return the programs on this machine that would carry runs out, with all of TMT.

    Raises
    ------
    ChangedProgramsError
        When the sources are no longer those that this process has loaded.
    """
    sources, found = loaded_hash(PACKAGE), {}
    for run in runs:
        name, file = run.program()
        stamp, _ = run.installed_programs()
        found[name] = InstalledPrograms(stamp, sources, program_hash(file))
    return found


def difference(ours: ProgramsByName, theirs: ProgramsByName | str) -> str:
    """Say in which part a worker's programs differ from ours, or why it does not show them."""
    if isinstance(theirs, str):
        return theirs
    parts = [
        f"{part.replace('_', ' ')} of {name}"
        for name, programs in ours.items()
        for part in programs._fields
        if name not in theirs or getattr(programs, part) != getattr(theirs[name], part)
    ]
    return f"has other versions of these programs: {', '.join(parts)}"
