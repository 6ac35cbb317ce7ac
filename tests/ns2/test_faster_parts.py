"""Patches 0030 to 0036 make parts faster; results equal the distribution's, also at the edges."""

import subprocess
from pathlib import Path

import pytest

from tests.ns2.scripts import WITHIN_TWO_MINUTES

pytestmark = pytest.mark.ns2

EVENTS = """
# Plans and cancels events at random, many for the same moments, and prints the order in which they happen.
expr { srand($argv) }
set ns [new Simulator]
proc moment {} {
	global ns
	set scale [lindex { 1e-9 1e-6 1e-3 1 1 1 1e3 1e6 1e12 } [expr { int(9 * rand()) }]]
	expr { [$ns now] + $scale * int(20 * rand()) }
}
proc plan {} {
	global ns planned left
	if { [incr left -1] < 0 } return
	set time [moment]
	set planned($left) [$ns at $time "happen $left"]
}
proc happen number {
	global ns planned
	puts "$number [$ns now]"
	unset planned($number)
	plan
	plan
	if { rand() < 0.5 } {
		foreach other [lrange [lsort -integer [array names planned]] 0 1] {
			$ns cancel $planned($other)
			unset planned($other)
			plan
		}
	}
}
set left 4000
for { set i 0 } { $i < 500 } { incr i } plan
$ns run
"""

FAR_HEADERS = """
# Headers of a user's own push the others beyond the part of a packet that has marks to itself.
Class PacketHeader/Own -superclass PacketHeader
PacketHeader/Own set hdrlen_ 9000
PacketHeader/Own proc offset args {}
PacketHeaderManager set tab_(PacketHeader/Own) 1
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
for { set i 0 } { $i < 3 } { incr i } { set node($i) [$ns node] }
$ns duplex-link $node(0) $node(1) 2Mb 10ms RED
$ns duplex-link $node(1) $node(2) 1Mb 10ms DropTail
$ns queue-limit $node(1) $node(2) 8
set tcp [$ns create-connection TCP/Sack1 $node(0) TCPSink/Sack1 $node(2) 1]
$tcp set window_ 30
$tcp set ecn_ 1
$ns at 0 "[$tcp attach-app FTP] start"
set rap [$ns create-connection RAP $node(0) RAP $node(2) 2]
$ns at 0.1 "$rap start"
$ns at 5 "$ns flush-trace; exit 0"
$ns run
"""

CLASSIFIERS = """
set ns [new Simulator]
set targets [list [new Agent/Null] [new Agent/Null] [new Agent/Null]]
foreach type { Dest Fid SrcDest SrcDestFid } {
	set classifier [new Classifier/Hash/$type 32]
	foreach target $targets { puts "slot [$classifier installNext $target]" }
	set slot 0
	foreach key { 0 1 7 4095 65535 65536 70000 2147483647 -1 -2 } {
		puts "set [catch { $classifier set-hash auto $key $key $key [expr { [incr slot] % 3 }] }]"
	}
	puts "overwrite [catch { $classifier set-hash auto 7 7 7 0 }]"
	foreach key { 1 65536 12345 } { puts "delete [catch { $classifier del-hash $key $key $key } slot] $slot" }
	foreach key { 0 1 2 7 4095 65534 65535 65536 70000 131072 2147483647 -1 -2 -3 } {
		set found [$classifier lookup auto $key $key $key]
		puts "$type $key [lsearch $targets $found]"
	}
	$classifier reset
	puts "after reset [lsearch $targets [$classifier lookup auto 7 7 7]]"
}
"""

HIERARCHY = """
set ns [new Simulator]
$ns set-address-format hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ { 2 1 }
AddrParams set nodes_num_ { 2 1 2 }
set trace [open out.tr w]
$ns trace-all $trace
foreach address { 0.0.0 0.0.1 0.1.0 1.0.0 1.0.1 } { lappend nodes [$ns node $address] }
foreach a [lrange $nodes 0 end-1] b [lrange $nodes 1 end] { $ns duplex-link $a $b 1Mb 10ms DropTail }
set tcp [$ns create-connection TCP [lindex $nodes 0] TCPSink [lindex $nodes 4] 1]
$ns at 0.5 "[$tcp attach-app FTP] start"
$ns at 3 "$ns flush-trace; exit 0"
$ns run
"""

DEFAULTS = """
# Defaults of bound variables: own class, classes above, changed later, nowhere, two parents.
set ns [new Simulator]
Class Agent/TCP/Mine -superclass Agent/TCP/Newreno
Class Mixin
Class Agent/TCP/Mixed -superclass { Mixin Agent/TCP/Sack1 }
Mixin set packetSize_ 333
proc show tcp {
	foreach name { window_ packetSize_ tcpTick_ overhead_ ecn_ fid_ rtxcur_init_ } {
		puts -nonewline "$name [$tcp set $name] "
	}
	puts [lsort [$tcp info vars]]
}
foreach type { Newreno Mine Mixed } {
	show [new Agent/TCP/$type]
	Agent/TCP/$type set window_ 77
	Agent/TCP set overhead_ 2ms
	show [new Agent/TCP/$type]
}
foreach type { DelayLink Queue/RED ErrorModel Application/Traffic/CBR } {
	set object [new $type]
	foreach name [lsort [$type info vars]] { catch { puts "$type $name [$object set $name]" } }
}
Agent/UDP unset packetSize_
puts [[new Agent/UDP] set packetSize_]
"""

RANDOM = """
set rng [new RNG]
foreach seed { 1 12345 2147483646 } {
	$rng seed $seed
	for { set i 0 } { $i < 2000 } { incr i } {
		puts "[$rng next-random] [$rng uniform -3 1e6] [$rng exponential] [$rng normal 5 2]"
	}
	$rng next-substream
	puts [$rng next-random]
}
"""


def outputs(ns: Path, script: str, argument: str, folder: Path) -> dict[str, bytes]:
    """Run a script; return its files, its output and its exit status."""
    folder.mkdir()
    (folder / "script.tcl").write_text(script)
    done = subprocess.run(
        [*WITHIN_TWO_MINUTES, ns, "script.tcl", argument],
        cwd=folder,
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return files | {"stdout": done.stdout, "stderr": done.stderr, "status": str(done.returncode).encode()}


@pytest.mark.parametrize(
    ("script", "argument", "least_bytes"),
    [
        pytest.param(EVENTS, "1", 20_000, id="event order, 1"),
        pytest.param(EVENTS, "2", 20_000, id="event order, 2"),
        pytest.param(EVENTS, "3", 20_000, id="event order, 3"),
        pytest.param(FAR_HEADERS, "", 50_000, id="headers beyond the marks"),
        pytest.param(CLASSIFIERS, "", 500, id="classifiers"),
        pytest.param(HIERARCHY, "", 10_000, id="hierarchical addresses"),
        pytest.param(DEFAULTS, "", 2_000, id="defaults of bound variables"),
        pytest.param(RANDOM, "", 100_000, id="random numbers"),
    ],
)
def test_part__does_what_the_distribution_s_does(
    script: str, argument: str, least_bytes: int, simulator: Path, distribution_ns: Path, tmp_path: Path
) -> None:
    ours = outputs(simulator, script, argument, tmp_path / "ours")
    theirs = outputs(distribution_ns, script, argument, tmp_path / "theirs")
    assert theirs["status"] == b"0", theirs["stderr"]
    assert max(map(len, theirs.values())) >= least_bytes, "the script has written next to nothing"
    assert ours == theirs
