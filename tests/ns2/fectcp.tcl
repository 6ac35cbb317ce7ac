# Flows of FECTCP, each of `segments` segments of data (0: without end), over a link of `rate` and `delay` each way whose
# queue holds `queue` packets. The link loses the packets of `drops`, counted from 0 as they pass, or each with
# probability `error`; `ack_drops` and `ack_error` are those of the way back. `rival` is a flow beside them from `rival_s`
# on: tcp, or udp of 160 kbit/s. Prints one line NAME NUMBER for each counter; out.tr lists sent and lost packets.
array set setting {
	segments 100  rate 12e6  delay 0.05  queue 100000  window 1000  block 256  overhead 0%  alpha 0.875
	drops {}  error 0  ack_drops {}  ack_error 0  duration 60  seed 1  flows 1  rival {}  rival_s 0
}
array set setting $argv

remove-all-packet-headers
add-packet-header IP TCP Flags RTP
set ns [new Simulator]
for { set i 0 } { $i < $setting(seed) } { incr i } {
	$defaultRNG next-substream
}
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to $setting(rate) $setting(delay) DropTail
$ns simplex-link $to $from 1e12 $setting(delay) DropTail
$ns queue-limit $from $to $setting(queue)
$ns queue-limit $to $from 100000

proc lose { a b drops error } {
	global ns
	if { $drops eq "" && $error == 0 } return
	if { $drops ne "" } {
		set losses [new ErrorModel/List]
		$losses droplist $drops
	} else {
		set losses [new ErrorModel]
		$losses set rate_ $error
		$losses unit pkt
	}
	$losses drop-target [new Agent/Null]
	$ns lossmodel $losses $a $b
}
lose $from $to $setting(drops) $setting(error)
lose $to $from $setting(ack_drops) $setting(ack_error)

proc join_agents { sender receiver } {
	global ns from to
	$ns attach-agent $from $sender
	$ns attach-agent $to $receiver
	$ns connect $sender $receiver
}

set running $setting(flows)
for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
	set tcp [new Agent/TCP/Fectcp]
	$tcp set timestamps_ true
	$tcp set tcpip_base_hdr_size_ 40
	$tcp set ts_option_size_ 12
	$tcp set packetSize_ 1448
	$tcp set window_ $setting(window)
	$tcp set alpha_ $setting(alpha)
	$tcp set block_segments_ $setting(block)
	$tcp overhead $setting(overhead)
	set sink [new Agent/TCPSink/Fectcp]
	$sink set packetSize_ 52
	$sink overhead $setting(overhead)
	join_agents $tcp $sink
	$tcp proc done {} ended
	set senders($flow) $tcp
	set sinks($flow) $sink
	set start [expr { 0.01 * $flow }]
	if { $setting(segments) > 0 } {
		$ns at $start "$tcp advance $setting(segments)"
	} else {
		set ftp [new Application/FTP]
		$ftp attach-agent $tcp
		$ns at $start "$ftp start"
	}
}

if { $setting(rival) eq "tcp" } {
	set rival [new Agent/TCP/Modern]
	$rival set timestamps_ true
	$rival set packetSize_ 1448
	$rival set window_ $setting(window)
	join_agents $rival [new Agent/TCPSink/Modern]
	set application [new Application/FTP]
} elseif { $setting(rival) eq "udp" } {
	set rival [new Agent/UDP]
	join_agents $rival [new Agent/Null]
	set application [new Application/Traffic/CBR]
	$application set rate_ 160e3
	$application set packetSize_ 1000
}
if { $setting(rival) ne "" } {
	$application attach-agent $rival
	$ns at $setting(rival_s) "$application start"
}

proc ended {} {
	global running
	incr running -1
	if { $running == 0 } finish
}

proc finish {} {
	global ns setting senders sinks rival
	puts "end_s [$ns now]"
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		puts "$flow.sent [$senders($flow) set ndatapack_]"
		puts "$flow.reductions [$senders($flow) set nrexmit_]"
		puts "$flow.cwnd [$senders($flow) set cwnd_]"
		foreach { name value } [$sinks($flow) counters] {
			puts "$flow.$name $value"
		}
	}
	if { $setting(rival) eq "tcp" } {
		puts "rival.acknowledged [$rival set ack_]"
	}
	$ns flush-trace
	$ns halt
}

$ns trace-queue $from $to [open out.tr w]
$ns at $setting(duration) finish
$ns run
