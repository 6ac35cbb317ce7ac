"""ns-2 as a backend: one process for each run, in a directory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError
from tmt.run.base import Outcome, RunError, refuse_absent
from tmt.run.ns2.arguments import arguments
from tmt.run.ns2.simulator import Simulator
from tmt.run.program import last_words
from tmt.run.records import read_records
from tmt.spec.tcp import NS2_STACKS

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.run.setup import Setup
    from tmt.spec.settings import Settings


class Ns2:
    """The built simulator with the script `replay.tcl`; see `tmt.run.base.Backend`."""

    name = "ns2"
    stacks = NS2_STACKS

    def check(self, settings: Settings) -> None:
        """Refuse the settings that only a kernel has."""
        refuse_absent(self.name, {"receive_buffer_bytes": settings.receive_buffer_bytes is not None}, "linux")

    def program(self) -> Path:
        """Return the simulator's file."""
        return Simulator.find().program

    def stamp(self) -> str:
        """Return the stamp of the simulator's build."""
        return Simulator.find().stamp

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Outcome:
        """Simulate one experiment."""
        argv, wall_time_s = Simulator.find().run(arguments(setup), directory, timeout_s)
        try:
            recording = read_records(directory, setup.settings.flows, setup.settings.return_flows)
        except SimulatorError as error:
            reason = f"left bad records: {error}"
            raise RunError(argv, reason, last_words(directory), program="ns-2") from error
        return Outcome(argv, wall_time_s, recording)


BACKEND = Ns2()
