"""Compiled kernels are kept, and compiled anew when a file that they hold parts of has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tmt

COMPILE = """
import numpy as np
from tmt.kernels.blocks import shortest_and_longest_ns
shortest_and_longest_ns(np.ones(3, np.int64), 0, 3)
print(sum(shortest_and_longest_ns.stats.cache_misses.values()))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_kernel__is_compiled_anew_when_another_kernel_s_file_has_changed(tmp_path: Path) -> None:
    shutil.copytree(Path(tmt.__file__).parent, tmp_path / "tmt", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}

    def compilations() -> int:
        command = [sys.executable, "-c", COMPILE]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        return int(done.stdout)

    assert [compilations(), compilations()] == [1, 0]
    other = tmp_path / "tmt" / "kernels" / "windows.py"
    other.write_text(other.read_text() + "\n")
    assert [compilations(), compilations()] == [1, 0]
