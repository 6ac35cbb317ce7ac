"""ns-2 as a backend: one process for each run, in a directory of its own."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError
from tmt.run import RunError
from tmt.run.ns2.arguments import arguments
from tmt.run.ns2.simulator import Simulator
from tmt.run.program import last_words
from tmt.run.records import read_records

if TYPE_CHECKING:
    from pathlib import Path

    from tmt.run import Recording
    from tmt.run.setup import Setup


class Ns2:
    """The built simulator with the script `replay.tcl`; see `tmt.run.Backend`."""

    name = "ns2"

    def program(self) -> Path:
        """Return the simulator's file."""
        return Simulator.find().program

    def stamp(self) -> str:
        """Return the stamp of the simulator's build."""
        return Simulator.find().stamp

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Simulate one experiment."""
        argv, wall_time_s = Simulator.find().run(arguments(setup), directory, timeout_s)
        flows, return_flows = setup.traffic.flows, setup.traffic.return_flows
        command = shlex.join(argv)
        try:
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            reason = f"left bad records: {error}"
            raise RunError(argv, reason, last_words(directory), program="ns-2") from error


BACKEND = Ns2()
