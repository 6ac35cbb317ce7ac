"""Linux's own TCP as a backend: a kernel that runs in simulated time, one process for each run."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tmt.core.declaration import ns
from tmt.core.errors import SimulatorError
from tmt.core.provenance import file_version
from tmt.run import RunError, refuse_absent
from tmt.run.link_files import link_settings, queue_settings
from tmt.run.program import build_stamp, built_program, last_words, remedy, run_program
from tmt.run.records import COUNTERS, Counters, read_records
from tmt.spec.stacks import HEADER_BYTES, LINUX, RECEIVE_BUFFER_BYTES, VARIANTS, control_of

if TYPE_CHECKING:
    from tmt.core.provenance import FileVersion
    from tmt.run import Recording
    from tmt.run.setup import Setup
    from tmt.spec.traffic import Flow, Traffic

_HOME = Path(__file__).resolve().parents[3] / "clift-linux"

ARCHITECTURE = b"\x7fELF\x02\x01", 18, b"\x3e\x00"
"""Beginning of a 64-bit ELF file, and place and value of x86-64's number in it."""

NEEDED = ("CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_HZ=1000", "CONFIG_CLIFT=y")
"""Lines in the configuration of a kernel with simulated time, ticks of a millisecond, and our driver."""

ELSEWHERE = "`export CLIFT_LINUX=KERNEL` names one that was built in a checkout of TMT"
"""Remedy for an installation without the kernel, which no wheel holds."""

SHOW_LIMIT_S = 30

LEAST_MEMORY_MIB = 32
PACKET_MEMORY_BYTES = 6144
"""Memory for each packet of a window: headers of four in the sender's buffer and one on the link, no data."""

MEMORY_STEP_MIB = 16

SETTINGS = "settings.txt"
CONTROLS = "controls.txt"
SEGMENT_MEMORY_BYTES = 2304
"""Memory that the kernel counts for a segment of a packet of 1500 bytes; larger ones take more."""

LEAST_BUFFER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Kernel:
    """The built kernel and the stamp of its build."""

    program: Path
    stamp: str

    @classmethod
    def find(cls) -> Kernel:
        """Return the kernel that the environment variable CLIFT_LINUX names, else the checkout's own.

        SimulatorError, which says how to build one, when it is not there, is not a kernel for this purpose,
        or not the one of its stamp.
        """
        missing = f"stack linux needs its kernel; {remedy('linux-kernel', ELSEWHERE)}"
        program = built_program("CLIFT_LINUX", _HOME / "build" / "linux", missing)
        _check(program, file_version(program))
        return cls(program, build_stamp(program, remedy("linux-kernel", ELSEWHERE)))

    def controls(self) -> tuple[str, ...]:
        """Return the names of the kernel's congestion controls (SimulatorError)."""
        return _controls(self.program, file_version(self.program))

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> tuple[list[str], float]:
        """Boot the kernel in `directory`, which holds the settings; return its argv and its wall time.

        Errors are those of `tmt.run.program.run_program`.
        """
        return self.boot(memory_mib(setup), setup.experiment.seed, directory, timeout_s)

    def boot(
        self, memory: int, seed: int, directory: Path, timeout_s: float | None
    ) -> tuple[list[str], float]:
        """Boot the kernel with a memory in MiB and a seed; the rest as `run`."""
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
def _controls(program: Path, _version: FileVersion | None) -> tuple[str, ...]:
    with TemporaryDirectory(prefix="tmt-kernel-") as folder:
        (Path(folder) / SETTINGS).write_text("list_controls 1\n")
        Kernel(program, "").boot(LEAST_MEMORY_MIB, 0, Path(folder), SHOW_LIMIT_S)
        return tuple((Path(folder) / CONTROLS).read_text().split())


