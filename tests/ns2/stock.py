"""Runs tests of ns-2's own validation, in folders of their own."""

import shutil
import subprocess
from pathlib import Path

from processes import execute

from tests.ns2.scripts import WITHIN_TWO_MINUTES

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


def run_stock_script(
    ns: Path, script: str, folder: Path, preamble: str = ""
) -> tuple[dict[str, bytes], int, str]:
    """Run a test of a stock suite in a folder of its own; return the files that it wrote, status and stdout.

    `preamble` is Tcl that runs before the suite. The program with which suites plot at their end is absent,
    so that their status may not be 0; the traces are complete by then.
    """
    work = lay_out(folder)
    suite, test = script.split()
    (work / "run.tcl").write_text(f"{preamble}source test-suite-{suite}.tcl\n")
    stock = {path.name for path in work.iterdir()}
    done = execute(*WITHIN_TWO_MINUTES, ns, "run.tcl", test, "QUIET", cwd=work, stdin=subprocess.DEVNULL)
    written = {path.name: path.read_bytes() for path in sorted(work.iterdir()) if path.name not in stock}
    return written, done.returncode, done.stdout
