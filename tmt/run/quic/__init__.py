"""QUIC in simulated time as a backend: quinn's state machine over TMT's links, one process for each run."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError
from tmt.core.measure.transport import of_flows, recovery_figures
from tmt.run import RunError
from tmt.run.program import build_stamp, built_program, last_words, remedy, run_program
from tmt.run.records import COUNTERS, Counters, read_records
from tmt.run.settings_file import SETTINGS, explained, settings_text

if TYPE_CHECKING:
    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment
    from tmt.spec.settings import Value

_HOME = Path(__file__).resolve().parents[3] / "clift-quic"

ELSEWHERE = "`export CLIFT_QUIC=PROGRAM` names one that was built in a checkout of TMT"
"""Remedy for an installation without the program, which no wheel contains."""


class Quic:
    """The program that `make quic` builds; see `tmt.run.Backend`."""

    name = "quic"

    def program(self) -> Path:
        """Return the program's file."""
        missing = f"stack quic needs its program; {remedy('quic', ELSEWHERE)}"
        return built_program("CLIFT_QUIC", _HOME / "build" / "clift-quic", missing)

    def stamp(self) -> str:
        """Return the stamp of the program's build."""
        return build_stamp(self.program(), remedy("quic", ELSEWHERE))

    def check(self, experiment: Experiment) -> None:
        """Refuse nothing: every build has all variants of the stack."""

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment in simulated time."""
        (directory / SETTINGS).write_text(settings_text(setup, directory))
        argv = [str(self.program())]
        environment = os.environ | {"CLIFT_PARENT": str(os.getpid())}
        try:
            wall_time_s = run_program("QUIC", argv, directory, timeout_s, environment)
        except RunError as error:
            raise explained(error) from error
        flows, return_flows = setup.flows
        more: dict[str, Value] = {"command": shlex.join(argv), "wall_time_s": wall_time_s}
        try:
            recording = read_records(directory, flows, return_flows, **more)
            counters = Counters(directory / COUNTERS)
            lost = sum(counters(f"flow_{flow}_lost_packets") for flow in range(flows))
        except SimulatorError as error:
            raise RunError(argv, str(error), last_words(directory), program="QUIC") from error
        # A datagram is sent once; the frames of a datagram that the sender declares lost go into new ones.
        sent = recovery_figures(of_flows(recording.packets, flows))["segments_sent"]
        columns = recording.columns | {
            "retransmissions": lost,
            "retransmission_ratio": lost / sent if sent else None,
            "max_transmissions": None,
        }
        return replace(recording, columns=columns)


BACKEND = Quic()
