"""Commands without a cache for compiled code or hashes of sources: program and home folder are read-only."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import execute

import tmt
from tmt.core.trace import PhyTrace
from tmt.io import read_trace, write_trace

SCENARIO = """
seeds = 1
trace = { file = "phy.npy", lldu_bytes = 1500 }
scheme = { name = "none" }
path = { rtt = 0.1 }
traffic = { tcp = "newreno", duration = 1 }
"""


def run_from_read_only_folder(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command of a copy of the program, beside which and in whose home nothing can be written."""
    program = folder / "program" / "tmt"
    shutil.copytree(Path(tmt.__file__).parent, program, ignore=shutil.ignore_patterns("__pycache__"))
    # Not even root can make a folder where a file is, nor in /proc.
    for source in program.rglob("__init__.py"):
        source.with_name("__pycache__").touch()
    nowhere = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}
    write_trace(folder / "phy.npy", PhyTrace(np.array([0, 1, 2]), np.array([5, 0, 5])))
    script = "import sys; sys.argv[0] = 'tmt'; from tmt.cli.main import main; main()"
    return execute(
        sys.executable,
        "-c",
        script,
        *map(str, words),
        cwd=folder,
        env=os.environ | nowhere | {"PYTHONPATH": str(program.parent)},
    )


def test_convert__compiles_anew_where_nothing_can_be_kept(tmp_path: Path) -> None:
    result = run_from_read_only_folder(tmp_path, "convert", "phy.npy", "link.npy", "--scheme", "none")
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith("warning: compiled code can be kept neither ")
    assert len(result.stderr.splitlines()) == 1
    assert read_trace(tmp_path / "link.npy").delivered.tolist() == [True, False, True]


def test_run__hashes_sources_anew(tmp_path: Path, simulator: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLIFT_NS", str(simulator))
    (tmp_path / "s.toml").write_text(SCENARIO)
    result = run_from_read_only_folder(tmp_path, "run", "s.toml", "--dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    assert "1 run" in result.stdout
