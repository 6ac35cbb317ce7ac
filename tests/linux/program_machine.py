"""Boots the kernel for programs, without `tmt`: its files in, its files out."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from waiting import PATIENCE_S

PATH = """\
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
"""
SETTINGS = f"""\
{PATH}duration_ns {{duration_ns}}
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

PYTHON = f"{Path(sys.executable).resolve()} -I -S"
RUN = "root /\nprocessor_s 60\noutput_bytes 100000\n"

SERVER = """\
import os, socket, sys
size = int(sys.argv[1])
family = socket.AF_INET6 if sys.argv[2] == "6" else socket.AF_INET
with socket.create_server(("", 8000), family=family) as listener:
    while True:
        with listener.accept()[0] as peer:
            while size and peer.sendall(bytes(size)) is None:
                break
"""
CLIENT = """\
import os, socket, sys, time
begin = time.monotonic_ns()
with socket.create_connection((sys.argv[1], 8000)) as peer:
    count = 0
    while part := peer.recv(65536):
        count += len(part)
print(count, time.monotonic_ns() - begin, os.urandom(4).hex(), int(time.time()), os.cpu_count())
"""


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

    def prepare(
        self, programs: str, *, seed: int = 1, duration_s: float = 20, second: str | None = None
    ) -> None:
        """Write the files of a run; `programs` is the text of programs.txt, `second` that of second.txt."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "programs.txt").write_text(programs)
        settings = SETTINGS.format(seed=seed, duration_ns=round(duration_s * 1e9))
        (self.folder / "settings.txt").write_text(settings)
        if second is not None:
            (self.folder / "second.txt").write_text(second)

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
        self,
        programs: str,
        *,
        seed: int = 1,
        memory: int = 128,
        duration_s: float = 20,
        second: str | None = None,
        **environment: str,
    ) -> dict[str, Ended]:
        """Run programs until the end; return the lines of ended.txt by name."""
        self.prepare(programs, seed=seed, duration_s=duration_s, second=second)
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


def transfer(folder: Path, size: int, version: str = "4") -> str:
    """Return programs.txt of a download of `size` bytes."""
    address = "10.0.0.1" if version == "4" else "fd00::1"
    return (
        f"{RUN}files {folder.parent / 'files'}\nready tcp:8000\n"
        f"program server\nend near\ncommand exec {PYTHON} $FILES/server.py {size} {version}\n"
        f"program client\nend far\ncommand exec {PYTHON} $FILES/client.py {address}\n"
    )


def client(command: str, settings: str = RUN) -> str:
    """Return programs.txt of one client."""
    return f"{settings}program client\nend far\ncommand {command}\n"


def flows_of(folder: Path) -> list[list[str]]:
    """Return the lines of flows.txt: number, protocol, version, ports, header bytes, path."""
    return [line.split("\t") for line in (folder / "flows.txt").read_text().splitlines()]