def memory_mib(setup: Setup) -> int:
    """Return the memory of the simulated machine: enough for the windows of all flows."""
    held_packets = window_packets(setup) * sum(setup.flows)
    need = LEAST_MEMORY_MIB + held_packets * PACKET_MEMORY_BYTES // (1 << 20)
    return -(-need // MEMORY_STEP_MIB) * MEMORY_STEP_MIB


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
    """Return the lines of the configuration that a user-mode kernel prints; none for another program."""
    try:
        shown = subprocess.run(
            [str(program), "--showconfig"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SHOW_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return shown.stdout.splitlines()


def window_packets(setup: Setup) -> int:
    """Return the bound on the window, which a setup always has."""
    assert setup.path.window_packets is not None
    return setup.path.window_packets


def send_buffer_bytes(setup: Setup) -> int:
    """Return the memory of a send buffer that never limits: four of the largest windows."""
    memory = max(SEGMENT_MEMORY_BYTES, 2 * setup.traffic.packet_bytes)
    return max(LEAST_BUFFER_BYTES, 4 * window_packets(setup) * memory)


def settings_text(setup: Setup) -> str:
    """Return the text of the settings file: a key and its value a line (`clift-linux/driver/host.cc`)."""
    path, traffic = setup.path, setup.traffic
    values = link_settings("forward", setup.forward) | link_settings("return", setup.back)
    values |= {
        "loop": int(path.loop),
        "in_order": int(path.in_order),
        "hold_ns": 0 if path.hold is None else ns(path.hold),
        "rtt_ns": ns(path.rtt),
        **queue_settings(path),
        "seed": setup.experiment.seed,
        "duration_ns": ns(traffic.duration),
        "packet_bytes": traffic.packet_bytes,
        "receive_buffer_bytes": traffic.receive_buffer_bytes or RECEIVE_BUFFER_BYTES,
        "send_buffer_bytes": send_buffer_bytes(setup),
        "window_packets": window_packets(setup),
    }
    segment_bytes = traffic.packet_bytes - HEADER_BYTES
    segments = -(-(traffic.transfer_bytes or 0) // segment_bytes)
    if traffic.pause is not None and segments > 1:
        values |= {"first_half_bytes": (segments + 1) // 2 * segment_bytes, "pause_ns": ns(traffic.pause)}
    if path.ack_thinning == "filter":
        values["ack_filter"] = 1
    if path.ack_interval is not None:
        values["ack_interval_ns"] = ns(path.ack_interval)
    lines = [f"{key} {value}" for key, value in values.items()]
    of_flows = [group for group in setup.groups for _ in range(group.count)]
    drawn = np.random.default_rng(setup.experiment.seed).random(len(of_flows)).tolist()
    for group, part in zip(of_flows, drawn, strict=True):
        lines += [_flow_line(setup, group, int(part * ns(traffic.start_spread)))]
    return "\n".join(lines) + "\n"


def _flow_line(setup: Setup, group: Flow, later_ns: int) -> str:
    """Return the line of a flow that starts so much later than its group."""
    segment_bytes = setup.traffic.packet_bytes - HEADER_BYTES
    values = (
        control_of(group.tcp, LINUX),
        int(group.direction == "return"),
        ns(group.start) + later_ns,
        0 if group.end is None else ns(group.end),
        -(-(group.transfer_bytes or 0) // segment_bytes) * segment_bytes,
        0 if group.rtt is None else (ns(group.rtt) - ns(setup.path.rtt)) // 2,
        int(bool(group.delayed_acks)),
    )
    return f"flow {' '.join(map(str, values))}"


FAILURE_STATUS = 2
"""The kernel's driver ends with it when it cannot carry the run out: the last line on stderr says why."""

US_PER_S = 1_000_000
MOST_LATE_NS = 1000
"""A packet's arrival is at most so long after its due time; the kernel's timer itself is 1 ns late."""

MACHINE_SIGNS = {
    "memory_pressures": "TCP came under memory pressure",
    "receive_queue_drops": "a receiver dropped segments for want of memory",
    "receive_queue_prunes": "a receiver pruned its queue for want of memory",
}
"""Counters of the whole kernel that are 0 in a sound run, and their meaning."""


class Linux:
    """The kernel that `make linux-kernel` builds; see `tmt.run.Backend`."""

    name = "linux"

    def program(self) -> Path:
        """Return the kernel's file."""
        return Kernel.find().program

    def stamp(self) -> str:
        """Return the stamp of the kernel's build."""
        return Kernel.find().stamp

    def check(self, traffic: Traffic) -> None:
        """Refuse a congestion control by its own name that the kernel does not have."""
        own = [one.tcp for one in traffic.flow or (traffic,) if one.tcp not in VARIANTS]
        if own:
            kernel = Kernel.find()
            refuse_absent(own, str(kernel.program), kernel.controls())

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> Recording:
        """Run one experiment in simulated time."""
        (directory / SETTINGS).write_text(settings_text(setup))
        try:
            argv, wall_time_s = Kernel.find().run(setup, directory, timeout_s)
        except RunError as error:
            raise _explained(error, setup) from error
        flows, return_flows = setup.flows
        command = shlex.join(argv)
        try:
            # The counters come first: a clock that jumps may also cut the records short.
            if doubt := reason_to_doubt(directory, flows + return_flows):
                raise SimulatorError(f"its result is not valid: {doubt}")
            return read_records(directory, flows, return_flows, command=command, wall_time_s=wall_time_s)
        except SimulatorError as error:
            raise RunError(argv, str(error), last_words(directory), program="the kernel") from error


def _explained(error: RunError, setup: Setup) -> RunError:
    """Return the error with the reason that its exit status stands for, if it is one of the kernel's."""
    if error.status == FAILURE_STATUS and error.last_words:
        reason = error.last_words.splitlines()[-1]
    elif error.status == -signal.SIGABRT:
        reason = f"panicked, with a memory of {memory_mib(setup)} MiB"
    else:
        return error
    return RunError(error.argv, reason, "", program=error.program, status=error.status)


def reason_to_doubt(directory: Path, flows: int) -> str | None:
    """Return the reason why the result of a run of `flows` flows is not the link's; None: it is sound."""
    counters = Counters(directory / COUNTERS)
    for name, meaning in MACHINE_SIGNS.items():
        if counters(name):
            return f"{meaning} ({counters(name)} times)"
    if counters("most_late_ns") > MOST_LATE_NS:
        return f"the clock jumped: a packet arrived {counters('most_late_ns')} ns after its due time"
    for flow in range(flows):
        if limited_us := counters(f"flow_{flow}_sndbuf_limited_us"):
            return f"the send buffer limited flow {flow} for {limited_us / US_PER_S:g} s"
    return None


BACKEND = Linux()
