"""ns-2's own scripts and test suites give what the distribution's program gives."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

from tests.ns2.scripts import output_of
from tests.ns2.stock import STOCK_TCL, Verdict, mended, run_stock_script, suites, verdicts

pytestmark = pytest.mark.ns2

ALL = os.environ.get("TMT_NS2_SUITES") == "all"
"""`make test-ns2` runs what takes long and repeats parts of the rest."""

SCRIPTS = (
    *("simple tahoe1", "tcpVariants onedrop_reno", "newreno newreno1"),
    *("sack sack1a", "full close", "friendly smooth", "sctp sctp-AMR-Exceeded", "red red1"),
    *("rem rem1", "ecn ecn", "cbq PRR", "schedule drr", "schedule sfq"),
    *("diffserv tb", "xcp simple-xcp", "links dropPacket", "links delaySpike", "links changeDelay"),
    *("monitor tcp-monitor", "hier-routing hier-simple", "satellite mixed"),
    *("quickstart stats", "tagged-trace simple", "source-routing source_rtg", "mcast DM1"),
    *("rap fourdrops_rap", *(["wireless-lan-aodv aodv", "wireless-lan-newnode dsdv"] if ALL else [])),
)
"""Suite and test of ns-2's own validation: TCP variants, TFRC, SCTP, queues with and without management,
schedulers, error models, links that change, counters that we have made doubles, routing, wireless (in `make
test-ns2`), Quick-Start (which measures utilisation), tagged traces, multicast.

None of TCP-Linux, whose faults the distribution's program has: test_tcp_linux_agent.py has reference outputs.
"""


@pytest.mark.parametrize("script", SCRIPTS)
def test_stock_script__gives_the_distribution_s_files(
    script: str, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours, our_status, _ = run_stock_script(simulator, script, tmp_path / "ours")
    theirs, their_status, _ = run_stock_script(distribution_ns, script, tmp_path / "theirs")
    assert max(map(len, theirs.values())) > 1000, "the script has traced next to nothing"
    assert our_status == their_status
    assert ours.keys() == theirs.keys()
    different = [name for name in ours if ours[name] != theirs[name]]
    suite, test = script.split()
    assert bool(different) == (test in mended(suite)), different


def test_queue_monitor__counts_beyond_31_bits(simulator: Path, distribution_ns: Path, tmp_path: Path) -> None:
    """The one stock test that must differ: the distribution's library binds 64-bit counters as 32-bit ones.

    The bytes are those of 1,462,100 packets of 2040 and a first one of 40: (2,982,684,040 - 40) / 2040.
    """
    _, _, ours = run_stock_script(simulator, "misc stats64", tmp_path / "ours")
    _, _, theirs = run_stock_script(distribution_ns, "misc stats64", tmp_path / "theirs")
    assert ours.count("2982684040") == 6
    assert theirs == ours.replace("2982684040", str(2_982_684_040 - 2**32))


QUICK = ("rng", "simultaneous")
"""Random numbers, event order with every scheduler."""


@pytest.mark.parametrize("suite", suites() if ALL else QUICK)
def test_suite__agrees_with_its_references_where_the_distribution_s_does(
    suite: str, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours = verdicts(simulator, suite, tmp_path / "ours")
    theirs = verdicts(distribution_ns, suite, tmp_path / "theirs")
    shutil.rmtree(tmp_path)
    assert ours, "the suite has run no test"
    assert ours.keys() == theirs.keys()
    assert mended(suite) <= ours.keys()
    changed = {test: ours[test] for test in ours if ours[test] != theirs[test]}
    assert changed.keys() <= mended(suite), changed
    assert set(changed.values()) <= {Verdict.AGREES, Verdict.DIFFERS}


COURSE = Path(__file__).with_name("linux_course.tcl")
AS_SHIPPED = "Agent/TCP/Linux set as_shipped_ true\n"
REFERENCES = STOCK_TCL / "test" / "test-output-tcpLinux"
CONTROLS = (
    *("bic", "compound", "cubic", "highspeed", "htcp", "hybla", "illinois"),
    *("lp", "reno", "scalable", "vegas", "veno", "westwood", "yeah"),
)
TESTS = ["tcpLinuxBase", *(f"tcpLinux{queue}_{name}" for queue in ("DropTail", "RED") for name in CONTROLS)]
QUICK_TESTS = ["tcpLinuxBase", "tcpLinuxRED_reno", *TESTS[1:8]]
"""Without RED and half of the controls."""


def course(ns: Path, folder: Path, case: tuple[object, ...], *, as_shipped: bool) -> bytes:
    folder.mkdir()
    output_of(ns, COURSE, folder, *case, "true" if as_shipped else "false")
    return (folder / "course.tr").read_bytes()


@pytest.mark.parametrize(
    ("patch", "case"),
    [
        ("0014", ("reno", 20, 0.25, 40, 0)),
        ("0015", ("hybla", 600, 0.405, 0.405, 0)),
        ("0016", ("westwood", 600, 0.25, 0.25, 0.005)),
        ("0016", ("cubic", 10_000, 0.25, 0.25, 0)),
        ("0017", ("hybla", 60, 0.25, 0.25, 0)),
        ("0017", ("compound", 60, 0.25, 0.25, 0)),
    ],
)
def test_patch_that_moves_results__has_two_sides(
    patch: str, case: tuple[object, ...], simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    theirs = course(distribution_ns, tmp_path / "theirs", case, as_shipped=False)
    assert len(theirs) > 10_000, "the flow has sent next to nothing"
    assert course(simulator, tmp_path / "as shipped", case, as_shipped=True) == theirs
    assert course(simulator, tmp_path / "mended", case, as_shipped=False) != theirs, patch


@pytest.mark.parametrize("test", TESTS if ALL else QUICK_TESTS)
def test_stock_test__gives_its_reference_output(test: str, simulator: Path, tmp_path: Path) -> None:
    # ns-2's authors made the references. They differ from the mended agent's where `mended` says so. `make
    # test-ns2` has all.
    files, _, _ = run_stock_script(simulator, f"tcpLinux {test}", tmp_path / "run", AS_SHIPPED)
    assert files["temp.rands"] == gzip.decompress((REFERENCES / f"{test}.gz").read_bytes())


def test_tests__are_all_that_have_references() -> None:
    assert sorted(TESTS) == sorted(path.name.removesuffix(".gz") for path in REFERENCES.iterdir())
    assert mended("tcpLinux") <= set(TESTS)
