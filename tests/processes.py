"""Programs in processes of their own."""

import os
import pty
import re
import shutil
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

TMT = Path(sys.executable).with_name("tmt")

PROGRESS_LINE = re.compile(r"^.*: (?:\d+ of \d+ link traces, )?\d+ of \d+ runs.*\n", re.MULTILINE)
"""A line on runs under way, which `tmt` prints where they take long."""


def execute(*command: Any, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program; return its exit status and what it has written to both streams.

    Lines on progress are left out: their number follows from the speed of the machine.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=check, **more)
    done.stderr = PROGRESS_LINE.sub("", done.stderr)
    return done


def copied_programs(folder: Path) -> Path:
    """Copy all that decides a run of ns-2 into a folder; return the package there."""
    house = Path(__file__).resolve().parents[1]
    shutil.copytree(
        house / "tmt", folder / "tmt", ignore=shutil.ignore_patterns("*.nb[ic]*", "identity-*", "*.pyc.*")
    )
    shutil.copytree(house / "clift-ns2" / "tcl", folder / "clift-ns2" / "tcl")
    return folder / "tmt"


def on_terminal(*words: object, folder: Path, size: tuple[int, int] = (24, 80), **environment: str) -> str:
    """Return what `tmt` draws on a terminal of `size` lines and columns; its exit status must be 0."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, size)
    command = [str(TMT), *map(str, words)]
    with subprocess.Popen(
        command, cwd=folder, stdout=theirs, stderr=theirs, env=os.environ | environment
    ) as running:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal ends with its last program
            while part := os.read(ours, 1 << 16):
                shown += part
    os.close(ours)
    assert running.returncode == 0
    return shown.decode()
