"""Linux's own TCP as a backend: a kernel that runs in simulated time, one process for each run."""

from __future__ import annotations

import os
import shlex
import signal
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tmt.core.errors import SimulatorError, UsageError
from tmt.core.provenance import file_version
from tmt.run import RunError, refuse_absent
from tmt.run.program import STDOUT, build_stamp, built_program, last_words, remedy, run_program
from tmt.run.records import COUNTERS, Counters, read_records
from tmt.run.settings_file import (
    FAILURE_STATUS,
    SETTINGS,
    explained,
    send_buffer_bytes,
    settings_text,
    window_packets,
)
from tmt.spec.queue import KernelQdisc
from tmt.spec.stacks import RECEIVE_BUFFER_BYTES, VARIANTS

if TYPE_CHECKING:
    from tmt.core.provenance import FileVersion
    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.experiment import Experiment
    from tmt.spec.traffic import Flow

_HOME = Path(__file__).resolve().parents[3] / "clift-linux"

ARCHITECTURE = b"\x7fELF\x02\x01", 18, b"\x3e\x00"
"""First bytes of a 64-bit ELF file, and position and value of the number of x86-64 in it."""

NEEDED = ("CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_HZ=1000", "CONFIG_CLIFT=y")
"""Lines in the configuration of a kernel with simulated time, ticks of a millisecond, and TMT's driver."""

ELSEWHERE = "`pip install tmt_clift_linux-*.whl` installs it, `export CLIFT_LINUX=KERNEL` names another"
"""Remedy for an installation without the kernel, which has a separate wheel."""

SHOW_LIMIT_S = 30

LEAST_MEMORY_MIB = 32
SOCKET_BUFFER_BYTES = 1280
"""Memory of a segment: its headers and the kernel's bookkeeping; all segments share their data."""

COUNTED_BYTES = 800
"""Memory that the kernel counts for a segment in the send buffer beyond its data, at least."""

FIRST_BUFFER_BYTES = 131_072
"""Largest receive buffer of a new connection; the driver sets it (`clift_adopt`)."""

MEMORY_STEP_MIB = 16

CONTROLS = "controls.txt"


@dataclass(frozen=True, slots=True)
class Kernel:
    """The built kernel and the stamp of its build."""

    program: Path
    stamp: str

    @classmethod
    def find(cls) -> Kernel:
        """Return the kernel that the environment variable CLIFT_LINUX names, else the checkout's own.

        SimulatorError, which says how to build one, when it is missing, is not a kernel for this purpose, or
        does not match its stamp.
        """
        missing = f"stack linux needs its kernel; {remedy('linux-kernel', ELSEWHERE)}"
        program = built_program("CLIFT_LINUX", _HOME / "build" / "linux", missing)
        _check(program, file_version(program))
        return cls(program, build_stamp(program, remedy("linux-kernel", ELSEWHERE)))

    def controls(self) -> tuple[str, ...]:
        """Return the names of the kernel's congestion controls (SimulatorError)."""
        return _controls(self.program, file_version(self.program))

    def has_qdisc(self, name: str) -> bool:
        """Whether the kernel has a queueing discipline (SimulatorError)."""
        try:
            _controls(self.program, file_version(self.program), f"qdisc {name}\n")
        except RunError as error:
            if error.status == FAILURE_STATUS:
                return False
            raise
        return True

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> tuple[list[str], float]:
        """Boot the kernel in `directory`, which holds the settings; return its argv and its wall time.

        Errors are those of `tmt.run.program.run_program`.
        """
        return self.boot(memory_mib(setup), setup.experiment.seed, directory, timeout_s)

    def boot(
        self, memory: int, seed: int, directory: Path, timeout_s: float | None
    ) -> tuple[list[str], float]:
        """Boot the kernel with a memory in MiB and a seed; other arguments as `run`."""
        argv = [
            str(self.program),
            f"mem={memory}M",
            "con=null",
            "con0=null,fd:1",
            "time-travel=inf-cpu",
            "time-travel-start=0",
            f"seed={seed}",
        ]
        environment = os.environ | {"HOME": str(directory), "CLIFT_PARENT": str(os.getpid())}
        return argv, run_program("the kernel", argv, directory, timeout_s, environment)


@lru_cache(maxsize=8)
def _controls(program: Path, _version: FileVersion | None, settings: str = "") -> tuple[str, ...]:
    with TemporaryDirectory(prefix="tmt-kernel-") as folder:
        (Path(folder) / SETTINGS).write_text(f"list_controls 1\n{settings}")
        Kernel(program, "").boot(LEAST_MEMORY_MIB, 0, Path(folder), SHOW_LIMIT_S)
        return tuple((Path(folder) / CONTROLS).read_text().split())


