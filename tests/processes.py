"""Programs in processes of their own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

TMT = Path(sys.executable).with_name("tmt")


def execute(*command: Any, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program; return its exit status and what it has written to both streams."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **more)
