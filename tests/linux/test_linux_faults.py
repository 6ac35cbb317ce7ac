"""Faults around a kernel in simulated time: each ends with its reason, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from experiments import Asked, asked
from processes import execute
from waiting import PATIENCE_S, until

from tmt import PlainLink, SlidingWindow, TraceLink
from tmt.core.errors import SimulatorError
from tmt.core.provenance import file_sha256
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io.conversion import convert_file
from tmt.run import RunError, linux
from tmt.run.linux import BACKEND, Kernel
from tmt.run.setup import set_up
from tmt.spec.stacks import LINUX

DRIVE = Path(__file__).parents[2] / "traces/measured/gnss-drive.parquet"
DRIVE_OFFSET_NS = 844_505_166_987

PTRACE, PERSONALITY = 101, 135
"""Numbers of system calls on x86-64."""


def experiment(**settings: Any) -> Asked:
    """A GEO link of 2 Mbit/s for 20 s."""
    return asked(
        **{
            "tcp": "cubic",
            "stack": LINUX,
            "forward": PlainLink(2e6),
            "rtt_ns": 500 * NS_PER_MS,
            "duration_ns": 20 * NS_PER_S,
        }
        | settings
    )


LONG = {"forward": PlainLink(1e8), "duration_ns": 100_000 * NS_PER_S}
"""Settings of a run that takes an hour."""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a script the kernel's program."""

    def make(lines: str) -> Path:
        path = tmp_path / "program"
        path.write_text(lines)
        path.chmod(0o755)
        monkeypatch.setenv("CLIFT_LINUX", str(path))
        return path

    return make


def wrapped(kernel: Path, number: int) -> str:
    """Return a script that runs the kernel with a system call forbidden."""
    forbid = Path(__file__).with_name("forbid_call.py")
    return f'#!/bin/sh\nexec {sys.executable} {forbid} {number} {kernel} "$@"\n'


