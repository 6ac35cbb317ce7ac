"""Stock scripts give the same files, byte for byte, with our simulator and with the distribution's."""

from pathlib import Path

import pytest

from tests.ns2.mended import mended
from tests.ns2.stock import run_stock_script

pytestmark = pytest.mark.ns2

SCRIPTS = (
    "simple tahoe1",
    "tcpVariants onedrop_reno",
    "tcpVariants twodrops_sack",
    "newreno newreno1",
    "sack sack1a",
    "full close",
    "friendly smooth",
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
    "wireless-lan-aodv aodv",
    "quickstart stats",
    "tagged-trace simple",
    "source-routing source_rtg",
    "mcast DM1",
    "rap fourdrops_rap",
)
"""Suite and test of ns-2's own validation: TCP variants, TFRC, SCTP, queues with and without management,
schedulers, error models, links that change, counters that we have made doubles, routing, wireless with two
routing protocols, Quick-Start (which measures utilisation), tagged traces, multicast.

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
