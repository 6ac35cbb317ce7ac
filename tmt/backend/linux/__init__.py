"""Linux's own TCP as a backend: a kernel that runs in simulated time, one process for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.backend.base import Outcome, RunError, refuse_absent
from tmt.backend.linux.kernel import Kernel
from tmt.backend.linux.settings_file import SETTINGS, settings_text
from tmt.backend.linux.soundness import reason_to_doubt
from tmt.backend.records import read_records
from tmt.errors import SimulatorError
from tmt.settings.links import TraceLink
from tmt.settings.tcp import LINUX

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.backend.setup import Setup
    from tmt.settings.settings import Settings

FAILURE = "failure.txt"
"""The kernel's driver writes this file when it cannot carry the run out: one line that says why."""


class Linux:
    """The kernel that `make linux-kernel` builds; see `tmt.backend.base.Backend`."""

    name = "linux"
    stacks = (LINUX,)

    def check(self, settings: Settings) -> None:
        """Refuse the settings that only ns-2 has."""
        links = (settings.forward_link, settings.return_link)
        absent = {
            "wired": settings.wired is not None,
            "proxy": settings.proxy is not None,
            "an online scheme": any(isinstance(link, TraceLink) and link.scheme for link in links),
        }
        refuse_absent(self.name, absent)

    def stamp(self) -> str:
        """Return the stamp of the kernel's build."""
        return Kernel.find().stamp

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Outcome:
        """Run one experiment in simulated time."""
        (directory / SETTINGS).write_text(settings_text(setup))
        argv, wall_time_s = Kernel.find().run(setup, directory, timeout_s)
        failure = directory / FAILURE
        try:
            if failure.is_file():
                raise SimulatorError(failure.read_text().strip())
            recording = read_records(directory, setup.settings.flows)
            doubt = reason_to_doubt(directory, setup.settings.flows)
        except SimulatorError as error:
            raise RunError(argv, str(error), "", program="the kernel") from error
        if doubt is not None:
            raise RunError(argv, f"its records are inconsistent: {doubt}", "", program="the kernel")
        return Outcome(argv, wall_time_s, recording)


BACKEND = Linux()