def test_host_without_ptrace__runs_all_the_same(
    kernel: Path, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = experiment().run().row["goodput_bps"]
    script = program(wrapped(kernel, PTRACE))
    monkeypatch.setattr(Kernel, "find", lambda: Kernel(script, "the same"))
    assert experiment().run().row["goodput_bps"] == expected


def test_host_that_forbids_fixed_addresses__says_whom_to_ask(
    kernel: Path, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = program(wrapped(kernel, PERSONALITY))
    monkeypatch.setattr(Kernel, "find", lambda: Kernel(script, "the same"))
    with pytest.raises(RunError, match=r"seccomp mode 2\). Ask the administrator to allow .* personality"):
        experiment().run()


def test_program_of_another_architecture__is_refused(program: Callable[[str], Path]) -> None:
    program("\x7fELF\x02\x01" + 12 * "\0" + "\xb7\0")
    with pytest.raises(SimulatorError, match="program: is not a program for x86-64"):
        Kernel.find()


@pytest.mark.parametrize(
    ("lacking", "shown"),
    [
        ("CONFIG_UML_TIME_TRAVEL_SUPPORT=y", ["CONFIG_HZ=1000", "CONFIG_CLIFT=y"]),
        ("CONFIG_HZ=1000", ["CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_HZ=100", "CONFIG_CLIFT=y"]),
        ("CONFIG_CLIFT=y", ["CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_HZ=1000"]),
    ],
)
def test_kernel_with_another_configuration__is_refused(
    lacking: str, shown: list[str], program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A script has no ELF header: any beginning is allowed here.
    monkeypatch.setattr(linux, "ARCHITECTURE", (b"#!", 2, b"/bin"))
    program("#!/bin/sh\n" + "".join(f"echo {line}\n" for line in shown))
    with pytest.raises(SimulatorError, match=f"its configuration lacks {lacking}; `make linux-kernel`"):
        Kernel.find()


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("#!/nowhere\n", "cannot be started: No such file or directory"),
        ("#!/bin/sh\nulimit -v 1; exec /bin/true\n", "killed by SIG"),
        ("#!/bin/sh\necho options are: many >&2; exit 1\n", "exit status 1: options are: many"),
        ("#!/bin/sh\nsleep 60\n", "stopped after 0.5 s"),
    ],
)
def test_program_that_does_not_show_its_configuration__is_refused_with_the_reason(
    lines: str, reason: str, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "ARCHITECTURE", (b"#!", 2, b"/"))  # as a script has no ELF header
    monkeypatch.setattr(linux, "SHOW_LIMIT_S", 0.5)
    path = program(lines)
    with pytest.raises(SimulatorError) as caught:
        Kernel.find()
    assert str(caught.value).startswith(f"{path}: does not show its configuration: {reason}")


def test_kernel_that_may_not_start__is_not_blamed_for_its_configuration(
    kernel: Path, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "ARCHITECTURE", (b"#!", 2, b"/"))
    program(wrapped(kernel, PERSONALITY))
    with pytest.raises(
        SimulatorError, match=r"exit status 2: .* Ask the administrator to allow .* personality"
    ):
        Kernel.find()


def test_program_that_is_no_kernel__is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_LINUX", "/bin/true")
    with pytest.raises(SimulatorError, match="/bin/true: is not a kernel for stack linux"):
        Kernel.find()


def test_unstamped_kernel__is_known(kernel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "linux"
    copy.write_bytes(kernel.read_bytes())
    copy.chmod(0o755)
    monkeypatch.setenv("CLIFT_LINUX", str(copy))
    assert Kernel.find().stamp == file_sha256(copy)
    shutil.copy(kernel.with_name("stamp"), tmp_path)
    assert Kernel.find().stamp == kernel.with_name("stamp").read_text().split()[0]
    with copy.open("ab") as program:
        program.write(b"another build")
    with pytest.raises(SimulatorError, match="linux: the stamp beside it is of another program; `make"):
        Kernel.find()


def test_missing_settings__are_told(kernel: Path, tmp_path: Path) -> None:
    done = execute(
        kernel,
        "mem=32M",
        "time-travel=inf-cpu",
        "con=null",
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "settings.txt: cannot be read"


@pytest.mark.usefixtures("kernel")
def test_full_folder__is_told(tmp_path: Path) -> None:
    (tmp_path / "packets.npy.partial").symlink_to("/dev/full")
    with pytest.raises(RunError, match=r"packets\.npy: No space left on device"):
        BACKEND.run(set_up(*experiment()), tmp_path, PATIENCE_S)


def test_clock_of_the_machine__is_noticed(
    kernel: Path, program: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same kernel without time travel: its clock runs on while it computes, and packets come late.
    in_real_time = program(
        "#!/bin/sh\n"
        'for word; do shift; case "$word" in time-travel*) ;; *) set -- "$@" "$word" ;; esac; done\n'
        f'exec "{kernel}" "$@"\n'
    )
    monkeypatch.setattr(Kernel, "find", lambda: Kernel(in_real_time, "without time travel"))
    with pytest.raises(RunError, match=r"the clock jumped: a packet arrived \d+ ns after its due time"):
        experiment(rtt_ns=100 * NS_PER_MS, duration_ns=NS_PER_S).run(timeout_s=PATIENCE_S)


@pytest.mark.usefixtures("kernel")
def test_run_that_hangs__ends_at_its_limit() -> None:
    with pytest.raises(RunError, match=r"stopped after 0\.5 s") as caught:
        experiment(**LONG).run(timeout_s=0.5)
    assert caught.value.timed_out
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children_of(os.getpid())]
    assert not any(b"time-travel" in command for command in commands)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.1])
def test_kernel__ends_with_a_parent_that_is_killed(delay_s: float, tmp_path: Path) -> None:
    call = (
        "import sys; from tmt.run.experiment import run; from tmt.spec.experiment import *\n"
        "traffic = Traffic('cubic', 'linux', duration=10**5)\n"
        "run(Experiment(PlainLink(1e8), Path(0.5), traffic), sys.argv[1])"
    )
    with subprocess.Popen([sys.executable, "-c", call, str(tmp_path / "run")]) as parent:
        kernels = until(lambda: children_of(parent.pid), parent)
        time.sleep(delay_s)
        parent.send_signal(signal.SIGKILL)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in kernels))


@pytest.mark.usefixtures("kernel")
def test_machine_with_too_little_memory__is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "memory_mib", lambda _: 20)
    with pytest.raises(RunError, match="panicked, with a memory of"):
        experiment(forward=PlainLink(1e8)).run()


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("packet_bytes", [33_000, 65_535])
def test_memory__is_enough_for_large_segments(packet_bytes: int) -> None:
    # The first window has room for two segments or one, so that the flows fill their buffers with halves.
    short = {"rtt_ns": NS_PER_MS, "duration_ns": 100 * NS_PER_MS}
    experiment(packet_bytes=packet_bytes, window_packets=928, flows=10, **short).run()


@pytest.mark.usefixtures("kernel")
def test_send_buffer__does_not_limit_while_lost_segments_wait(tmp_path: Path) -> None:
    # A kernel's buffer grows with the congestion window. In this course of the drive more than three windows
    # waited for the acknowledgement of a segment that was lost repeatedly.
    link = tmp_path / "drive.npy"
    convert_file(DRIVE, link, SlidingWindow(100, 4))
    experiment(
        tcp="bbr",
        forward=TraceLink(link, lldu_bytes=500, offset_ns=DRIVE_OFFSET_NS),
        rtt_ns=120 * NS_PER_MS,
        duration_ns=120 * NS_PER_S,
        queue_packets=80,
        window_packets=2000,
    ).run()


def children_of(pid: int) -> list[int]:
    """Return the process ids of a process's children."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except FileNotFoundError:
        return []
