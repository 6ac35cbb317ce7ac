"""Cost of one second of one flow for each backend, in CPU time and memory, and the emulator's rate."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.timing import marked
from tmt.core.errors import TmtError
from tmt.run.emulate import Emulation, run as emulate
from tmt.run.experiment import run
from tmt.run.programs.job import FILES, copy_files
from tmt.spec.experiment import Experiment, PlainLink
from tmt.spec.path import Path as LinkPath
from tmt.spec.stacks import Stack
from tmt.spec.traffic import Traffic
from tools.page_tables import markdown_table

RTT_S = 0.5
RATES_BPS = (2e6, 100e6)
SIMULATED_S = 100
REAL_S = 8
REPEATS = 3

FAST_BPS = 1e9
FAST_RTT_S = 0.02
FAST_QUEUE_PACKETS = 4000
CORE_TARGET_BPS = 1e9
LINUX_TARGETS = {2e6: 0.02, 100e6: 1.0}
"""Upper bounds on the kernel's CPU time, by the rate of the link."""
MEMORY_TARGET_MIB = 64

COST = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""
"""Runs a command from an interpreter of little memory: a new process begins with its parent's peak."""

SEND = """
import socket, sys, time
end, block = time.monotonic() + float(sys.argv[1]), bytes(1 << 20)
with socket.create_connection(("10.0.0.2", 5000)) as connection:
    connection.settimeout(0.2)
    while time.monotonic() < end:
        try:
            connection.send(block)
        except TimeoutError:
            pass
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\\1\\0\\0\\0\\0\\0\\0\\0")
"""

SINK = """
import contextlib, socket
with socket.create_server(("", 5000)) as server, contextlib.suppress(ConnectionResetError):
    connection, _ = server.accept()
    while connection.recv(1 << 20):
        pass
"""

BUFFERS = ("net.ipv4.tcp_rmem=4096 131072 268435456", "net.ipv4.tcp_wmem=4096 65536 268435456")
"""Buffers that never bound the window."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds for a second of the flow, and the largest resident memory; or why there is no figure."""

    cpu_s: float = 0.0
    memory_mib: float = 0.0
    missing: str = ""


def backend_table() -> str:
    """One row per rate of the link."""
    rows = []
    for rate_bps in RATES_BPS:
        linux = measure_simulated(rate_bps, "linux")
        missed = linux.cpu_s > LINUX_TARGETS[rate_bps] or linux.memory_mib > MEMORY_TARGET_MIB
        row = [
            f"{rate_bps / 1e6:g} Mbit/s",
            _cost(measure_simulated(rate_bps, "modern")),
            marked(_cost(linux), not missed),
            _cost(measure_emulated(rate_bps)),
        ]
        rows.append(row)
    return markdown_table(["link", "ns-2", "Linux in simulated time", "emulator, real time"], rows)


def _cost(cost: Cost) -> str:
    return cost.missing or f"{1000 * cost.cpu_s:.3g} ms, {cost.memory_mib:.0f} MiB"


def measure_simulated(rate_bps: float, stack: Stack) -> Cost:
    """Run one CUBIC flow for 100 simulated seconds; the second run counts, as its command alone."""
    traffic = Traffic("cubic", stack, duration=SIMULATED_S)
    try:
        cost = measure_run(Experiment(PlainLink(rate_bps), LinkPath(rtt=RTT_S), traffic))[0]
    except TmtError as error:
        return Cost(missing=str(error).splitlines()[0])
    return Cost(cost.cpu_s / SIMULATED_S, cost.memory_mib)


def measure_run(experiment: Experiment, files: tuple[str, ...] = ()) -> tuple[Cost, float]:
    """Return the cost of the command of a run, and the time that it simulates; TmtError where it fails.

    `files` are those that its programs find: a run leaves no copies of them.
    """
    with TemporaryDirectory() as temporary:
        folder = Path(temporary, "run")
        row = run(experiment, folder).row
        if files:
            copy_files(files, folder / FILES)
        found = [
            subprocess.run(
                [sys.executable, "-S", "-E", "-c", COST, *shlex.split(str(row["command"]))],
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
                env=os.environ | {"HOME": str(folder)},
            ).stdout.split()
            for _ in range(REPEATS)
        ]
    cpu_s = median(float(cpu) for cpu, _ in found)
    return Cost(cpu_s, max(int(memory) for _, memory in found) / 2**20), float(str(row["simulated_s"]))


def measure_emulated(rate_bps: float) -> Cost:
    """Send over the emulated link for some seconds of real time."""
    try:
        row = _emulated(rate_bps, LinkPath(rtt=RTT_S))
    except TmtError as error:
        return Cost(missing=str(error).splitlines()[0])
    return Cost(row["emulator_cpu_s"] / row["duration_s"], row["emulator_memory_bytes"] / 2**20)


def emulator_table() -> str:
    """Send as fast as a link of 1 Gbit/s allows; return the figures, or why this machine allows no emulation.

    The rate of one core is that of packets of 1500 bytes over their CPU time.
    """
    try:
        row = _emulated(FAST_BPS, LinkPath(rtt=FAST_RTT_S, queue_packets=FAST_QUEUE_PACKETS))
    except TmtError as error:
        return str(error).splitlines()[0]
    packet_s = row["emulator_cpu_s"] / row["forward_packets_delivered"]
    core_bps = 1500 * 8 / packet_s
    core = marked(f"{core_bps / 1e6:.0f} Mbit/s", core_bps >= CORE_TARGET_BPS)
    lateness = " µs, ".join(f"{1e6 * row[f'forward_lateness_{part}_s']:.0f}" for part in ("p50", "p99"))
    lines = [
        "| | measured |",
        "| --- | --- |",
        f"| delivered | {row['forward_delivered_bps'] / 1e6:.0f} Mbit/s |",
        f"| CPU time per packet | {1e6 * packet_s:.1f} µs |",
        f"| one core carries | {core} |",
        f"| memory | {row['emulator_memory_bytes'] / 2**20:.0f} MiB |",
        f"| lateness, median and 99 % | {lateness} µs |",
    ]
    return "\n".join(lines)


def _emulated(rate_bps: float, path: LinkPath) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        sink = Path(folder, "sink.py")
        sink.write_text(SINK)
        emulation = Emulation(
            command=(sys.executable, "-c", SEND, str(REAL_S)),
            server=f"exec {sys.executable} {sink}",
            forward=PlainLink(rate_bps),
            path=path,
            sysctls=BUFFERS,
        )
        row = emulate(emulation).row
    return {name: float(value) for name, value in row.items() if isinstance(value, int | float)}
