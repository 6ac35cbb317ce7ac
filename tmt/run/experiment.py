"""Carry out an experiment with its backend, and measure it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt.core.identity import core_places, loaded_hash, model_places
from tmt.core.provenance import digest
from tmt.io.atomic import own_folder
from tmt.run import load_backend
from tmt.run.link_files import ready_link
from tmt.run.measure import measure
from tmt.run.setup import set_up
from tmt.spec.experiment import MIN_BUFFER_PACKETS, TraceLink
from tmt.spec.points import plain
from tmt.spec.traffic import (
    DEFAULT_CODE,
    ENDLESS_BLOCK_SEGMENTS,
    HEADER_BYTES,
    MAX_BLOCK_SEGMENTS,
    RATELESS_CODES,
    VARIANTS,
    WINDOWS_PER_PATH,
)

if TYPE_CHECKING:
    from os import PathLike

    from tmt.run.measure import ExperimentResult
    from tmt.spec.experiment import Experiment, Link

FACTS = (
    {name: variant.controls for name, variant in VARIANTS.items()},
    *(WINDOWS_PER_PATH, HEADER_BYTES, MIN_BUFFER_PACKETS),
    *(DEFAULT_CODE, RATELESS_CODES, ENDLESS_BLOCK_SEGMENTS, MAX_BLOCK_SEGMENTS),
)
"""Values of `tmt.spec` that decide a run and are not settings: what names and absent values mean."""


def run(
    experiment: Experiment, directory: str | PathLike[str] | None = None, timeout_s: float | None = None
) -> ExperimentResult:
    """Carry an experiment out and measure it.

    Parameters
    ----------
    directory
        Folder for the backend's records and printed lines: new or empty, made if need be. None takes a
        temporary one, which is removed afterwards.
    timeout_s
        Wall time after which the run is killed; None waits for ever.

    Raises
    ------
    RunError
        When the run fails, hangs or leaves damaged records: with its command line and last words.
    SimulatorError
        When the simulator is not built.
    InputError, UsageError
        When a link trace cannot be used, or `directory` is not empty.
    OutputError
        When `directory` cannot be made.
    """
    backend = load_backend(experiment.backend)
    stamp = backend.stamp()
    setup = set_up(experiment)
    if directory is None:
        with TemporaryDirectory(prefix="tmt-run-") as temporary:
            return measure(setup, backend, stamp, backend.run(setup, Path(temporary), timeout_s))
    folder = own_folder(directory, "a run")
    return measure(setup, backend, stamp, backend.run(setup, folder, timeout_s))


def fingerprint(experiment: Experiment) -> str:
    """Return a hash of everything that decides the result: settings, content of the links, programs.

    Raises
    ------
    InputError, UsageError
        When a link trace cannot be used.
    SimulatorError
        When the simulator is not built.
    """
    links = [
        _content(link, experiment.traffic.packet_bytes) for link in (experiment.forward, experiment.back)
    ]
    settings = [plain(experiment.path), plain(experiment.traffic), experiment.seed]
    return digest(settings, links, programs_of(experiment.backend))


def _content(link: Link | None, packet_bytes: int) -> object:
    """Return what a link is, without the name of its file."""
    if not isinstance(link, TraceLink):
        return None if link is None else plain(link)
    ready = ready_link(link, packet_bytes)
    settings = {key: value for key, value in plain(link).items() if key != "path"}
    return [ready.file.sha256, ready.lldu_bytes, ready.packing, settings]


def programs_of(backend: str, *models: object) -> tuple[str, str]:
    """Return the stamp of a backend's program, and the hash of the sources that decide a run.

    The sources are those of core, of the channels and schemes that take part (`models`), of what all backends
    share, and of the backend.

    Raises
    ------
    SimulatorError
        When the program is not built.
    ChangedProgramsError
        When a source was changed after the start of this process.
    """
    return load_backend(backend).stamp(), run_sources(backend, *models)


def run_sources(backend: str, *models: object) -> str:
    """Return the hash of core, models, what all backends share, and the backend (ChangedProgramsError)."""
    here = Path(__file__).parent
    shared = [path for path in sorted(here.iterdir()) if path.is_file()]
    return digest(loaded_hash(*core_places(), *model_places(*models), *shared, here / backend), FACTS)
