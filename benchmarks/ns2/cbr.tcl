# Five sources of small datagrams at constant rates over two hops, the second of them overloaded.

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
set c [$ns node]
$ns duplex-link $a $b 100Mb 1ms DropTail
$ns duplex-link $b $c 10Mb 10ms DropTail
for { set i 0 } { $i < 5 } { incr i } {
	set udp [new Agent/UDP]
	$ns attach-agent $a $udp
	set sink [new Agent/LossMonitor]
	$ns attach-agent $c $sink
	$ns connect $udp $sink
	set cbr [new Application/Traffic/CBR]
	$cbr set packetSize_ 500
	$cbr set rate_ [expr { 1.75 + 0.25 * $i }]Mb
	$cbr set random_ 1
	$cbr attach-agent $udp
	$ns at [expr { 0.1 * $i }] "$cbr start"
	lappend sinks $sink
}
proc finish {} {
	global sinks
	foreach sink $sinks { puts "[$sink set npkts_] [$sink set nlost_]" }
	exit 0
}
$ns at 1000 finish
$ns run
