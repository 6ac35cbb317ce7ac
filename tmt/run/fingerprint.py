"""The fingerprint of settings: a hash of everything that decides a result, in domain units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmt.core.identity import core_places, loaded_hash, model_places
from tmt.core.provenance import digest
from tmt.run import load_backend
from tmt.spec.links import TraceLink
from tmt.spec.settings import values_of

if TYPE_CHECKING:
    from tmt.spec.links import Link
    from tmt.spec.settings import Settings


def fingerprint(settings: Settings, *contents: str) -> str:
    """Return a hash of settings and of their links' contents; names of files are not in it.

    Parameters
    ----------
    contents
        Hashes of the traces of forward and return link, and of the programs.
    """
    values = {f"{one.prefix}{one.name}": value for one, value in values_of(settings)}
    links = [_described(link) for link in (settings.forward_link, settings.return_link)]
    return digest(values, settings.proxy is not None, links, contents)


def programs_of(backend: str, *models: object) -> tuple[str, str]:
    """Return the stamp of a backend's program, and the hash of the sources that decide a run.

    Parameters
    ----------
    *models
        The channels and schemes that make its link traces.

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
    return loaded_hash(*core_places(), *model_places(*models), *sorted(here.glob("*.py")), here / backend)


def _described(link: Link | None) -> dict[str, Any] | None:
    if link is None:
        return None
    if isinstance(link, TraceLink):
        scheme = None if link.scheme is None else link.scheme.describe()
        return {"lldu_bytes": link.lldu_bytes, "offset_ns": link.offset_ns, "scheme": scheme}
    return {"rate_bps": link.rate_bps}
