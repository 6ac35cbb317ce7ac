"""Runs one test of ns-2's own validation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

STOCK_TCL = Path(__file__).resolve().parents[2] / "clift-ns2" / "build" / "ns-2.35" / "tcl"


def run_stock_script(ns: Path, script: str, folder: Path) -> tuple[dict[str, bytes], int, str]:
    """Run a test of a stock suite in a folder of its own; return the files that it wrote, status and stdout.

    Suites look for their helpers in `..`. What they call at their end to plot is not there, so that they may
    end with another status than 0; the traces are complete by then.
    """
    shutil.copytree(STOCK_TCL / "lib", folder / "lib")
    for name in ("mobility", "ex", "rpi", "mcast"):
        (folder / name).symlink_to(STOCK_TCL / name)
    work = folder / "test"
    work.mkdir()
    for helper in (STOCK_TCL / "test").iterdir():
        if helper.suffix == ".tcl" or helper.name.startswith("topologies"):
            (work / helper.name).symlink_to(helper)
    stock = {path.name for path in work.iterdir()}
    suite, test = script.split()
    done = subprocess.run(
        [ns, f"test-suite-{suite}.tcl", test, "QUIET"],
        cwd=work,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    written = {path.name: path.read_bytes() for path in sorted(work.iterdir()) if path.name not in stock}
    return written, done.returncode, done.stdout
