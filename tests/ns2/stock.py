"""Runs tests and suites of ns-2's own validation, in folders of their own, and says which we have mended."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
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


NO_SUITES = {"template1", "template1.win"}
NO_REFERENCES = {
    *("pktExample", "rr", "testReno-baytcp", "wireless-infra-mobility", "wireless-lan", "wireless-lan-aodv"),
    *("wireless-lan-ap", "wireless-lan-ap1", "wireless-lan-gaf", "wireless-lan-newnode", "wireless-lan-tora"),
}
"""Suites that end with "no saved test output": the source has nothing to compare them with."""


class Verdict(StrEnum):
    """Verdict of a suite on a test."""

    AGREES = "agrees with its reference"
    DIFFERS = "differs from its reference"
    SILENT = "says nothing"


SAYINGS = {
    "Test output agrees with reference output": Verdict.AGREES,
    "Test output differs from reference output": Verdict.DIFFERS,
}


def suites() -> list[str]:
    """Return the names of all suites that have references, also of those that "validate" leaves out."""
    scripts = (STOCK_TCL / "test").glob("test-all-*")
    return sorted({path.name.removeprefix("test-all-") for path in scripts} - NO_SUITES - NO_REFERENCES)


def verdicts(ns: Path, suite: str, folder: Path) -> dict[str, Verdict]:
    """Run a suite in `folder` with the program `ns`; return its verdict on each of its tests."""
    work = lay_out(folder)
    references = STOCK_TCL / "test" / f"test-output-{suite}"
    if references.is_dir():
        shutil.copytree(references, work / references.name)
    (folder / "ns").symlink_to(ns)
    # The suites wait a second before each test, for the sake of plots that quiet ones do not make.
    (folder / "awake").mkdir()
    (folder / "awake" / "sleep").symlink_to("/bin/true")
    done = execute(
        "prlimit",
        "--cpu=1200",
        "sh",
        f"test-all-{suite}",
        "quiet",
        cwd=work,
        env=os.environ | {"NS": str(ns), "PATH": f"{folder / 'awake'}:{os.environ['PATH']}"},
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    found: dict[str, Verdict] = {}
    test = ""
    for line in done.stdout.splitlines():
        if started := re.fullmatch(r"Running test (\S+):", line):
            test = started[1]
            found[test] = Verdict.SILENT
        elif line in SAYINGS:
            found[test] = SAYINGS[line]
    return found


@dataclass(frozen=True, slots=True)
class Mended:
    """Stock tests whose output a patch changes, and why.

    Attributes
    ----------
    patch
        Number of the patch.
    suite, tests
        The tests, by ns-2's own names.
    why
        The fault of the distribution's program.
    """

    patch: str
    suite: str
    tests: tuple[str, ...]
    why: str


def _tcp_linux(*variants: str) -> tuple[str, ...]:
    return tuple(f"tcpLinux{queue}_{variant}" for variant in variants for queue in ("DropTail", "RED"))


MENDED: tuple[Mended, ...] = (
    Mended("0001", "misc", ("stats64",), "a queue monitor counts 2,982,684,040 bytes in 32 bits"),
    Mended(
        "0011",
        "tcpLinux",
        _tcp_linux("reno", "vegas", "lp", "compound", "illinois", "highspeed"),
        "parameters of one byte are written as four, over their neighbours",
    ),
    Mended(
        "0016",
        "tcpLinux",
        (
            "tcpLinuxBase",
            *_tcp_linux("htcp", "bic", "cubic", "hybla", "veno", "yeah", "westwood", "scalable"),
        ),
        "the window of a recovery exceeds the packets in flight",
    ),
)


def mended(suite: str) -> set[str]:
    """Return the tests of a suite that may differ."""
    return {test for one in MENDED if one.suite == suite for test in one.tests}
