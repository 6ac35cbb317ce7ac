# One TCP-Linux flow over 10 Mbit/s: `ns linux_sender.tcl VARIANT WINDOW DURATION_S TIMESTAMPS ?RETURN_TRACE? ?MODULE?`.
# RETURN_TRACE is a link trace for the acknowledgements (else ""), MODULE a shared object with a congestion control.
# Prints the greatest memory of this process in KiB.

lassign $argv variant window duration_s timestamps return_trace module
if { $module ne "" } { load $module Module }
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 10Mb 50ms DropTail
$ns simplex-link $to $from 10Mb 50ms [expr { $return_trace eq "" ? "DropTail" : "Clift" }]
$ns queue-limit $from $to 1000
$ns queue-limit $to $from 1000
if { $return_trace ne "" } {
	set queue [[$ns link $to $from] queue]
	$queue set loop_ 1
	$queue load $return_trace
}
set tcp [new Agent/TCP/Linux]
$tcp set timestamps_ $timestamps
$tcp set window_ $window
set sink [new Agent/TCPSink/Sack1]
$sink set ts_echo_rfc1323_ $timestamps
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp select_ca $variant"
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
$ns at $duration_s {
	puts "acknowledged [$tcp set ack_]"
	set status [open /proc/self/status]
	regexp {VmHWM:\s*(\d+) kB} [read $status] _ peak_kib
	puts "peak_kib $peak_kib"
	exit 0
}
$ns run
