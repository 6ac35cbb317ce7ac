"""The files that decide a run of programs, by their content: given files, the root, or the host's own files.

Only a run shows which files of the host programs open. A run over a link without delay and loss finds them
once; the list is cached for the user until one of them changes.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt.core.errors import InputError
from tmt.core.provenance import digest, user_cache
from tmt.io.atomic import write_text
from tmt.run import RunError, load_backend
from tmt.run.programs.roots import content_hash
from tmt.run.programs.second_path import second_identity
from tmt.run.setup import set_up
from tmt.spec.experiment import Experiment, PlainLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.points import plain
from tmt.spec.programs import PROGRAMS, Program

if TYPE_CHECKING:
    from tmt.spec.traffic import Traffic

USED = "used.txt"

STAMP_SHOWN = 32
"""Digits of the kernel's stamp that precede the hash of the files."""

TRIAL_RATE_BPS, TRIAL_RTT_S, TRIAL_LIMIT_S = 1e9, 0.001, 120
"""Link of the run that finds the host's files, and its timeout in wall time."""


def with_inputs(traffic: Traffic, programs: tuple[str, str]) -> tuple[str, str]:
    """Return stamp and sources of a run's programs; the stamp includes their files.

    InputError when one of these files cannot be read.
    """
    if not isinstance(traffic, Program):
        return programs
    stamp, sources = programs
    return f"{stamp[:STAMP_SHOWN]} {inputs_hash(traffic)}", sources


def inputs_hash(program: Program) -> str:
    """Return the hash of the files and the second path that decide a run of programs (InputError)."""
    given = [[Path(one).resolve().name, content_hash(one)] for one in program.files]
    root = _host_hash(program, digest(given)) if program.root is None else content_hash(program.root)
    return digest(given, root, *second_identity(program))


def _host_hash(program: Program, given: str) -> str:
    stamp = load_backend(PROGRAMS).stamp()
    own = {
        key: value
        for key, value in plain(program).items()
        if key not in ("files", "label", "seeds", "second")
    }
    key = digest(stamp, own, given)
    files = _known(key)
    if files is None:
        files = {name: content_hash(name) for name in _used(program) if Path(name).is_file()}
        _keep(key, files)
    return digest(sorted(files.items()))


def _place(key: str) -> Path | None:
    cache = user_cache()
    return None if cache is None else cache / "programs" / f"{key}.json"


def _known(key: str) -> dict[str, str] | None:
    """Return the files that a trial run found, with their hashes; None without one, or if one has changed."""
    place = _place(key)
    files: dict[str, str] = {}
    try:
        files = _found[key] if place is None or not place.is_file() else json.loads(place.read_bytes())
        if all(content_hash(name) == own for name, own in files.items()):
            return files
    except (OSError, ValueError, KeyError, InputError):
        pass
    return None


_found: dict[str, dict[str, str]] = {}
"""Results of this process's trial runs, if the user's cache cannot be written."""


def _keep(key: str, files: dict[str, str]) -> None:
    _found[key] = files
    place = _place(key)
    if place is not None:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_text(place, json.dumps(files, indent=0))


@lru_cache(maxsize=64)
def _used(program: Program) -> tuple[str, ...]:
    """Return the host's files that a run over a plain link opens, without the given files.

    If a program fails there, the files so far are used; the actual runs report the failure.
    """
    trial = replace(program, measure=(), label=None, second=None)
    experiment = Experiment(PlainLink(TRIAL_RATE_BPS), LinkPath(TRIAL_RTT_S), trial)
    with TemporaryDirectory(prefix="tmt-programs-") as folder:
        with suppress(RunError):
            load_backend(PROGRAMS).run(set_up(experiment), Path(folder), TRIAL_LIMIT_S)
        file = Path(folder) / USED
        used = file.read_text().splitlines() if file.is_file() else []
        return tuple(name for name in used if not name.startswith(f"{Path(folder).resolve()}/"))
