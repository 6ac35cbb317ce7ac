"""Runs tests of ns-2's own validation, in folders of their own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

STOCK = Path(__file__).resolve().parents[2] / "clift-ns2" / "build" / "ns-2.35"
STOCK_TCL = STOCK / "tcl"


def lay_out(folder: Path) -> Path:
    """Lay ns-2's `tcl` and `bin` out under `folder`, with links to what tests only read; return their folder.

    Suites look for their helpers in `..` and write into the library's folder, so that it is a copy.
    """
    tcl = folder / "tcl"
    shutil.copytree(STOCK_TCL / "lib", tcl / "lib")
    for path in STOCK_TCL.iterdir():
        if path.name not in ("lib", "test"):
            (tcl / path.name).symlink_to(path)
    (folder / "bin").symlink_to(STOCK / "bin")
    work = tcl / "test"
    work.mkdir()
    for path in (STOCK_TCL / "test").iterdir():
        if not path.name.startswith("test-output-"):
            (work / path.name).symlink_to(path)
    return work


def run_stock_script(ns: Path, script: str, folder: Path) -> tuple[dict[str, bytes], int, str]:
    """Run a test of a stock suite in a folder of its own; return the files that it wrote, status and stdout.

    What suites call at their end to plot is not there, so that they may end with another status than 0; the
    traces are complete by then.
    """
    work = lay_out(folder)
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
