# Ten TCP flows with selective acknowledgements share a bottleneck: `ns dumbbell.tcl DURATION_S`.

lassign $argv duration_s
set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 10Mb 20ms DropTail
$ns queue-limit $left $right 60
for { set i 0 } { $i < 10 } { incr i } {
	set source [$ns node]
	set drain [$ns node]
	$ns duplex-link $source $left 100Mb [expr { 1 + 2 * $i }]ms DropTail
	$ns duplex-link $right $drain 100Mb 3ms DropTail
	set tcp [$ns create-connection TCP/Sack1 $source TCPSink/Sack1 $drain $i]
	$tcp set window_ 100
	$ns at [expr { 0.1 * $i }] "[$tcp attach-app FTP] start"
	lappend senders $tcp
}
proc finish {} {
	global senders
	foreach tcp $senders { puts "[$tcp set ack_] [$tcp set nrexmitpack_]" }
	exit 0
}
$ns at $duration_s finish
$ns run
