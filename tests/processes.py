"""Programs in processes of their own."""

import re
import subprocess
import sys
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
