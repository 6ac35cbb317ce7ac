# Three hundred New Reno flows over a RED bottleneck, delayed acknowledgements.

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 45Mb 20ms RED
$ns queue-limit $left $right 500
for { set i 0 } { $i < 300 } { incr i } {
	if { $i % 10 == 0 } {
		set source [$ns node]
		set drain [$ns node]
		$ns duplex-link $source $left 100Mb [expr { 1 + $i / 10 }]ms DropTail
		$ns duplex-link $right $drain 100Mb 3ms DropTail
	}
	set tcp [$ns create-connection TCP/Newreno $source TCPSink/DelAck $drain $i]
	$ns at [expr { 0.01 * $i }] "[$tcp attach-app FTP] start"
	lappend senders $tcp
}
proc finish {} {
	global senders
	foreach tcp $senders { puts "[$tcp set ack_] [$tcp set nrexmitpack_]" }
	exit 0
}
$ns at 100 finish
$ns run
