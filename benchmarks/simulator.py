"""Our ns-2 against the distribution's on the same scripts, and Queue/Clift against DropTail."""

from __future__ import annotations

import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from tmt.backend.ns2.simulator import Simulator
from tmt.io import write_trace
from tmt.trace import LinkTrace

SCRIPTS = Path(__file__).with_name("ns2")
DISTRIBUTION_NS = Path("/usr/bin/ns")
REPEATS = 5

TITLES = {
    ("dumbbell.tcl", "600"): "ten TCP flows, one bottleneck",
    ("flows.tcl",): "300 New Reno flows, RED",
    ("dumbbell.tcl", "90", "out.tr"): "ten TCP flows, `trace-all`",
    ("cbr.tcl",): "small datagrams over two hops",
    ("geo.tcl",): "TCP and bursts over a lossy GEO link",
    ("wireless.tcl",): "20 moving 802.11 nodes, AODV, traced",
}
"""Scripts of `benchmarks/ns2`, with arguments; none names its packet headers, as few users' scripts do."""


@dataclass(frozen=True, slots=True)
class ScriptSpeed:
    """How much faster a script runs: processor time of the distribution's ns-2 / ours, median of pairs."""

    title: str
    ratio: float
    ours_s: float


@dataclass(frozen=True, slots=True)
class QueueCost:
    """What a trace-driven queue costs: processor time of a run with Queue/Clift / with DropTail."""

    rows_per_packet: int
    ratio: float


def measure_scripts(repeats: int = REPEATS) -> list[ScriptSpeed]:
    """Run every script with both programs in turn; their outputs must be the same."""
    ns = Simulator.find().program
    measured = []
    for words, title in TITLES.items():
        pairs = []
        for _ in range(repeats):
            theirs_s, theirs = _run(DISTRIBUTION_NS, *words)
            ours_s, ours = _run(ns, *words)
            if ours != theirs:
                raise AssertionError(f"{' '.join(words)}: the two programs do not write the same")
            pairs.append((theirs_s, ours_s))
        measured.append(
            ScriptSpeed(title, median(a / b for a, b in pairs), median(ours_s for _, ours_s in pairs))
        )
    return measured


def measure_queue(repeats: int = REPEATS) -> list[QueueCost]:
    """Send the same datagrams through DropTail at 10 Mbit/s and through a trace of 10 Mbit/s, in turn."""
    ns = Simulator.find().program
    measured = []
    with TemporaryDirectory() as folder:
        for rows_per_packet in (1, 50):
            trace = Path(folder, f"{rows_per_packet}.npy")
            _write_line(trace, rows_per_packet)
            ratios = []
            for _ in range(repeats):
                plain_s, _ = _run(ns, "link.tcl", "DropTail")
                clift_s, _ = _run(ns, "link.tcl", "Clift", str(trace), str(1500 // rows_per_packet))
                ratios.append(clift_s / plain_s)
            measured.append(QueueCost(rows_per_packet, median(ratios)))
    return measured


def _write_line(path: Path, rows_per_packet: int, n: int = 100_000) -> None:
    """Write a link trace that sends a packet of 1500 bytes every 1.2 ms, in so many rows."""
    tx_ns = np.arange(n, dtype=np.int64) * (1_200_000 // rows_per_packet)
    delivered, transmissions = np.ones(n, np.uint8), np.ones(n, np.uint8)
    write_trace(path, LinkTrace(tx_ns, np.zeros(n, np.int64), delivered, transmissions))


def _run(ns: Path, script: str, *words: str) -> tuple[float, tuple[str, bytes]]:
    """Return the processor time of a run, and what it has printed and traced."""
    with TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [ns, SCRIPTS / script, *words],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        trace = Path(folder, "out.tr")
        traced = trace.read_bytes() if trace.is_file() else b""
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, (done.stdout, traced)


if __name__ == "__main__":
    for one in (*measure_scripts(), *measure_queue()):
        print(one)
