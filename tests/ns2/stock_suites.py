"""ns-2's own validation suites, run as its script "validate" runs them."""

import os
import re
import shutil
import subprocess
from enum import StrEnum
from pathlib import Path

from processes import execute

from tests.ns2.stock import STOCK_TCL, lay_out

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
