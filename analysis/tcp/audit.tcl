# One TCP-Linux flow for the audit: `ns audit.tcl VARIANT WINDOW SINK TIMESTAMPS DURATION_S FORWARD RETURN`, over two
# link traces that repeat.

lassign $argv variant window sink_class timestamps duration_s forward return
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
foreach { a b trace } [list $from $to $forward $to $from $return] {
	$ns simplex-link $a $b 2Mb 100ms Clift
	$ns queue-limit $a $b 200
	set queue [[$ns link $a $b] queue]
	$queue set loop_ 1
	$queue load $trace
}
set tcp [new Agent/TCP/Linux]
$tcp set timestamps_ $timestamps
$tcp set window_ $window
set sink [new Agent/TCPSink/$sink_class]
$sink set ts_echo_rfc1323_ $timestamps
$sink set generateDSacks_ [string match Sack1* $sink_class]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp select_ca $variant"
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
$ns at $duration_s {
	puts "acknowledged [$tcp set ack_]"
	$sink set maxSackBlocks_ 2
	delete $tcp
	delete $sink
	exit 0
}
$ns run
