# Twenty moving nodes with AODV over IEEE 802.11, eight constant-rate flows, agents and routers traced.

set nodes 20
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set topography [new Topography]
$topography load_flatgrid 800 800
create-god $nodes
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
	-antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
	-channel [new Channel/WirelessChannel] -topoInstance $topography \
	-agentTrace ON -routerTrace ON -macTrace OFF -movementTrace OFF
expr { srand(7) }
for { set i 0 } { $i < $nodes } { incr i } {
	set node($i) [$ns node]
	$node($i) random-motion 0
	$node($i) set X_ [expr { 800 * rand() }]
	$node($i) set Y_ [expr { 800 * rand() }]
	$node($i) set Z_ 0
	$ns at [expr { 10 * rand() }] "$node($i) setdest [expr { 1 + 798 * rand() }] [expr { 1 + 798 * rand() }] 5"
}
for { set i 0 } { $i < 8 } { incr i } {
	set udp [new Agent/UDP]
	$ns attach-agent $node($i) $udp
	set null [new Agent/Null]
	$ns attach-agent $node([expr { $i + 8 }]) $null
	$ns connect $udp $null
	set cbr [new Application/Traffic/CBR]
	$cbr set packetSize_ 512
	$cbr set interval_ 0.05
	$cbr attach-agent $udp
	$ns at [expr { 1 + 0.1 * $i }] "$cbr start"
}
$ns at 300 "exit 0"
$ns run
