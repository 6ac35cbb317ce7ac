"""Programs in simulated time as a backend: a kernel with processes, one for each run."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError, UsageError
from tmt.core.measure.transport import ack_load
from tmt.core.units import ns_to_seconds
from tmt.run import RunError
from tmt.run.program import build_stamp, built_program, last_words, remedy, run_program
from tmt.run.programs.figures import figures, on_second, read_flows, second_share
from tmt.run.programs.job import BEGIN_NS, FILES, write_job
from tmt.run.programs.outcome import BY_ITSELF, check_ends, read_ends, read_measures
from tmt.run.records import read_records
from tmt.run.settings_file import explained
from tmt.spec.experiment import PlainLink
from tmt.spec.programs import PROGRAMS, Program

if TYPE_CHECKING:
    from tmt.run import Recording
    from tmt.run.programs.outcome import End
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment
    from tmt.spec.settings import Value

_HOME = Path(__file__).resolve().parents[3] / "clift-linux"

ELSEWHERE = "`pip install tmt_clift_linux-*.whl` installs it, `export CLIFT_PROGRAMS=KERNEL` names another"
"""Remedy for an installation without the kernel, which has a separate wheel."""

MIB = 1 << 20

CLOCK_READ_NS = 1000
"""Simulated time that reading the clock takes, so that a program that polls the clock ends."""


class Programs:
    """The kernel with processes that `make linux-kernel` builds; see `tmt.run.Backend`."""

    name = PROGRAMS

    def program(self) -> Path:
        """Return the kernel's file."""
        missing = f"programs need a kernel of their own; {remedy('linux-kernel', ELSEWHERE)}"
        return built_program("CLIFT_PROGRAMS", _HOME / "build" / "programs" / "linux", missing)

    def stamp(self) -> str:
        """Return the stamp of the kernel's build."""
        return build_stamp(self.program(), remedy("linux-kernel", ELSEWHERE))

    def check(self, experiment: Experiment) -> None:
        """Refuse a limit on windows, which belong to the programs and the kernel."""
        if experiment.path.window_packets is not None:
            raise UsageError("window_packets is given: programs have none; receive_buffer_bytes bounds it")

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment in simulated time; InputError if a file of its programs cannot be used."""
        program = setup.traffic
        assert isinstance(program, Program)
        argv = [
            str(self.program()),
            f"mem={program.memory_bytes // MIB}M",
            "con=null",
            "con0=null,fd:1",
            "time-travel=inf-cpu",
            f"time-travel-start={BEGIN_NS}",
            f"time-travel-read={CLOCK_READ_NS}",
            f"seed={setup.experiment.seed}",
        ]
        environment = os.environ | {"HOME": str(directory), "CLIFT_PARENT": str(os.getpid())}
        try:
            write_job(setup, program, directory)
            wall_time_s = run_program("the kernel", argv, directory, timeout_s, environment)
        except RunError as error:
            raise explained(error) from error
        finally:
            shutil.rmtree(directory / FILES, ignore_errors=True)
        try:
            ends, flows = read_ends(directory, program), read_flows(directory)
            command = shlex.join(argv)
            recording = read_records(directory, len(flows), command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            raise RunError(argv, str(error), last_words(directory), program="the kernel") from error
        check_ends(ends, program, directory)
        measured = read_measures(ends, program, directory)
        found = figures(recording.packets, flows)
        if program.second is not None:
            found["second_share"] = second_share(recording.packets, flows)
        if isinstance(setup.back, PlainLink):
            first = recording.packets[~on_second(recording.packets, flows)]
            found["return_ack_load"] = ack_load(first, setup.back.rate_bps)
        else:
            found["return_ack_load"] = recording.columns["return_utilisation"]
        found |= {
            "program": program.title,
            "completion_s": _clients_s(ends),
            "window_packets": None,
            "ends": json.dumps([end.told for end in ends.values()]),
            "measures": _told(program, measured),
        }
        return replace(recording, columns=recording.columns | found)


def _clients_s(ends: dict[str, End]) -> float | None:
    """Return the time from the clients' start to the last one's end; None if one did not end by itself."""
    clients = [end for name, end in ends.items() if name.startswith("client")]
    if any(end.reason != BY_ITSELF for end in clients):
        return None
    return ns_to_seconds(max(end.end_ns for end in clients) - min(end.start_ns for end in clients))


def _told(program: Program, measured: dict[str, float | None]) -> Value:
    if not measured:
        return None
    of = {measure.column: measure for measure in program.measure}
    return json.dumps(
        {
            column: {"value": value, "unit": of[column].unit or "", "better": of[column].better or ""}
            for column, value in measured.items()
        }
    )


BACKEND = Programs()
