"""Random inputs for a reader of Python, in a process of its own with bounded time and memory."""

import gc
import mmap
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NoReturn

from tests.fuzz.inputs import changed
from tests.fuzz.readers import ENDINGS, LONGEST_SEED_BYTES, read, read_in_one_thread, seeds
from tests.fuzz.rows import changed_cells

INPUT_S, INPUT_MIB = 10, 1024
"""CPU time and memory that an input may take."""

TOGETHER = {"campaign": 64, "results": 64, "pack": 64}
"""Cells that readers of rows get at once, each as an input; see `tests.fuzz.rows`."""
TOGETHER_SHARE = {"campaign": 0.2, "results": 0.8, "pack": 0.2}
"""Share of the files with so many cells; the others are one input each."""


@dataclass(frozen=True)
class Shard:
    """Inputs that a reader had in one process.

    Attributes
    ----------
    number
        Seed of the random changes.
    cpu_s
        CPU time of the process.
    """

    reader: str
    number: int
    inputs: int
    cpu_s: float
    failed: bool

    def __str__(self) -> str:
        state = "FAILED" if self.failed else "ok"
        return f"{self.reader:22} {self.inputs:9} inputs  {state}  {self.cpu_s:.0f} s of CPU"


def shard(name: str, number: int, inputs: int, seconds: float, failures: Path) -> Shard:
    """Give a reader random inputs until there are `inputs` of them or `seconds` have passed."""

    def work(path: Path, count: memoryview) -> NoReturn:
        _draw(name, path, count, seconds, inputs, number)

    return in_fork(name, number, work, failures)


def in_fork(name: str, number: int, work: Callable[[Path, memoryview], NoReturn], failures: Path) -> Shard:
    """Let `work` read inputs in a fork; keep and show the input that fails.

    `work` gets the path of the input and a counter. Both outlive its process.
    """
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    # No TemporaryDirectory: the fork would remove it when it ends.
    folder = Path(tempfile.mkdtemp(prefix=f"tmt-fuzz-{name}-", dir=memory))
    path, said = folder / f"input{ENDINGS.get(name, '')}", folder / "said"
    try:
        with mmap.mmap(-1, 8) as shared, memoryview(shared) as plain, plain.cast("Q") as count:
            child = os.fork()
            if child == 0:
                for descriptor in (1, 2):
                    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
                tempfile.tempdir = str(folder)
                try:
                    work(path, count)
                except BaseException:
                    traceback.print_exc()
                    sys.stderr.flush()
                    os._exit(1)
            _, status, used = os.wait4(child, 0)
            done = Shard(name, number, count[0], used.ru_utime + used.ru_stime, status != 0)
        if done.failed:
            kept = failures / f"{name}-{number}-{done.inputs}"
            shutil.copyfile(path, kept)
            print(f"the input is {kept}; the end of what was said:\n{said.read_text()[-4000:]}", flush=True)
        return done
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _draw(name: str, path: Path, count: memoryview, seconds: float, inputs: int, number: int) -> NoReturn:
    known = list(seeds(name)) or [b"\n"]
    for content in known:
        path.write_bytes(content)
        read(name, path)  # imports libraries before memory is bounded
    read_in_one_thread()
    bases = [content for content in known if len(content) <= LONGEST_SEED_BYTES]
    gc.collect()
    gc.freeze()
    bound_memory()
    signal.signal(signal.SIGPROF, _too_long)
    draw = random.Random(f"{name} {number}")
    end = monotonic() + seconds
    file = os.open(path, os.O_WRONLY)
    while count[0] < inputs and monotonic() < end:
        if draw.random() < TOGETHER_SHARE.get(name, 0):
            content, drawn = changed_cells(TOGETHER[name], draw), TOGETHER[name]
        else:
            content, drawn = changed(draw.choice(bases), draw.choice(bases), draw), 1
        os.ftruncate(file, 0)
        os.pwrite(file, content, 0)
        count[0] += drawn
        signal.setitimer(signal.ITIMER_PROF, INPUT_S)
        read(name, path)
        signal.setitimer(signal.ITIMER_PROF, 0)
    os._exit(0)


def bound_memory() -> None:
    """Let this process allocate `INPUT_MIB` more: pyarrow would allocate what a damaged page claims."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (INPUT_MIB << 20),) * 2)


def _too_long(*_: object) -> None:
    raise TimeoutError(f"an input took more than {INPUT_S} s of CPU time")
