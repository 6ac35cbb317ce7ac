"""The readers that are written in C++, under libFuzzer and sanitizers; they need clang."""

import re
import shutil
import subprocess
from pathlib import Path
from time import monotonic

from tests.fuzz.readers import CONTRACT, CORPUS, ROOT

TARGETS = {
    "cpp-traces": "fuzz_traces",
    "cpp-frames": "fuzz_frames",
    "cpp-emulator-settings": "fuzz_emulator_settings",
}
"""Name of each reader, and its function in clift-ns2/tests/fuzz_targets.h."""

SOURCE = ROOT / "clift-ns2"
OPTIONS = ("-std=c++17", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all")
MOST_BYTES = 4096
PLANS = tuple(bytes.fromhex(text) for text in ("100005000910ff00", "1002052009100ff0", "100e05400918ff00"))
"""Options of a plan, which stand before a trace; see `fuzz_traces`."""


def compiler() -> str | None:
    """Return clang with libFuzzer; None where there is none."""
    return next((found for name in ("clang++", "clang++-19") if (found := shutil.which(name))), None)


def sources() -> list[Path]:
    """Return the files that stand beside the headers which the entry includes, and those include."""
    files = [ROOT / "tests" / "fuzz" / "libfuzzer.cc"]
    for file in files:
        for name in re.findall(r'^#include "(.+)\.h"', file.read_text(encoding="utf-8"), re.MULTILINE):
            both = (SOURCE / f"{name}.h", SOURCE / f"{name}.cc")
            files += [one for one in both if one.exists() and one not in files]
    return [file for file in files if file.suffix == ".cc"]


def fuzz(
    name: str, folder: Path, seconds: float, inputs: int, seed: int, failures: Path, limits: tuple[int, int]
) -> bool:
    """Give inputs to a reader; print their number, and return whether one failed.

    Parameters
    ----------
    folder
        For the program and the inputs of this call.
    limits
        Seconds and MiB of an input.
    """
    program = folder / name
    built_by = compiler()
    command = [built_by, *OPTIONS, f"-I{SOURCE}", f"-DTARGET={TARGETS[name]}", *sources(), "-o", program]
    subprocess.run(command, check=True)
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, content in enumerate(_seeds(name)):
        (corpus / str(number)).write_bytes(content)
    words = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-runs={min(inputs, 2**31 - 1)}",
        f"-seed={seed}",
        f"-timeout={limits[0]}",
        f"-rss_limit_mb={limits[1]}",
        f"-max_len={MOST_BYTES}",
        f"-artifact_prefix={failures}/{name}-",
    ]
    started = monotonic()
    done = subprocess.run([program, *words, corpus], capture_output=True, text=True, check=False)
    counted = re.findall(r"^Done (\d+)|^#(\d+)\s", done.stderr, re.MULTILINE)
    count = max((int(first or second) for first, second in counted), default=0)
    state = "FAILED" if done.returncode else "ok"
    print(f"{name:22} {count:9} inputs  {state}  {monotonic() - started:.0f} s", flush=True)
    if done.returncode:
        print(done.stderr[-4000:], flush=True)
    return done.returncode != 0


def _seeds(name: str) -> list[bytes]:
    seeds = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    if name == "cpp-traces":
        seeds += [plan + path.read_bytes() for path in sorted(CONTRACT.glob("*.npy")) for plan in PLANS]
    return seeds
