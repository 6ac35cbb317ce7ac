"""The kernel for programs: unmodified programs in simulated time, which end however they behave."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from processes import execute
from waiting import PATIENCE_S, until

from tests.linux.program_machine import ARGUMENTS, PYTHON, RUN, Machine, client, transfer

HOME = Path(__file__).parents[2] / "clift-linux" / "build" / "programs"


def processes_in(folder: Path) -> list[int]:
    """Return the ids of the processes whose current folder is this one."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("version", ["4", "6"])
def test_download__is_that_of_the_link(version: str, machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    ended = own.run(transfer(own.folder, 300_000, version))
    assert ended["client"].status == 0
    assert ended["server"].reason == "stopped"
    count, duration_ns, _, _, processors = own.output("client").split()
    assert (int(count), int(processors)) == (300_000, 1)
    # 300 kB at 5 Mbit/s take 0.48 s; handshake and slow start take some round trips of 0.1 s more.
    assert 0.48e9 < int(duration_ns) < 1.5e9
    packets = np.load(own.folder / "packets.npy")
    number, protocol, ip, near, _, header, path = (own.folder / "flows.txt").read_text().split()
    assert (number, protocol, ip, near, path) == ("0", "tcp", version, "8000", "0")
    # IP header of 20 or 40 bytes, TCP header of 20, timestamps of 12.
    assert int(header) == (52 if version == "4" else 72)
    is_new = (packets["event"] == 0) & (packets["transmission"] == 1)
    data = packets[is_new & (packets["direction"] == 0) & (packets["size_bytes"] > 100)]
    assert data["size_bytes"].sum() - len(data) * int(header) == 300_000


def test_run__is_the_same_in_another_folder_and_environment(machine: Callable[[str], Machine]) -> None:
    one, other = machine("one"), machine("another folder, with a longer name")
    expected = one.run(transfer(one.folder, 100_000))
    found = other.run(
        transfer(other.folder, 100_000), LANG="de_DE.UTF-8", SOME="thing" * 100, TZ="Asia/Tokyo"
    )
    assert found == expected
    assert other.output("client") == one.output("client")
    assert (other.folder / "packets.npy").read_bytes() == (one.folder / "packets.npy").read_bytes()
    # 2026-01-01, and the seconds until the client ends.
    assert 1_767_225_600 < int(one.output("client").split()[3]) < 1_767_225_620


def test_seed__decides_the_random_numbers(machine: Callable[[str], Machine]) -> None:
    command = client("echo $SEED; head -c 4 /dev/urandom | od -An -tx1")
    outputs = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        machine(name).run(command, seed=seed)
        outputs.append(machine(name).output("client"))
    assert outputs[0] == outputs[1] != outputs[2]


def test_datagrams__are_a_flow_of_their_own(tmp_path: Path, machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    (tmp_path / "files" / "send.py").write_text(
        "import socket, time\n"
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(bytes(100), ('10.0.0.1', 9))\n"
        "time.sleep(1)\n"
    )
    own.run(client(f"{PYTHON} $FILES/send.py", f"{RUN}files {tmp_path / 'files'}\n"))
    packets = np.load(own.folder / "packets.npy")
    # IP and UDP headers have 28 bytes; the closed port answers with ICMP.
    assert packets["size_bytes"][0] == 128
    protocols = [line.split("\t")[1] for line in (own.folder / "flows.txt").read_text().splitlines()]
    assert protocols == ["udp", "icmp"]


def test_writer__changes_nothing_on_the_host(tmp_path: Path, machine: Callable[[str], Machine]) -> None:
    own, root = machine("run"), tmp_path / "files"
    before = {path: path.read_bytes() for path in root.iterdir()}
    attempts = [
        "echo x > $FILES/server.py",
        "rm -f $FILES/client.py",
        "mount -o remount,rw $FILES",
        "mkdir /mnt/h && mount -t hostfs none /mnt/h -o /",
        f"echo x > {HOME}/linux",
        f"touch {Path(__file__).resolve()}",
        "echo x > $OUT/kept",
    ]
    times = [Path(__file__).stat().st_mtime_ns, (HOME / "linux").stat().st_mtime_ns]
    settings = f"{RUN}files {root}\n"
    ended = own.run(client("; ".join(f"({attempt})" for attempt in attempts), settings))
    assert ended["client"].status == 0
    assert {path: path.read_bytes() for path in root.iterdir()} == before
    assert [Path(__file__).stat().st_mtime_ns, (HOME / "linux").stat().st_mtime_ns] == times
    assert (own.folder / "out" / "files" / "kept").read_text() == "x\n"


def test_root_of_ones_own__hides_the_folder_of_the_run(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = tmp_path / "root"
    shell = [Path("/bin/sh"), *map(Path, re.findall(r"/\S+", execute("ldd", "/bin/sh").stdout))]
    for path in shell:
        copy = root / path.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    (root / "other").mkdir()
    (root / "other" / "seen").touch()
    own = machine("root/here")
    own.run(client("echo /here/* /other/*", f"{RUN}root {root}\n"))
    assert own.output("client") == "/here/* /other/seen\n"
    assert (own.folder / "used.txt").read_text().splitlines() == sorted(
        str(root / path.relative_to("/")) for path in shell
    )


def test_root_without_a_shell__is_told(tmp_path: Path, machine: Callable[[str], Machine]) -> None:
    ended = machine("run").run(client("true", f"{RUN}root {tmp_path / 'files'}\n"))
    assert ended["client"].reason == "absent"


@pytest.mark.parametrize(
    ("command", "reason", "status", "number"),
    [
        ("exit 3", "exited", 3, 0),
        ("kill -SEGV $$", "exited", -1, int(signal.SIGSEGV)),
        ("no-such-program", "exited", 127, 0),
        ("cat; echo the end of the input", "exited", 0, 0),
        ("exec >&- 2>&-; sleep 1", "exited", 0, 0),
        ("sleep 1000", "duration", -1, int(signal.SIGTERM)),
        ("head -c 1000000 /dev/zero > $OUT/big || exit 1", "output", 1, 0),
    ],
)
def test_program__ends_with_its_reason(
    command: str, reason: str, status: int, number: int, machine: Callable[[str], Machine]
) -> None:
    ended = machine("run").run(client(command), duration_s=10)["client"]
    assert (ended.reason, ended.status, ended.signal) == (reason, status, number)
    assert ended.end_ns <= 11e9


@pytest.mark.parametrize("command", ["while :; do :; done", "f() { f | f & f; }; f"])
def test_program_that_spins_or_forks_for_ever__is_ended(
    command: str, machine: Callable[[str], Machine]
) -> None:
    own = machine("run")
    ended = own.run(client(command, RUN.replace("60", "1")))
    assert ended["client"].reason in {"processor", "exited", "duration"}
    assert processes_in(own.folder) == []


def test_program_that_fills_memory__is_ended(machine: Callable[[str], Machine]) -> None:
    command = f"exec {PYTHON} -c '[b\"x\" * (1 << 20) for _ in range(4096)]'"
    ended = machine("run").run(client(command))["client"]
    assert (ended.reason, ended.signal) == ("memory", signal.SIGKILL)


def test_output__is_bounded(machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    ended = own.run(client("head -c 1000000 /dev/zero"))["client"]
    assert ended.stdout_bytes == 1_000_000
    mark = b"\n[cut after 100000 bytes]\n"
    assert (own.folder / "out" / "client.stdout").read_bytes() == bytes(100_000) + mark


def test_server_that_is_never_ready__is_told(machine: Callable[[str], Machine]) -> None:
    server = "program server\nend near\ncommand true\n"
    text = client("true", f"{RUN}ready tcp:8000\n{server}")
    ended = machine("run").run(text, duration_s=5)
    assert ended["server"].reason == "exited"
    assert ended["client"].reason == "unready"


def test_what_programs_see__is_not_the_hosts(machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    own.run(client("hostname; cat /proc/cpuinfo; cat /etc/hosts; env; ls /tmp; id -u"))
    printed = own.output("client")
    lines = printed.splitlines()
    assert lines[0] == "client"
    assert lines[-1] == "0"
    assert os.uname().release not in printed
    assert os.uname().nodename not in lines
    model = Path("/proc/cpuinfo").read_text().split("model name\t: ")[1].splitlines()[0]
    assert model not in printed
    assert "10.0.0.1 server" in lines
    assert "TZ=UTC" in lines


def test_busy_loop_on_the_clock__takes_a_microsecond_a_read(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    own = machine("run")
    source = tmp_path / "files" / "loop.py"
    source.write_text(
        "import time\nbegin = time.monotonic_ns()\ncount = 0\n"
        "while time.monotonic_ns() - begin < 10_000_000:\n    count += 1\nprint(count)\n"
    )
    own.run(client(f"{PYTHON} $FILES/loop.py", f"{RUN}files {tmp_path / 'files'}\n"))
    assert 9900 <= int(own.output("client")) <= 10_000


def test_cycle_counter__is_simulated_time(tmp_path: Path, machine: Callable[[str], Machine]) -> None:
    source = tmp_path / "files" / "counter.c"
    source.write_text(
        "#include <stdio.h>\n#include <unistd.h>\n#include <cpuid.h>\n#include <x86intrin.h>\n"
        "int main(void) { unsigned a, b, c = 0, d; unsigned long long t = __rdtsc(); usleep(250000);"
        ' __cpuid(1, a, b, c, d); printf("%llu %u %u\\n", __rdtsc() - t, c >> 30 & 1, b >> 24); }\n'
    )
    subprocess.run(["gcc", "-O1", "-o", str(source.with_suffix("")), str(source)], check=True)
    own = machine("run")
    own.run(client("$FILES/counter", f"{RUN}files {tmp_path / 'files'}\n"))
    ns, has_rdrand, processor = own.output("client").split()
    # Reads of the clock and the sleep's own slack of 50 us are all that is added.
    assert 250_000_000 <= int(ns) < 250_100_000
    if "cpuid_fault" in Path("/proc/cpuinfo").read_text():
        assert (has_rdrand, processor) == ("0", "0")


def test_floating_point_registers__are_each_threads_own(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    source, program = Path(__file__).with_name("registers.c"), tmp_path / "files" / "registers"
    subprocess.run(["gcc", "-O1", "-pthread", "-o", str(program), str(source)], check=True)
    own = machine("run")
    own.run(client("$FILES/registers", f"{RUN}files {tmp_path / 'files'}\n"))
    assert own.output("client") == "0 1\n"


def test_wrong_key__is_told(machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    own.prepare("rot /\n")
    process = own.start()
    printed = process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 2
    assert printed.splitlines()[-1] == "programs.txt: the key rot is unknown before the first program"


def test_machine_that_is_killed__leaves_no_process(machine: Callable[[str], Machine]) -> None:
    own = machine("run")
    own.prepare(client("sleep 5 & while :; do :; done", RUN.replace("60", "600")))
    process = own.start()
    until(lambda: len(processes_in(own.folder)) > 2, process)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + PATIENCE_S
    while processes_in(own.folder):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_host_without_ptrace__says_whom_to_ask(machine: Callable[[str], Machine]) -> None:
    own, forbid = machine("run"), Path(__file__).with_name("forbid_call.py")
    own.prepare(client("true"))
    done = execute(sys.executable, forbid, "101", own.kernel, "mem=64M", *ARGUMENTS, cwd=own.folder)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "the host does not let this program trace its processes: Operation not permitted"
    )


@pytest.mark.parametrize("request_number", ["2", "3", "4"])
def test_machine_that_is_killed_before_it_traces__leaves_no_process(
    request_number: str, machine: Callable[[str], Machine]
) -> None:
    own, script = machine("run"), Path(__file__).with_name("orphan_tracee.py")
    own.prepare(client("true"))
    command = (sys.executable, script, request_number, own.kernel, "mem=64M", *ARGUMENTS)
    assert execute(*command, cwd=own.folder).stdout == "gone\n"
