"""Give random inputs to readers: ``python -m tests.fuzz [READER ...] --seconds S``.

Atheris guides the changes by coverage where it is installed (`make fuzz` installs it). Without it, or with
``--drawn``, they are drawn from a seed: that is ten times as fast. Readers of C++ run under libFuzzer and
sanitizers, where clang is installed. An input may take 10 s of CPU time and 1 GiB. The program prints how
many inputs each reader had, and for each failure the file that shows it.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import NoReturn

from tests.fuzz import cpp_readers
from tests.fuzz.drawn import INPUT_MIB, INPUT_S, Shard, bound_memory, in_fork, shard
from tests.fuzz.readers import READERS, import_libraries, read, seeds


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
    failures = chosen.failures.resolve()
    failures.mkdir(parents=True, exist_ok=True)
    if cpp_readers.compiler() is None:
        print("there is no clang, which the readers of C++ need: they are left out")
        names = [name for name in names if name in READERS]
    guided = not chosen.drawn and importlib.util.find_spec("atheris") is not None
    end, failed = monotonic() + chosen.seconds, 0
    for place, name in enumerate(names):
        seconds = max(1.0, (end - monotonic()) / (len(names) - place))
        if name in READERS:
            limits = (chosen.inputs, seconds)
            done = (_guided if guided else shard)(name, chosen.seed, *limits, failures)
            print(done, flush=True)
            failed += done.failed
            continue
        with tempfile.TemporaryDirectory(prefix="tmt-fuzz-") as folder:
            cpp_limits = INPUT_S, INPUT_MIB
            inputs = chosen.inputs
            failed += cpp_readers.fuzz(name, Path(folder), seconds, inputs, chosen.seed, failures, cpp_limits)
    return int(failed > 0)


def _guided(name: str, seed: int, inputs: int, seconds: float, failures: Path) -> Shard:
    """Let Atheris (libFuzzer) change inputs; it ends the process at the first failure."""

    def work(path: Path, count: memoryview) -> NoReturn:
        _fuzz_with_atheris(name, path, count, seconds, inputs, seed)

    return in_fork(name, seed, work, failures)


def _fuzz_with_atheris(
    name: str, path: Path, count: memoryview, seconds: float, inputs: int, seed: int
) -> NoReturn:
    import atheris

    with atheris.instrument_imports(include=["tmt"]):
        import_libraries()
    corpus = path.parent / "corpus"
    corpus.mkdir()
    for number, content in enumerate(seeds(name)):
        (corpus / str(number)).write_bytes(content)

    def one(content: bytes) -> None:
        path.write_bytes(content)
        count[0] += 1
        read(name, path)

    limits = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-runs={min(inputs, 2**31 - 1)}",
        f"-timeout={INPUT_S}",
        "-rss_limit_mb=0",
    ]
    words = [*limits, f"-seed={seed}", f"-artifact_prefix={path.parent}/", str(corpus)]
    bound_memory()
    atheris.Setup([sys.argv[0], *words], one)
    atheris.Fuzz()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
