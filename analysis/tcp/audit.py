"""`make audit`: TCP-Linux with every congestion control under sanitizers and memcheck.

Builds `clift-ns2/build-audit/ns` with the address and undefined-behaviour sanitizers, sends over links that
lose and reorder, and lists the sanitizers' reports, once for each place in the source. Then valgrind's
memcheck, which also finds uninitialised and leaked memory, checks the simulator itself over the worst
link. Exit status 1 if a place lies in TCP-Linux or in the sinks, or if memcheck reports anything.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from analysis.tcp.tcp_linux import builder
from tmt.core.trace import LinkTrace
from tmt.core.units import NS_PER_MS
from tmt.io import write_trace
from tmt.run.ns2 import Simulator

SCRIPT = Path(__file__).with_name("audit.tcl")
SUPPRESSIONS = Path(__file__).with_name("memcheck.supp")
VARIANTS = (
    *("reno", "naive_reno", "bic", "cubic", "highspeed", "htcp", "hybla", "illinois"),
    *("lp", "scalable", "vegas", "veno", "westwood", "yeah", "compound"),
)
WINDOWS = (2, 50, 1000, 20_000)
SINKS = (("Sack1", "true"), ("Sack1/DelAck", "true"), ("Sack1", "false"))
LINKS = {"clean": (0, 0), "lossy": (0.02, 0), "reordering": (0.005, 40), "broken": (0.3, 200)}
"""Share of rows lost, and greatest delay of a row in milliseconds."""

DURATION_S = 120
OURS = re.compile(r"/tcp/(tcp-linux|scoreboard1|tcp-sink|linux/)|(clift-ns2|\.\.)/(core|ns2)/")
"""TCP-Linux, the sinks, CLIFT's classes. With ccache, paths may be relative to the build folder."""
FINDING = re.compile(r"(\S+?):(\d+)(?::\d+)?: runtime error: (.*)|ERROR: AddressSanitizer: (.*)")
FRAME = re.compile(r"#\d+ .* in .* (\S*(?:ns-2\.35|core|ns2)/\S+?):(\d+)")


def links(folder: Path) -> dict[str, Path]:
    """Write a link trace of each kind: 10,000 rows of 1500 bytes at 2 Mbit/s."""
    rows, spacing_ns = 10_000, 6 * NS_PER_MS
    found = {}
    for seed, (name, (loss, delay_ms)) in enumerate(LINKS.items()):
        chance = np.random.default_rng(seed)
        delays = chance.integers(0, delay_ms * NS_PER_MS + 1, rows)
        trace = LinkTrace(
            spacing_ns * np.arange(rows, dtype=np.int64),
            delays,
            chance.random(rows) >= loss,
            np.ones(rows, np.uint8),
        )
        found[name] = folder / f"{name}.npy"
        write_trace(found[name], trace)
    return found


SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:halt_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
"""Environment of a program with sanitizers."""


def reports(stderr: str) -> set[str]:
    """Return the sanitizers' reports, with the place in the source."""
    found = set()
    lines = stderr.splitlines()
    for number, line in enumerate(lines):
        if match := FINDING.search(line):
            file, row, undefined, memory = match.groups()
            if file is None:
                frames = (FRAME.search(after) for after in lines[number : number + 20])
                file, row = next((frame.groups() for frame in frames if frame), ("?", "0"))
            what = re.sub(r"0x[0-9a-f]+|-?\d{3,}", "N", undefined or memory.split(" on ")[0])
            found.add(f"{file}:{row}: {what}")
    return found


def findings(program: Path, words: list[str]) -> set[str]:
    """Run one case; return the sanitizers' reports, and a bad end."""
    done = subprocess.run(
        [program, SCRIPT, *words], check=False, capture_output=True, text=True, env=os.environ | SANITIZERS
    )
    found = reports(done.stderr)
    if done.returncode != 0 or "acknowledged" not in done.stdout or "do not find" in done.stdout:
        found.add(f"{OURS_ENDED}: exit status {done.returncode}: {' '.join(words[:5])}")
    return found


OURS_ENDED = "/tcp/linux/"
"""Part of a path: a run that fails counts as a finding in these sources."""

MEMCHECK = (
    "valgrind",
    "--quiet",
    "--leak-check=full",
    "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=definite",
    f"--suppressions={SUPPRESSIONS}",
)
MEMCHECK_ERROR = re.compile(r"==\d+== (\S.*)\n==\d+==    at 0x\w+: (.*?) \(.*\n==\d+==    by 0x\w+: (.*?) \(")


def memcheck_findings(program: Path, words: list[str]) -> set[str]:
    """Run one case under memcheck; return its reports, with the two innermost functions."""
    done = subprocess.run([*MEMCHECK, program, SCRIPT, *words], check=False, capture_output=True, text=True)
    errors = (error.groups() for error in MEMCHECK_ERROR.finditer(done.stderr))
    found = {f"{re.sub(r' in loss record .*', '', what)}: {inner} < {outer}" for what, inner, outer in errors}
    if done.returncode != 0 or "acknowledged" not in done.stdout:
        found.add(f"exit status {done.returncode}: {' '.join(words[:5])}")
    return found


def main() -> None:
    """Build, run every case, print each finding with the number of runs that have it."""
    program = builder().build_variant("audit", options=("-DCLIFT_SANITIZE=ON",))
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        traces = links(Path(folder))

        def case(variant: str, window: int, there: str, sink: str, timestamps: str) -> list[str]:
            back = str(traces["reordering"])
            return [variant, str(window), sink, timestamps, str(DURATION_S), str(traces[there]), back]

        cases = [
            case(variant, window, there, sink, timestamps)
            for variant, window, there in itertools.product(VARIANTS, WINDOWS, LINKS)
            for sink, timestamps in SINKS
        ]
        counts = Counter(itertools.chain(*pool.map(lambda words: findings(program, words), cases)))
        ours = [place for place in counts if OURS.search(place)]
        print(f"{len(cases)} runs, {len(counts)} findings, {len(ours)} of them in TCP-Linux or the sinks")
        _print_counts(counts)
        if shutil.which("valgrind") is None:
            print("memcheck: left out, as valgrind is not installed")
            sys.exit(bool(ours))
        simulator = Simulator.find().program
        worst = [case(variant, max(WINDOWS), "broken", *SINKS[0]) for variant in VARIANTS]
        checked = Counter(
            itertools.chain(*pool.map(lambda words: memcheck_findings(simulator, words), worst))
        )
        print(f"memcheck: {len(worst)} runs, {len(checked)} findings")
        _print_counts(checked)
    sys.exit(bool(ours) or bool(checked))


def _print_counts(counts: Counter[str]) -> None:
    for place, runs in counts.most_common():
        print(f"{runs:6} {place}")


if __name__ == "__main__":
    main()
