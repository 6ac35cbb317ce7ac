"""Our ns-2 against the distribution's on the same scripts, and Queue/Clift against DropTail."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.timing import children_cpu_s, marked
from tmt.core.schema import Packing
from tmt.core.trace import LinkTrace
from tmt.io import write_trace
from tmt.run.ns2 import Simulator
from tools.page_tables import markdown_table

SCRIPTS = Path(__file__).with_name("ns2")
DISTRIBUTION_NS = Path("/usr/bin/ns")
REPEATS = 5
SCRIPT_TARGET = 1.5
"""Least processor time of the distribution's ns-2 / ours."""

TITLES = {
    ("dumbbell.tcl", "600"): "ten TCP flows, one bottleneck",
    ("flows.tcl",): "300 New Reno flows, RED",
    ("cbr.tcl",): "small datagrams over two hops",
    ("geo.tcl",): "TCP and bursts over a lossy GEO link",
    ("wireless.tcl",): "20 moving 802.11 nodes, AODV, `trace-all`",
}
"""Scripts of `benchmarks/ns2`, with arguments; none names its packet headers, as few users' scripts do."""

WITHOUT_TARGET = frozenset({("wireless.tcl",)})
"""Scripts that spend their time on lines of `trace-all`, which the distribution writes equally fast."""


@dataclass(frozen=True, slots=True)
class RowLayout:
    """A link trace of 10 Mbit/s: rows of one size, `sized` in a column, and how packets lie in them."""

    title: str
    row_bytes: int
    packing: Packing
    sized: bool = False


LINES = (
    RowLayout("1 row a packet", 1500, "padded"),
    RowLayout("50 rows a packet", 30, "padded"),
    RowLayout("50 rows a packet, packed", 30, "packed"),
    RowLayout("50 rows a packet, rows with sizes", 30, "packed", sized=True),
    RowLayout("10 packets a row", 15_000, "packed"),
    RowLayout("10 packets a row, rows with sizes", 15_000, "packed", sized=True),
)


def script_table(repeats: int = REPEATS) -> str:
    """Return the table of every script, run with both programs in turn; their outputs must be the same.

    A ratio is the median of pairs.
    """
    ns = Simulator.find().program
    rows = []
    for words, title in TITLES.items():
        pairs = []
        for _ in range(repeats):
            theirs_s, theirs = _run(DISTRIBUTION_NS, *words)
            ours_s, ours = _run(ns, *words)
            if ours != theirs:
                raise AssertionError(f"{' '.join(words)}: the two programs do not write the same")
            pairs.append((theirs_s, ours_s))
        ratio = median(a / b for a, b in pairs)
        is_reached = words in WITHOUT_TARGET or ratio >= SCRIPT_TARGET
        ours = f"{median(ours_s for _, ours_s in pairs):.1f} s"
        rows.append([title, marked(f"{ratio:.2f}", is_reached, SCRIPT_TARGET), ours])
    return markdown_table(["script", "theirs / ours", "ours"], rows)


QUEUE_TARGETS = {"droptail": 1.1, "codel": 1.3}
"""Upper bounds on the ratio of each discipline."""

SHORT_S, LONG_S = 20, 120
"""Simulated time of two runs whose costs differ by that of the packets alone."""
TIMED_S, TIMED_PAIRS = 2000, 7
"""Simulated time of a run whose processor time is measured, and the pairs of such runs."""


def queue_measure() -> str:
    """Return what a queue's cost is measured in: instructions where valgrind counts them, which is exact."""
    return "Instructions of a packet" if shutil.which("valgrind") else "Processor time"


def queue_table() -> str:
    """Return the table of a packet's cost in a queue over a trace of 10 Mbit/s / in DropTail at that rate."""
    ns = Simulator.find().program
    cases = [*((line, "droptail") for line in LINES), (LINES[0], "codel")]
    rows = []
    with TemporaryDirectory() as folder:
        for number, (line, discipline) in enumerate(cases):
            trace = Path(folder, f"{number}.npy")
            _write_line(trace, line)
            packed = str(int(line.packing == "packed"))
            clift = ("Clift", str(trace), str(line.row_bytes), packed, discipline)
            if shutil.which("valgrind"):
                ratio = _packet_instructions(ns, *clift) / _packet_instructions(ns, "DropTail")
            else:
                ratio = median(
                    _run(ns, "link.tcl", str(TIMED_S), *clift)[0]
                    / _run(ns, "link.tcl", str(TIMED_S), "DropTail")[0]
                    for _ in range(TIMED_PAIRS)
                )
            target = QUEUE_TARGETS[discipline]
            rows.append([line.title, discipline, marked(f"{ratio:.2f}", ratio <= target, target)])
    return markdown_table(["rows per packet", "discipline", "Clift / DropTail"], rows)


@cache
def _packet_instructions(ns: Path, *words: str) -> int:
    """Return the instructions that the packets of a time cost, without those of the start."""
    return _instructions(ns, str(LONG_S), *words) - _instructions(ns, str(SHORT_S), *words)


def _instructions(ns: Path, *words: str) -> int:
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = subprocess.run(
        [*tool, ns, SCRIPTS / "link.tcl", *words], check=True, capture_output=True, text=True
    ).stderr
    return int(said.rpartition("refs:")[2].replace(",", ""))


def _write_line(path: Path, line: RowLayout, n: int = 100_000) -> None:
    """Write a link trace of 1500 bytes every 1.2 ms."""
    tx_ns = np.arange(n, dtype=np.int64) * (800 * line.row_bytes)
    delivered, transmissions = np.ones(n, np.bool_), np.ones(n, np.uint8)
    sizes = np.full(n, line.row_bytes, np.uint32) if line.sized else None
    write_trace(path, LinkTrace(tx_ns, np.zeros(n, np.int64), delivered, transmissions, size_bytes=sizes))


def _run(ns: Path, script: str, *words: str) -> tuple[float, tuple[str, bytes]]:
    """Return the processor time of a run, its output and its trace file."""
    with TemporaryDirectory() as folder:
        before_s = children_cpu_s()
        done = subprocess.run(
            [ns, SCRIPTS / script, *words],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        cpu_s = children_cpu_s() - before_s
        trace = Path(folder, "out.tr")
        traced = trace.read_bytes() if trace.is_file() else b""
    return cpu_s, (done.stdout, traced)
