"""Measured links, from the published file to packets in ns-2, against the lines of the file."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.measured.imports import import_trace
from tests.ns2.scripts import output_of
from tmt import NoScheme
from tmt.core.units import NS_PER_MS, NS_PER_S
from tmt.io import read_link
from tmt.io.conversion import convert_file

pytestmark = pytest.mark.ns2

TRACES = ("Verizon-LTE-short.down", "ATT-LTE-driving-2016.up")
DECODE_NS = 3 * NS_PER_MS
PROPAGATION_NS = 20 * NS_PER_MS
DURATION_S = 150
"""Longer than both traces."""
FLOW_BPS = 900_000_000
"""1500 bytes every 13.3 us: both traces have at most 29 opportunities in one millisecond."""

TOO_MANY = 100
"""Packets for which the trace has no opportunity."""

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
    output_of(simulator, "saturate.tcl", folder, packets)
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
    assert len(lines_ms) > 10_000

    phy, link = tmp_path / "phy.parquet", tmp_path / "link.npy"
    import_trace("mahimahi", str(source), str(phy), decode_time=DECODE_NS / 1e9)
    convert_file(phy, link, NoScheme())
    times = replay(simulator, tmp_path, len(lines_ms) + TOO_MANY)

    # As many packets as lines, in the milliseconds of the lines, though the link is said to have 9600 bit/s.
    assert Counter(time // NS_PER_MS for time in times["-"]) == Counter(lines_ms)
    # Each leaves at its row and arrives when that is decoded; ns-2's trace files round to microseconds.
    leave_ns = read_link(link).tx_time_ns
    np.testing.assert_allclose(times["-"], leave_ns, rtol=0, atol=501)
    np.testing.assert_allclose(times["r"], leave_ns + DECODE_NS + PROPAGATION_NS, rtol=0, atol=501)
    # The flow was ahead of the trace all the time, and nothing was lost.
    assert len(times["+"]) == len(lines_ms) + TOO_MANY
    assert all(arrived <= left for arrived, left in zip(times["+"], times["-"], strict=False))
    assert (times["d"], times["l"], times["u"]) == ([], [], [])
