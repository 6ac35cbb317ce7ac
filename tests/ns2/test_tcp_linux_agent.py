"""ns-2's TCP-Linux agent and its sinks: parameters, memory, samples.

docs/tcp-linux.md names the patch without which each test fails.
"""

import gzip
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from link_traces import sent_once
from processes import execute

from tests.ns2.scripts import output_of
from tests.ns2.stock import STOCK_TCL, run_stock_script
from tmt.core.units import NS_PER_MS
from tmt.io import write_trace

pytestmark = pytest.mark.ns2

HERE = Path(__file__).resolve().parent
SENDER = HERE / "linux_sender.tcl"
LINUX = HERE.parents[1] / "clift-ns2" / "build" / "ns-2.35" / "tcp" / "linux"

THREE_PARAMETERS = """
set ns [new Simulator]
set tcp [new Agent/TCP/Linux]
set values { sysctl_tcp_abc 2 tcp_max_burst 70000 debug_level 3 }
foreach { name value } $values { $tcp set_ca_default_param linux $name $value }
foreach { name value } $values { $tcp get_ca_default_param linux $name }
exit 0
"""

SINKS = """
set ns [new Simulator]
foreach kind { Sack1 Sack1/DelAck } {
  set sink [new Agent/TCPSink/$kind]
  $sink set maxSackBlocks_ 2
}
exit 0
"""


def test_parameters__do_not_overwrite_their_neighbours(simulator: Path, tmp_path: Path) -> None:
    (tmp_path / "set.tcl").write_text(THREE_PARAMETERS)
    printed = output_of(simulator, "set.tcl", tmp_path)
    found = dict(re.findall(r"tcp_linux\.(\w+) = (-?\d+)", printed))
    assert found == {"sysctl_tcp_abc": "2", "tcp_max_burst": "70000", "debug_level": "3"}


@pytest.mark.parametrize("module", ["lp", "compound", "highspeed", "illinois"])
def test_stock_test__gives_the_reference_output_of_ns_2(module: str, simulator: Path, tmp_path: Path) -> None:
    # Made by ns-2's authors, in the tarball. These agree since the parameters no longer overlap.
    name = f"tcpLinuxRED_{module}"
    files, _, _ = run_stock_script(simulator, f"tcpLinux {name}", tmp_path / "run")
    reference = gzip.decompress((STOCK_TCL / "test" / "test-output-tcpLinux" / f"{name}.gz").read_bytes())
    assert files["temp.rands"] == reference


def test_ignored_acknowledgements__are_freed(simulator: Path, tmp_path: Path) -> None:
    # Every other row takes 40 ms longer than its neighbours, so that half of the acknowledgements are old
    # when they arrive: some 12,000 of them, of 4.6 kB with all of ns-2's packet headers.
    rows = 10_000
    delay_ns = np.where(np.arange(rows) % 2 == 0, 40 * NS_PER_MS, 0)
    peaks = []
    for name, delays in (("in order", np.zeros(rows, np.int64)), ("reordered", delay_ns)):
        path = tmp_path / f"{name}.npy"
        write_trace(path, sent_once(NS_PER_MS * np.arange(rows), delays))
        printed = output_of(simulator, SENDER, tmp_path, "reno", 100, 30, "true", path)
        peaks.append(int(printed.split("peak_kib ")[1].split()[0]))
    assert peaks[1] < peaks[0] + 10_000, f"peaks of memory in KiB: {peaks}"


@pytest.mark.parametrize(("timestamps", "samples"), [("true", {*range(100, 110)}), ("false", {-1})])
def test_round_trip__is_sampled(timestamps: str, samples: set[int], simulator: Path, tmp_path: Path) -> None:
    # Milliseconds. -1 is Linux's "no sample": without timestamps there is none for every acknowledgement.
    build = ["gcc", "-shared", "-fPIC", "-w", f"-I{LINUX}", "-I.", HERE / "probe.c", "-o", "probe.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    printed = output_of(simulator, SENDER, tmp_path, "probe", 10, 2, timestamps, "", tmp_path / "probe.so")
    found = {int(sample) for sample in re.findall(r"sample (-?\d+)", printed)}
    assert found <= samples
    assert found


def test_sack_history__is_freed_as_an_array(simulator: Path, tmp_path: Path) -> None:
    # A change of the number of blocks frees the old history.
    (tmp_path / "sinks.tcl").write_text(SINKS)
    build = ["g++", "-shared", "-fPIC", HERE / "array_deletes.cc", "-o", "deletes.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = execute(
        simulator,
        "sinks.tcl",
        cwd=tmp_path,
        check=True,
        env=os.environ | {"LD_PRELOAD": str(tmp_path / "deletes.so")},
    )
    found = re.search(r"arrays freed: (\d+) rightly, (\d+) wrongly", done.stdout)
    assert found, done.stderr
    rightly, wrongly = map(int, found.groups())
    assert rightly >= 2
    assert wrongly == 0


def test_fls__shifts_within_the_range_of_its_type(tmp_path: Path) -> None:
    build = ["gcc", "-w", "-fsanitize=shift", "-fno-sanitize-recover", f"-I{LINUX}", HERE / "highest_bits.c"]
    build += [str(LINUX / "ns-linux-c.c"), "-ffunction-sections", "-Wl,--gc-sections", "-o", "bits"]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = execute(tmp_path / "bits")
    assert done.stderr == ""
    assert [int(word) for word in done.stdout.split()] == list(range(1, 33))


@pytest.mark.parametrize(("agent", "sink"), [("Linux", "Sack1"), ("Modern", "Modern")])
def test_own_trace__has_the_srtt_in_seconds(agent: str, sink: str, simulator: Path, tmp_path: Path) -> None:
    # 100 ms there and back, and the time of some 20 packets, 8 ms each, that wait in the queue.
    output_of(simulator, HERE / "own_trace.tcl", tmp_path, agent, sink)
    lines = [line.split() for line in (tmp_path / "own.tr").read_text().splitlines()]
    samples = [float(words[6]) for words in lines if words[5] == "srtt_s_" and float(words[6]) != 0]
    assert len(samples) > 5
    assert all(0.1 <= srtt_s < 0.5 for srtt_s in samples)
