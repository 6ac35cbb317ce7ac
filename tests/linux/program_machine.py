"""Boots the kernel for programs, without `tmt`: its files in, its files out."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from waiting import PATIENCE_S

SETTINGS = """\
forward_rate_bps 5000000
return_rate_bps 5000000
loop 1
in_order 1
hold_ns 0
rtt_ns 100000000
queue droptail drop tail
queue_packets 42
queue_counts all
seed {seed}
duration_ns {duration_ns}
packet_bytes 1500
send_buffer_bytes 4032000
window_packets 336
"""
ARGUMENTS = (
    "con=null",
    "con0=null,fd:1",
    "time-travel=inf-cpu",
    "time-travel-start=1767225600000000000",
    "time-travel-read=1000",
)


@dataclass(frozen=True)
class Ended:
    """A line of ended.txt."""

    start_ns: int
    end_ns: int
    status: int
    signal: int
    reason: str
    stdout_bytes: int
    stderr_bytes: int


@dataclass(frozen=True)
class Machine:
    """A kernel for programs, and the folder of a run."""

    kernel: Path
    folder: Path

    def prepare(self, programs: str, *, seed: int = 1, duration_s: float = 20) -> None:
        """Write the files of a run; `programs` is the text of programs.txt."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "programs.txt").write_text(programs)
        settings = SETTINGS.format(seed=seed, duration_ns=round(duration_s * 1e9))
        (self.folder / "settings.txt").write_text(settings)

    def start(self, *, seed: int = 1, memory: int = 128, **environment: str) -> subprocess.Popen[str]:
        """Start the prepared run."""
        return subprocess.Popen(
            [str(self.kernel), f"mem={memory}M", *ARGUMENTS, f"seed={seed}"],
            cwd=self.folder,
            env={"HOME": str(self.folder), "CLIFT_PARENT": str(os.getpid()), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(
        self, programs: str, *, seed: int = 1, memory: int = 128, duration_s: float = 20, **environment: str
    ) -> dict[str, Ended]:
        """Run programs until the end; return the lines of ended.txt by name."""
        self.prepare(programs, seed=seed, duration_s=duration_s)
        process = self.start(seed=seed, memory=memory, **environment)
        printed = process.communicate(timeout=PATIENCE_S)[0]
        assert process.returncode == 0, printed
        return self.ended()

    def ended(self) -> dict[str, Ended]:
        """Return the lines of ended.txt by name."""
        found = {}
        for line in (self.folder / "ended.txt").read_text().splitlines():
            name, start, end, status, number, reason, out, err = line.split("\t")
            found[name] = Ended(int(start), int(end), int(status), int(number), reason, int(out), int(err))
        return found

    def output(self, name: str) -> str:
        """Return what a program printed."""
        return (self.folder / "out" / f"{name}.stdout").read_text()
