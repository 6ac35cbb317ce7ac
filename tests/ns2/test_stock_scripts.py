"""Stock scripts give the same files, byte for byte, with our simulator and with the distribution's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.ns2

STOCK_TCL = Path(__file__).resolve().parents[2] / "clift-ns2" / "build" / "ns-2.35" / "tcl"

SCRIPTS = (
    "simple tahoe1",
    "tcpVariants onedrop_reno",
    "tcpVariants twodrops_sack",
    "newreno newreno1",
    "sack sack1a",
    "full close",
    "friendly smooth",
    "tcpLinux tcpLinuxRED_reno",
    "sctp sctp-AMR-Exceeded",
    "red red1",
    "red flows_combined",
    "rem rem1",
    "ecn ecn",
    "cbq PRR",
    "schedule drr",
    "schedule sfq",
    "diffserv tb",
    "xcp simple-xcp",
    "links dropPacket",
    "links delaySpike",
    "links changeDelay",
    "monitor tcp-monitor",
    "hier-routing hier-simple",
    "satellite mixed",
    "wireless-lan-newnode dsdv",
)
"""Suite and test of ns-2's own validation: TCP variants, TFRC, SCTP, queues with and without management,
schedulers, error models, links that change, counters that we have made doubles, routing, wireless.

Of TCP-Linux only the module without private state: the distribution's program starts the others from memory
that nobody has set.
"""


@pytest.fixture(scope="module")
def distribution_ns() -> Path:
    """The distribution's ns-2, which knows none of our patches."""
    path = Path("/usr/bin/ns")
    if not path.is_file():
        pytest.fail(f"no {path} to compare with: install Debian's package ns2")
    return path


@pytest.mark.parametrize("script", SCRIPTS)
def test_stock_script__gives_the_distribution_s_files(
    script: str, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours, our_status, _ = run(simulator, script, tmp_path / "ours")
    theirs, their_status, _ = run(distribution_ns, script, tmp_path / "theirs")
    assert max(map(len, theirs.values())) > 1000, "the script has traced next to nothing"
    assert our_status == their_status
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_queue_monitor__counts_beyond_31_bits(simulator: Path, distribution_ns: Path, tmp_path: Path) -> None:
    """The one stock test that must differ: the distribution's library binds 64-bit counters as 32-bit ones.

    The bytes are those of 1,462,100 packets of 2040 and a first one of 40: (2,982,684,040 - 40) / 2040.
    """
    _, _, ours = run(simulator, "misc stats64", tmp_path / "ours")
    _, _, theirs = run(distribution_ns, "misc stats64", tmp_path / "theirs")
    assert ours.count("2982684040") == 6
    assert theirs == ours.replace("2982684040", str(2_982_684_040 - 2**32))


def run(ns: Path, script: str, folder: Path) -> tuple[dict[str, bytes], int, str]:
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