def memory_mib(setup: Setup) -> int:
    """Return the memory of the simulated machine: enough for the data of all flows."""
    held = sum(group.count * _held_segments(setup, group) for group in setup.groups)
    need = LEAST_MEMORY_MIB + held * SOCKET_BUFFER_BYTES // (1 << 20)
    return -(-need // MEMORY_STEP_MIB) * MEMORY_STEP_MIB


def _held_segments(setup: Setup, group: Flow) -> int:
    """Return the segments that a flow holds: those in its send buffer, and those on the link.

    The flow fills its send buffer when it connects. The receiver's window is then half of its first buffer,
    in whole segments, and a segment has at most half of the window.
    """
    packet_bytes = setup.traffic.packet_bytes
    first_bytes = min(FIRST_BUFFER_BYTES, group.receive_buffer_bytes or RECEIVE_BUFFER_BYTES) // 2
    segment_bytes = packet_bytes if first_bytes >= 2 * packet_bytes else min(packet_bytes, first_bytes) // 2
    return send_buffer_bytes(setup) // (segment_bytes + COUNTED_BYTES) + window_packets(setup)


@lru_cache(maxsize=8)
def _check(program: Path, _version: FileVersion | None) -> None:
    """Refuse a program that is not a kernel for this purpose; once per process and version of it."""
    magic, place, machine = ARCHITECTURE
    with program.open("rb") as file:
        head = file.read(place + len(machine))
    if not head.startswith(magic) or head[place:] != machine:
        raise SimulatorError(f"{program}: is not a program for x86-64; {remedy('linux-kernel', ELSEWHERE)}")
    lines = _configuration(program)
    for needed in NEEDED:
        if needed not in lines:
            raise SimulatorError(
                f"{program}: is not a kernel for stack linux, its configuration lacks {needed}; "
                f"{remedy('linux-kernel', ELSEWHERE)}"
            )


def _configuration(program: Path) -> list[str]:
    """Return the lines of the configuration that a user-mode kernel prints (SimulatorError)."""
    with TemporaryDirectory(prefix="tmt-kernel-") as folder:
        try:
            run_program(str(program), [str(program), "--showconfig"], Path(folder), SHOW_LIMIT_S)
        except RunError as error:
            reasons = [error.outcome, *error.last_words.splitlines()[-1:]]
            raise SimulatorError(
                f"{program}: does not show its configuration: {': '.join(reasons)}"
            ) from error
        return (Path(folder) / STDOUT).read_text(errors="replace").splitlines()


US_PER_S = 1_000_000
MOST_LATE_NS = 1000
"""Upper bound on the delay of an arrival after its due time; the kernel's timer itself is 1 ns late."""

MACHINE_SIGNS = {
    "memory_pressures": "TCP came under memory pressure",
    "receive_queue_drops": "a receiver dropped segments for want of memory",
    "receive_queue_prunes": "a receiver pruned its queue for want of memory",
}
"""Counters of the whole kernel that are 0 in a valid run, and their meaning."""


class Linux:
    """The kernel that `make linux-kernel` builds; see `tmt.run.Backend`."""

    name = "linux"

    def program(self) -> Path:
        """Return the kernel's file."""
        return Kernel.find().program

    def stamp(self) -> str:
        """Return the stamp of the kernel's build."""
        return Kernel.find().stamp

    def check(self, experiment: Experiment) -> None:
        """Refuse, by the kernel's own name, a congestion control or a discipline that the kernel does not
        have.
        """
        traffic, queue = experiment.traffic, experiment.path.queue
        own = [one.tcp for one in traffic.flow or (traffic,) if one.tcp not in VARIANTS]
        if own:
            kernel = Kernel.find()
            refuse_absent(own, str(kernel.program), kernel.controls())
        if isinstance(queue, KernelQdisc) and not Kernel.find().has_qdisc(queue.qdisc):
            raise UsageError(f"queue.qdisc is {queue.qdisc}, which {Kernel.find().program} does not have")

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment in simulated time."""
        (directory / SETTINGS).write_text(settings_text(setup, directory))
        try:
            argv, wall_time_s = Kernel.find().run(setup, directory, timeout_s)
        except RunError as error:
            raise explained(error, _panic(error, setup)) from error
        flows, return_flows = setup.flows
        command = shlex.join(argv)
        try:
            # The counters come first: a clock that jumps may also cut the records short.
            if doubt := reason_to_doubt(directory, flows + return_flows):
                raise SimulatorError(f"its result is not valid: {doubt}")
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            raise RunError(argv, str(error), last_words(directory), program="the kernel") from error


def _panic(error: RunError, setup: Setup) -> str:
    """Return the reason of a kernel panic; empty for another end."""
    return f"panicked, with a memory of {memory_mib(setup)} MiB" if error.status == -signal.SIGABRT else ""


def reason_to_doubt(directory: Path, flows: int) -> str | None:
    """Return why the result of a run of `flows` flows is not decided by the link; None if it is valid."""
    counters = Counters(directory / COUNTERS)
    for name, meaning in MACHINE_SIGNS.items():
        if counters(name):
            return f"{meaning} ({counters(name)} times)"
    if counters("qdisc_drops") != counters("recorded_qdisc_drops"):
        return (
            f"the kernel's queue says that it dropped {counters('qdisc_drops')} packets, "
            f"and {counters('recorded_qdisc_drops')} are recorded"
        )
    if counters("most_late_ns") > MOST_LATE_NS:
        return f"the clock jumped: a packet arrived {counters('most_late_ns')} ns after its due time"
    for flow in range(flows):
        if limited_us := counters(f"flow_{flow}_sndbuf_limited_us"):
            return f"the send buffer limited flow {flow} for {limited_us / US_PER_S:g} s"
    return None


BACKEND = Linux()
