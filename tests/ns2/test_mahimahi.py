"""Measured links from their published files to packets in ns-2: import, conversion, replay, against the files' lines."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tmt.convert import convert_file
from tmt.io import read_link
from tmt.io.importers import import_trace
from tmt.schemes import NoScheme
from tmt.units import NS_PER_MS, NS_PER_S

pytestmark = pytest.mark.ns2

TRACES = ("Verizon-LTE-short.down", "ATT-LTE-driving-2016.up")
DECODE_NS = 3 * NS_PER_MS
PROPAGATION_NS = 20 * NS_PER_MS
DURATION_S = 60
FLOW_BPS = 900_000_000
"""1500 bytes every 13.3 us: both traces have at most 29 opportunities in one millisecond."""

SCRIPT = f"""
set ns [new Simulator]
set file [open packets.tr w]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 9600 {PROPAGATION_NS / NS_PER_S} Clift
$ns queue-limit $from $to 10000000
$ns trace-queue $from $to $file
set queue [[$ns link $from $to] queue]
$queue set lldu_bytes_ 1500
$queue load link.npy
set udp [new Agent/UDP]
$udp set packetSize_ 1500
set null [new Agent/Null]
$ns attach-agent $from $udp
$ns attach-agent $to $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1500
$cbr set rate_ {FLOW_BPS}
$cbr set maxpkts_ [lindex $argv 0]
$cbr attach-agent $udp
$ns at 0 "$cbr start"
proc finish {{}} {{ global file; close $file; exit 0 }}
$ns at {DURATION_S} finish
$ns run
"""

Times = dict[str, list[int]]
"""Times in nanoseconds of the lines of a trace file, in order of packets, by the event's letter."""


def replay(simulator: Path, folder: Path, packets: int) -> Times:
    (folder / "saturate.tcl").write_text(SCRIPT)
    subprocess.run(
        [simulator, "saturate.tcl", str(packets)], cwd=folder, check=True, capture_output=True, timeout=120
    )
    times: Times = {event: [] for event in "+-rdlu"}
    uids: dict[str, list[int]] = {event: [] for event in times}
    for line in (folder / "packets.tr").read_text().splitlines():
        words = line.split()
        times[words[0]].append(round(float(words[1]) * NS_PER_S))
        uids[words[0]].append(int(words[-1]))
    assert all(numbers == list(range(len(numbers))) for numbers in uids.values())
    return times


@pytest.mark.parametrize("name", TRACES)
def test_saturated_link__serves_each_packet_at_its_opportunity(
    name: str, measured_data: Path, simulator: Path, tmp_path: Path
) -> None:
    source = measured_data / "mahimahi_cellular" / name
    lines_ms = [int(line) for line in source.read_text().split()]
    before_end = [ms for ms in lines_ms if ms < DURATION_S * 1000]
    assert len(before_end) > 5000

    phy, link = tmp_path / "phy.parquet", tmp_path / "link.npy"
    import_trace("mahimahi", str(source), str(phy), DECODE_NS)
    convert_file(phy, link, NoScheme())
    times = replay(simulator, tmp_path, len(lines_ms))

    # As many packets as lines of the file, in the file's milliseconds, though the link is said to have 9600 bit/s.
    assert Counter(time // NS_PER_MS for time in times["-"]) == Counter(before_end)
    # To the nanosecond of the rows, as far as ns-2's trace files show it: they round to microseconds.
    rows = read_link(link)
    leave_ns = rows.tx_time_ns[: len(before_end)]
    np.testing.assert_allclose(times["-"], leave_ns, rtol=0, atol=501)
    arrive_ns = leave_ns + DECODE_NS + PROPAGATION_NS
    arrive_ns = arrive_ns[arrive_ns < DURATION_S * NS_PER_S]
    np.testing.assert_allclose(times["r"], arrive_ns, rtol=0, atol=501)
    # The flow was ahead of the trace all the time; nothing was lost anywhere.
    assert all(arrived <= left for arrived, left in zip(times["+"], times["-"], strict=False))
    assert (times["d"], times["l"], times["u"]) == ([], [], [])
