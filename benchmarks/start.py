"""How long commands take to answer that only show their help, beside an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.files import AS_USERS
from benchmarks.timing import children_cpu_s, marked
from tools.page_tables import markdown_table

REPEATS = 9

TARGETS = {"": 7.0, "replay": 15.0, "import": 15.0}
"""Upper bounds on CPU time of ``tmt NAME --help`` / CPU time of ``python -c pass``."""

TMT = Path(sys.executable).with_name("tmt")


def start_table() -> str:
    """Return the table of the ratio of each command."""
    arguments = {name: [str(TMT), *filter(None, [name]), "--help"] for name in TARGETS}
    times: dict[str, list[float]] = {name: [] for name in arguments}
    nothing = []
    for repeat in range(REPEATS + 1):  # the first one warms the caches
        for name, command in arguments.items():
            reference_s, command_s = _cpu_s([sys.executable, "-c", "pass"]), _cpu_s(command)
            if repeat:
                nothing.append(reference_s)
                times[name].append(command_s)
    rows = []
    for name, found in times.items():
        ratio, target = median(found) / median(nothing), TARGETS[name]
        rows.append(
            [f"`tmt {name}".rstrip() + " --help`", marked(f"{ratio:.1f}", ratio <= target), f"{target:g}"]
        )
    return markdown_table(["command", "CPU time / `python -c pass`", "target"], rows)


def _cpu_s(command: list[str]) -> float:
    before_s = children_cpu_s()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=AS_USERS)
    return children_cpu_s() - before_s
