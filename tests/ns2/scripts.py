"""Runs of the simulator's scripts."""

import subprocess
from pathlib import Path

from processes import execute

WITHIN_TWO_MINUTES = ("prlimit", "--cpu=120")
"""Ends a program that hangs, by its own processor time, which does not depend on the machine's load."""


def run_script(
    ns: Path, script: Path | str, folder: Path, *words: object, **settings: object
) -> subprocess.CompletedProcess[str]:
    """Run a script in `folder` with words, then names and values of settings."""
    command = [*WITHIN_TWO_MINUTES, ns, script, *words, *(word for item in settings.items() for word in item)]
    return execute(*[str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL)


def output_of(ns: Path, script: Path | str, folder: Path, *words: object, **settings: object) -> str:
    """Run a script, which must succeed; return its output."""
    done = run_script(ns, script, folder, *words, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout
