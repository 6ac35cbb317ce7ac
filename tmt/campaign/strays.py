"""Simulations whose worker was killed under them: found by the folder that they run in, and ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def kill_strays(folder: Path) -> None:
    """Kill the processes that run inside a folder which nobody but a dead worker's simulations used."""
    inside = f"{folder.resolve()}{os.sep}"
    for process in Path("/proc").glob("[0-9]*"):
        # A process may end while we look at it, or be somebody else's.
        with suppress(OSError):
            if str((process / "cwd").readlink()).startswith(inside):
                os.kill(int(process.name), signal.SIGKILL)
