"""The ns-2 program: where it is, and which script it runs."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tmt.run.program import FROM_THE_WHEEL, build_stamp, built_program, remedy, run_program

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOME = Path(__file__).resolve().parents[3] / "clift-ns2"


@dataclass(frozen=True, slots=True)
class Simulator:
    """The built ns-2, the script that it runs, and a hash of the build and of all scripts."""

    program: Path
    script: Path
    stamp: str

    @classmethod
    def find(cls) -> Simulator:
        """Return the simulator that the environment variable CLIFT_NS names, else the checkout's own.

        Raises
        ------
        SimulatorError
            When it is not there, or not the one of its stamp; the message says how to build it.
        """
        missing = f"the simulator is missing; {remedy('setup', FROM_THE_WHEEL)}"
        program = built_program("CLIFT_NS", _HOME / "build" / "ns", missing)
        script = _HOME / "tcl" / "replay.tcl"
        return cls(program, script, _stamp(program, script.parent))

    def run(
        self,
        arguments: Sequence[str],
        directory: Path,
        timeout_s: float | None = None,
        script: Path | None = None,
    ) -> tuple[list[str], float]:
        """Run a script with alternating keys and values; return its argv and its wall time.

        Without `script` it is that of a replay.

        Raises
        ------
        RunError
            See `tmt.run.program.run_program`.
        """
        argv = [str(self.program), str(script or self.script), *arguments]
        # In another locale Tcl reads other characters from the bytes of a path.
        environment = os.environ | {"CLIFT_PARENT": str(os.getpid()), "LC_ALL": "C.UTF-8"}
        return argv, run_program("ns-2", argv, directory, timeout_s, environment)


def _stamp(program: Path, scripts: Path) -> str:
    """Return a hash of the program's build and of all scripts."""
    digest = hashlib.sha256(build_stamp(program, remedy("setup", FROM_THE_WHEEL)).encode())
    for script in sorted(scripts.glob("*.tcl")):
        digest.update(f"\0{script.name}\0".encode())
        digest.update(script.read_bytes())
    return digest.hexdigest()
