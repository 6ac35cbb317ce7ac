"""Give random inputs to readers: ``python -m tests.fuzz [READER ...] --seconds S``.

Atheris guides the changes by coverage where it is installed (`make fuzz` installs it). Without it they are
drawn from a seed. An input may take 10 s and 1 GiB. The program prints the number of inputs of each reader,
and for each failure the file that shows it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from time import monotonic

from tests.fuzz.inputs import changed
from tests.fuzz.readers import ENDINGS, READERS, read, seeds

INPUT_S, INPUT_MIB = 10, 1024


def main() -> int:
    """Share the time among the readers; the exit status is 1 when one of them fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--seconds", type=float, default=600.0, help="duration of the whole")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=Path, default=Path("out/fuzz"), help="folder for inputs that fail")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        return _fuzz_one(chosen.one, chosen.seconds, chosen.seed, chosen.failures)
    names = chosen.readers or list(READERS)
    chosen.failures.mkdir(parents=True, exist_ok=True)
    status = 0
    for name in names:
        words = [
            sys.executable,
            "-m",
            "tests.fuzz",
            "--one",
            name,
            "--seconds",
            str(chosen.seconds / len(names)),
        ]
        words += ["--seed", str(chosen.seed), "--failures", str(chosen.failures.resolve())]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        # libFuzzer counts in its last lines; our own loop prints the same words.
        counted = re.findall(r"Done (\d+)|^#(\d+)\s", done.stdout + done.stderr, re.MULTILINE)
        inputs = max((int(first or second) for first, second in counted), default=0)
        print(f"{name:14} {inputs:9} inputs  {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            status = 1
            print(done.stdout[-1000:], done.stderr[-4000:], sep="\n", flush=True)
    return status


def _fuzz_one(name: str, seconds: float, seed: int, failures: Path) -> int:
    folder = Path(
        tempfile.mkdtemp(prefix=f"tmt-fuzz-{name}-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    )
    try:
        if importlib.util.find_spec("atheris") is not None:
            return _guided(name, seconds, seed, failures, folder)
        return _drawn(name, seconds, seed, failures, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _drawn(name: str, seconds: float, seed: int, failures: Path, folder: Path) -> int:
    """Change inputs at random."""
    draw = random.Random(f"{name} {seed}")
    known = list(seeds(name)) or [b"\n"]
    end = monotonic() + seconds
    path = folder / f"input{ENDINGS.get(name, '')}"
    for content in known:
        path.write_bytes(content)
        read(name, path)  # imports libraries before memory is bounded
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (INPUT_MIB << 20),) * 2)
    signal.signal(signal.SIGALRM, _too_long)
    count = 0
    while monotonic() < end:
        content = changed(draw.choice(known), draw.choice(known), draw)
        path.write_bytes(content)
        (failures / f"{name}-last").write_bytes(content)  # what a signal would leave
        signal.alarm(INPUT_S)
        try:
            read(name, path)
        except BaseException:
            traceback.print_exc()
            (failures / f"{name}-{count}").write_bytes(content)
            print(f"Done {count}: {failures / f'{name}-{count}'}")
            return 1
        finally:
            signal.alarm(0)
        count += 1
    (failures / f"{name}-last").unlink(missing_ok=True)
    print(f"Done {count}")
    return 0


def _too_long(*_: object) -> None:
    raise TimeoutError(f"an input took more than {INPUT_S} s")


def _guided(name: str, seconds: float, seed: int, failures: Path, folder: Path) -> int:
    """Let Atheris (libFuzzer) change inputs; it ends the process at the first failure and keeps the input."""
    import atheris

    with atheris.instrument_imports(include=["tmt"]):
        for content in seeds(name):
            (folder / "first").write_bytes(content)
            read(name, folder / "first") if name not in ENDINGS else None
            break
        import tmt.campaign.scenario
        import tmt.io
        import tmt.measured.files
        import tmt.results.reading  # noqa: F401
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, content in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(content)
    path = folder / f"input{ENDINGS.get(name, '')}"

    def one(content: bytes) -> None:
        path.write_bytes(content)
        read(name, path)

    limits = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-timeout={INPUT_S}",
        f"-rss_limit_mb={INPUT_MIB}",
    ]
    words = [
        *limits,
        f"-seed={seed}",
        "-print_final_stats=1",
        f"-artifact_prefix={failures}/{name}-",
        str(corpus),
    ]
    child = os.fork()
    if child == 0:
        atheris.Setup([sys.argv[0], *words], one)
        atheris.Fuzz()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
