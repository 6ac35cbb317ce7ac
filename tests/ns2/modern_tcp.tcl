# A transfer of `packets` packets over a link of 12 Mbit/s (1 ms a packet) and 50 ms each way, on which the packets of
# `drops`, counted from 0 as they pass, are lost. Prints one line TIME SEQUENCE for each packet that is sent.
array set setting { control reno packets 100 drops {} window 1000 duration 60 }
array set setting $argv

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 12e6 0.05 DropTail
$ns simplex-link $to $from 1e12 0.05 DropTail
$ns queue-limit $from $to 100000
$ns queue-limit $to $from 100000
set losses [new ErrorModel/List]
$losses droplist $setting(drops)
$losses drop-target [new Agent/Null]
$ns lossmodel $losses $from $to

set tcp [new Agent/TCP/Modern]
$tcp set timestamps_ true
$tcp set tcpip_base_hdr_size_ 40
$tcp set ts_option_size_ 12
$tcp set packetSize_ 1448
$tcp set window_ $setting(window)
$tcp congestion_control $setting(control)
set sink [new Agent/TCPSink/Modern]
$sink set packetSize_ 52
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink

proc finish {} {
	global ns tcp
	puts "timeouts [$tcp set nrexmit_]"
	puts "acknowledged [$tcp set ack_]"
	$ns flush-trace
	$ns halt
}
$tcp proc done {} finish

$ns trace-queue $from $to [open out.tr w]
$ns at 0 "$tcp advance $setting(packets)"
$ns at $setting(duration) finish
$ns run
