"""An experiment: settings that a backend carries out, and the row and records that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt.io.atomic import own_folder
from tmt.run import backend_name, load_backend
from tmt.run.fingerprint import fingerprint, programs_of
from tmt.run.link_files import ready_link
from tmt.run.measure import measure
from tmt.run.setup import set_up
from tmt.spec.links import TraceLink
from tmt.spec.settings import Settings, columns_of

if TYPE_CHECKING:
    from os import PathLike

    from tmt.run.measure import ExperimentResult
    from tmt.spec.settings import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(Settings):
    """Settings that can be carried out; their meaning stands with `Settings`.

    Attributes
    ----------
    backend
        One of `tmt.run.BACKENDS`; None is the first one that has the stack.
    """

    backend: str | None = None

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        load_backend(self._backend_name).check(self)

    @property
    def _backend_name(self) -> str:
        return backend_name(self.stack, self.backend)

    def columns(self) -> dict[str, Value]:
        """Return the settings as result columns, as asked for: they are known also of a run that fails."""
        return columns_of(self) | {"backend": self._backend_name}

    def fingerprint(self) -> str:
        """Return a hash of everything that decides the result: settings, content of the links, programs.

        Raises
        ------
        InputError, UsageError
            When a link trace cannot be used.
        SimulatorError
            When the simulator is not built.
        """
        links = (self.forward_link, self.return_link)
        ready = [ready_link(link, self.packet_bytes) for link in links if isinstance(link, TraceLink)]
        contents = [f"{link.file.sha256} {link.lldu_bytes} {link.packing}" for link in ready]
        return fingerprint(self, *contents, *programs_of(self._backend_name))

    def run(
        self, directory: str | PathLike[str] | None = None, timeout_s: float | None = None
    ) -> ExperimentResult:
        """Carry the experiment out and measure it.

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
        backend = load_backend(self._backend_name)
        stamp = backend.stamp()
        setup = set_up(self)
        if directory is None:
            with TemporaryDirectory(prefix="tmt-run-") as temporary:
                return measure(setup, backend, stamp, backend.run(setup, Path(temporary), timeout_s))
        folder = own_folder(directory, "a run")
        return measure(setup, backend, stamp, backend.run(setup, folder, timeout_s))
