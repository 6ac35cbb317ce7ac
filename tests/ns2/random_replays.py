"""`make sanitize`: random replays under the address and undefined-behaviour sanitizers.

``python -m tests.ns2.random_replays --runs 10000`` builds the simulator; ``--backend`` names QUIC's program
or the kernel instead. It prints each report of a sanitizer, and each replay that ends badly or has impossible
figures, with its seed. ``--seed`` plays one replay and prints its command. A replay may take 10 s of
processor time.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import secrets
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from analysis.tcp.audit import SANITIZERS, reports
from tests.ns2 import sanitized_programs
from tests.ns2.drawn_replays import Draw, write_traces
from tmt.core.errors import TmtError
from tmt.run import load_backend
from tmt.run.experiment import measure
from tmt.run.linux import memory_mib
from tmt.run.ns2 import Simulator, arguments
from tmt.run.records import read_records
from tmt.run.settings_file import SETTINGS, settings_text
from tmt.run.setup import Setup
from tmt.spec.columns import RUN_RESULTS
from tmt.spec.stacks import BACKENDS

MOST_CPU_S = 10
KERNEL_SANITIZER_MIB = 128
KERNEL_REPORT = re.compile(r"(?:BUG: KASAN|UBSAN|WARNING): (?!panic).*")
ABSENT = "this kernel has no queueing discipline"


class Outcome(NamedTuple):
    """How a replay ended: its findings, and whether its processor time was up before its end."""

    seed: int
    command: str
    findings: list[str]
    is_cut: bool


def play(program: Path, seed: int, traces: dict[str, list[Path]], backend: str = "ns2") -> Outcome:
    """Run the replay of a seed."""
    setup = Draw(seed, BACKENDS[backend]).experiment(traces)
    with TemporaryDirectory(prefix="tmt-replay-") as name:
        argv = [str(program), *_words(setup, Path(name))]
        done = subprocess.run(
            ["prlimit", f"--cpu={MOST_CPU_S}", "--", *argv],
            cwd=name,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=os.environ | SANITIZERS | {"HOME": name},
        )
        is_cut = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        findings = sorted(reports(done.stderr)) or KERNEL_REPORT.findall(done.stdout)
        if not findings and not is_cut:
            findings += _impossible(setup, Path(name), done)
    return Outcome(seed, shlex.join(argv), findings, is_cut)


def _words(setup: Setup, folder: Path) -> list[str]:
    """Return the arguments of the program, and write its settings where it reads a file of them."""
    if setup.experiment.backend == "ns2":
        return [str(Simulator.find().script), *arguments(setup, Path())]
    (folder / SETTINGS).write_text(settings_text(setup, folder))
    if setup.experiment.backend == "quic":
        return []
    memory = memory_mib(setup) + KERNEL_SANITIZER_MIB
    clock = ("time-travel=inf-cpu", "time-travel-start=0")
    return [f"mem={memory}M", *clock, f"seed={setup.experiment.seed}"]


def _impossible(setup: Setup, folder: Path, done: subprocess.CompletedProcess[str]) -> Iterator[str]:
    """Give what is wrong with a replay without reports: its end, its records, a figure that cannot be."""
    yield from (line for line in done.stderr.splitlines() if line.startswith("warning:"))
    if ABSENT in done.stderr:
        return
    if done.returncode != 0:
        yield f"exit status {done.returncode}: {done.stderr.strip() or done.stdout.strip()[-200:]}"
        return
    try:
        recording = read_records(folder, *setup.flows, command="", wall_time_s=0.0)
        row = measure(setup, load_backend(setup.experiment.backend), "", recording).row
    except TmtError as error:
        yield f"{type(error).__name__}: {error}"
        return
    for column in RUN_RESULTS:
        value = row[column.name]
        if isinstance(value, int | float) and not (0 <= value < math.inf):
            yield f"{column.name} is {value}"


def main() -> int:
    """Play many replays, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--backend", choices=("ns2", "linux", "quic"), default="ns2", help="program (default: ns2)"
    )
    parser.add_argument("--runs", type=int, default=10_000, help="number of replays (default: 10000)")
    parser.add_argument("--first", type=int, help="first seed (default: a random one)")
    parser.add_argument("--seed", type=int, help="play this replay only, and print its command")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="replays at a time")
    options = parser.parse_args()
    program = getattr(sanitized_programs, options.backend)()
    with TemporaryDirectory(prefix="tmt-replays-") as name, ThreadPoolExecutor(options.jobs) as pool:
        traces = write_traces(Path(name))
        if options.seed is not None:
            outcome = play(program, options.seed, traces, options.backend)
            print(outcome.command, *outcome.findings, sep="\n")
            return int(bool(outcome.findings))
        first = secrets.randbelow(10**9) if options.first is None else options.first
        seeds = range(first, first + options.runs)
        print(f"seeds {seeds[0]} to {seeds[-1]}", flush=True)
        started_s, found, cut = perf_counter(), Counter[str](), 0
        for outcome in pool.map(lambda seed: play(program, seed, traces, options.backend), seeds):
            cut += outcome.is_cut
            found.update(outcome.findings)
            for finding in outcome.findings:
                if found[finding] == 1:
                    print(f"seed {outcome.seed}: {finding}", flush=True)
        took_s = perf_counter() - started_s
    print(
        f"{options.runs} replays in {took_s:.0f} s, {cut} of them cut at {MOST_CPU_S} s of processor time; "
        f"{len(found)} findings in {sum(found.values())} replays; `--seed SEED` plays one"
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
