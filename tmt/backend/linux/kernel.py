"""The kernel's program: where it is, how much memory it gets, how it is called."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.backend.linux.settings_file import window_packets
from tmt.backend.program import built_program, run_program

if TYPE_CHECKING:
    from tmt.backend.setup import Setup

_HOME = Path(__file__).resolve().parents[3] / "clift-linux"

LEAST_MEMORY_MIB = 32
PACKET_MEMORY_BYTES = 4096
"""Memory of a packet under way: its segment at the sender, the copy on the link, and their headers."""

MEMORY_STEP_MIB = 16


@dataclass(frozen=True, slots=True)
class Kernel:
    """The built kernel and the stamp of its build."""

    program: Path
    stamp: str

    @classmethod
    def find(cls) -> Kernel:
        """Return the kernel that the environment variable CLIFT_LINUX names, else the checkout's own.

        Raises
        ------
        SimulatorError
            When it is not there; the message says how to build it.
        """
        missing = "stack linux needs its kernel; `make linux-kernel` builds it"
        program = built_program("CLIFT_LINUX", _HOME / "build" / "linux", missing)
        stamp = program.with_name("stamp")
        return cls(program, stamp.read_text().strip() if stamp.is_file() else f"unstamped {program}")

    def run(self, setup: Setup, directory: Path, timeout_s: float | None) -> tuple[list[str], float]:
        """Boot the kernel in `directory`, which holds the settings; return its argv and its wall time.

        Raises
        ------
        RunError
            See `tmt.backend.program.run_program`.
        """
        argv = [
            "setarch",  # without random addresses: hashes of pointers would differ from run to run
            "--addr-no-randomize",
            str(self.program),
            f"mem={memory_mib(setup)}M",
            "con=null",
            "con0=null,fd:1",
            "time-travel=inf-cpu",
            "time-travel-start=0",
            f"seed={setup.settings.seed}",
        ]
        home = {"HOME": str(directory), "TMPDIR": _memory_folder(directory)}
        return argv, run_program("the kernel", argv, directory, timeout_s, os.environ | home)


def memory_mib(setup: Setup) -> int:
    """Return the memory of the simulated machine: enough for the windows of all flows."""
    held_packets = window_packets(setup) * setup.settings.flows
    need = LEAST_MEMORY_MIB + held_packets * PACKET_MEMORY_BYTES // (1 << 20)
    return -(-need // MEMORY_STEP_MIB) * MEMORY_STEP_MIB


def _memory_folder(directory: Path) -> str:
    """Return the folder of the file that is the machine's memory: programs can be run from it."""
    shared = "/dev/shm"
    usable = os.access(shared, os.W_OK) and not os.statvfs(shared).f_flag & os.ST_NOEXEC
    return shared if usable else str(directory)
