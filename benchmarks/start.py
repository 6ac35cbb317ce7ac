"""How long commands take to answer that only show their help, beside an interpreter that does nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

REPEATS = 9

TARGETS = {"": 7.0, "replay": 15.0, "import": 15.0}
"""Upper bounds on CPU time of ``tmt NAME --help`` / CPU time of ``python -c pass``."""

TMT = Path(sys.executable).with_name("tmt")


def measure_start() -> dict[str, float]:
    """Return the ratio of each command."""
    arguments = {name: [str(TMT), *filter(None, [name]), "--help"] for name in TARGETS}
    times: dict[str, list[float]] = {name: [] for name in arguments}
    nothing = []
    for repeat in range(REPEATS + 1):  # the first one warms the caches
        for name, command in arguments.items():
            reference_s, command_s = _cpu_s([sys.executable, "-c", "pass"]), _cpu_s(command)
            if repeat:
                nothing.append(reference_s)
                times[name].append(command_s)
    return {name: median(found) / median(nothing) for name, found in times.items()}


def _cpu_s(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    print(measure_start())
