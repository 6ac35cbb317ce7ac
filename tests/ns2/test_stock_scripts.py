"""Stock scripts give the same files, byte for byte, with our simulator and with the distribution's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.ns2

DISTRIBUTION_NS = Path("/usr/bin/ns")
STOCK_TCL = Path(__file__).resolve().parents[2] / "clift-ns2" / "build" / "ns-2.35" / "tcl"

SCRIPTS = (
    "simple tahoe1",
    "tcpVariants onedrop_reno",
    "newreno newreno1",
    "sack sack1a",
    "full close",
    "tcpLinux tcpLinuxDropTail_reno",
    "sctp sctp-AMR-Exceeded",
    "red red1",
    "ecn ecn",
    "cbq PRR",
    "monitor tcp-monitor",
    "hier-routing hier-simple",
    "wireless-lan-newnode dsdv",
)
"""Suite and test of ns-2's own validation: TCP variants, queues with and without management, counters that we
have made doubles, hierarchical routing, wireless."""


@pytest.mark.parametrize("script", SCRIPTS)
def test_stock_script__gives_the_distribution_s_files(simulator: Path, tmp_path: Path, script: str) -> None:
    if not DISTRIBUTION_NS.is_file():
        pytest.skip(f"no {DISTRIBUTION_NS} to compare with: install Debian's package ns2")
    ours = traces_of(simulator, script, tmp_path / "ours")
    theirs = traces_of(DISTRIBUTION_NS, script, tmp_path / "theirs")
    assert max(map(len, theirs.values())) > 1000, "the script has traced next to nothing"
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def traces_of(ns: Path, script: str, folder: Path) -> dict[str, bytes]:
    """Run a test of a stock suite in a folder of its own, and return the files that it wrote.

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
    subprocess.run(
        [ns, f"test-suite-{suite}.tcl", test, "QUIET"],
        cwd=work,
        check=False,
        capture_output=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    return {path.name: path.read_bytes() for path in sorted(work.iterdir()) if path.name not in stock}
