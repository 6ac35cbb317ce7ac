"""Conversion without a cache for compiled code: program and home folder are read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tmt
from tmt.io import read_link, write_trace
from tmt.trace import PhyTrace


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled then")
def test_convert__compiles_anew_where_nothing_can_be_kept(tmp_path: Path) -> None:
    program = tmp_path / "program" / "tmt"
    shutil.copytree(Path(tmt.__file__).parent, program, ignore=shutil.ignore_patterns("__pycache__"))
    # Not even root can make a folder where a file is, nor in /proc.
    (program / "kernels" / "__pycache__").touch()
    nowhere = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}
    write_trace(tmp_path / "phy.npy", PhyTrace(np.array([0, 1, 2]), np.array([5, 0, 5])))
    script = "import sys; sys.argv[0] = 'tmt'; from tmt.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", script, "convert", "phy.npy", "link.npy", "--scheme", "none"],
        cwd=tmp_path,
        env=os.environ | nowhere | {"PYTHONPATH": str(program.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith("warning: compiled code can be kept neither ")
    assert len(result.stderr.splitlines()) == 1
    assert read_link(tmp_path / "link.npy").delivered.tolist() == [True, False, True]
