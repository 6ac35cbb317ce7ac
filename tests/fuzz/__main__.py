"""Give random inputs to readers: ``python -m tests.fuzz [READER ...] --seconds S``.

Atheris guides the changes by coverage where it is installed (`make fuzz` installs it). Without it, or with
``--drawn``, they are drawn from a seed: that is ten times as fast. Readers of C++ run under libFuzzer and
sanitizers, where clang is installed. An input may take 10 s of CPU time and 1 GiB. The program prints how
many inputs each reader had, and for each failure the file that shows it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from time import monotonic
from typing import NoReturn

from tests.fuzz import cpp_readers
from tests.fuzz.inputs import changed
from tests.fuzz.readers import ENDINGS, READERS, import_libraries, read, seeds

INPUT_S, INPUT_MIB = 10, 1024
COUNT = "count"
"""Name of the file in which a reader's process keeps the number of its inputs."""


def main() -> int:
    """Share the time among the readers; the exit status is 1 when one of them fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    known = (*READERS, *cpp_readers.TARGETS)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(known))
    parser.add_argument("--seconds", type=float, default=600.0, help="duration of the whole")
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="most inputs of a reader")
    parser.add_argument("--drawn", action="store_true", help="do not guide by coverage")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=Path, default=Path("out/fuzz"), help="folder for inputs that fail")
    chosen = parser.parse_args()
    names = chosen.readers or list(known)
    if cpp_readers.compiler() is None:
        print("there is no clang, which the readers of C++ need: they are left out")
        names = [name for name in names if name in READERS]
    chosen.failures.mkdir(parents=True, exist_ok=True)
    guided = not chosen.drawn and importlib.util.find_spec("atheris") is not None
    end, failed = monotonic() + chosen.seconds, 0
    for place, name in enumerate(names):
        seconds = max(1.0, (end - monotonic()) / (len(names) - place))
        failures = chosen.failures.resolve()
        if name in READERS:
            failed += _fuzz(name, seconds, chosen.inputs, chosen.seed, failures, guided)
            continue
        with tempfile.TemporaryDirectory(prefix="tmt-fuzz-") as folder:
            limits = INPUT_S, INPUT_MIB
            inputs = chosen.inputs
            failed += cpp_readers.fuzz(name, Path(folder), seconds, inputs, chosen.seed, failures, limits)
    return int(failed > 0)


def _fuzz(name: str, seconds: float, inputs: int, seed: int, failures: Path, guided: bool) -> bool:
    """Give inputs to a reader in a process of its own; print their number, and return whether one failed."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    # No TemporaryDirectory: the fork would remove it when it ends.
    folder = Path(tempfile.mkdtemp(prefix=f"tmt-fuzz-{name}-", dir=memory))
    path = folder / f"input{ENDINGS.get(name, '')}"
    said = folder / "said"
    started = monotonic()
    try:
        child = os.fork()
        if child == 0:
            for number in (1, 2):
                os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
            (_guided if guided else _drawn)(name, path, seconds, inputs, seed)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        counted = folder / COUNT
        count = int(counted.read_text() or 0) if counted.exists() else 0
        print(
            f"{name:22} {count:9} inputs  {'FAILED' if status else 'ok'}  {monotonic() - started:.0f} s",
            flush=True,
        )
        if status:
            kept = failures / f"{name}-{count}"
            shutil.copyfile(path, kept)
            print(f"the input is {kept}; the end of what was said:\n{said.read_text()[-4000:]}", flush=True)
        return status != 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _drawn(name: str, path: Path, seconds: float, inputs: int, seed: int) -> NoReturn:
    """Change inputs at random."""
    draw = random.Random(f"{name} {seed}")
    known = list(seeds(name)) or [b"\n"]
    for content in known:
        path.write_bytes(content)
        read(name, path)  # imports libraries before memory is bounded
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (INPUT_MIB << 20),) * 2)
    signal.signal(signal.SIGPROF, _too_long)
    end = monotonic() + seconds
    count = 0
    with (path.parent / COUNT).open("w") as counted:
        while count < inputs and monotonic() < end:
            content = changed(draw.choice(known), draw.choice(known), draw)
            path.write_bytes(content)
            count += 1
            counted.seek(0)
            counted.write(str(count))
            counted.flush()
            signal.setitimer(signal.ITIMER_PROF, INPUT_S)
            try:
                read(name, path)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            signal.setitimer(signal.ITIMER_PROF, 0)
    os._exit(0)


def _too_long(*_: object) -> None:
    raise TimeoutError(f"an input took more than {INPUT_S} s of CPU time")


def _guided(name: str, path: Path, seconds: float, inputs: int, seed: int) -> NoReturn:
    """Let Atheris (libFuzzer) change inputs; it ends the process at the first failure."""
    import atheris

    with atheris.instrument_imports(include=["tmt"]):
        import_libraries()
    corpus = path.parent / "corpus"
    corpus.mkdir()
    for number, content in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(content)
    counted = (path.parent / COUNT).open("w")
    count = 0

    def one(content: bytes) -> None:
        nonlocal count
        path.write_bytes(content)
        count += 1
        counted.seek(0)
        counted.write(str(count))
        counted.flush()
        read(name, path)

    limits = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-runs={min(inputs, 2**31 - 1)}",
        f"-timeout={INPUT_S}",
        f"-rss_limit_mb={INPUT_MIB}",
    ]
    words = [*limits, f"-seed={seed}", f"-artifact_prefix={path.parent}/", str(corpus)]
    atheris.Setup([sys.argv[0], *words], one)
    atheris.Fuzz()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
