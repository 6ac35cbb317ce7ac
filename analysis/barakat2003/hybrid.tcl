# TCP over a link with hybrid FEC/ARQ-SR: the scenario of Barakat and Al Fawal (2003), section 3.1.
#
#   ns hybrid.tcl KEY VALUE ...
#
# C New Reno senders with delayed ACKs, each on a 10 Mbit/s access link of 20 ms, share a link of 2 Mbit/s, behind which
# another such link leads to the destination. Prints one line NAME<tab>NUMBER for each result.

set clift_tcl [file join [file dirname [info script]] .. .. clift-ns2 tcl]
foreach part { settings tcp } { source [file join $clift_tcl $part.tcl] }

read_settings {
	connections      {int 1}     10
	duration_s       {real more} 2000
	seed             {int 1 1000000} 1
	rate_bps         {real 1}    2e6
	delay_s          {real 0}    0.2
	access_rate_bps  {real 1}    10e6
	access_delay_s   {real 0}    0.02
	queue_packets    {int 1}     500
	window_packets   {int 1}     2000
	packet_bytes     {int 41 65535} 1500
	unit_bytes       {int 1}     25
	data             {int 1}     10
	repair           {int 0}     0
	persistency      {int -1}    0
	in_order         flag        1
	alpha            {real 0}    1
	beta             {real 0}    0
	error_good       {real 0}    0.01
	error_bad        {real 0}    1
	transfer_packets {int 0}     0
	interval_s       {real 0}    0
} $argv

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
use_seed $setting(seed)

proc access { from to } {
	global ns setting
	$ns duplex-link $from $to $setting(access_rate_bps) $setting(access_delay_s) DropTail
	$ns queue-limit $from $to $setting(queue_packets)
	$ns queue-limit $to $from $setting(queue_packets)
}

proc wireless { from to } {
	global ns setting
	$ns simplex-link $from $to $setting(rate_bps) $setting(delay_s) Clift/Online
	$ns simplex-link $to $from $setting(rate_bps) $setting(delay_s) DropTail
	$ns queue-limit $from $to $setting(queue_packets)
	$ns queue-limit $to $from $setting(queue_packets)
	set queue [[$ns link $from $to] queue]
	$queue scheme hybrid
	foreach name { unit_bytes data repair persistency in_order alpha beta error_good error_bad } {
		$queue set ${name}_ $setting($name)
	}
	return $queue
}

proc connection { source destination } {
	global setting
	set tcp [new_tcp Newreno $setting(packet_bytes) $setting(window_packets)]
	join_agents $source $tcp $destination [new_tcp_sink Newreno 0 Agent/TCPSink/DelAck]
	return $tcp
}

set entry [$ns node]
set exit [$ns node]
set destination [$ns node]
access $exit $destination
set queue [wireless $entry $exit]

# Long-lived connections start within the first second. Transfers start one by one, `interval_s` apart; the sources take
# turns.
set begun 0
set ended 0
set total_s 0
set spread [new_spread 1]
for { set i 0 } { $i < $setting(connections) } { incr i } {
	set sources($i) [$ns node]
	access $sources($i) $entry
	if { $setting(transfer_packets) == 0 } {
		start_tcp [connection $sources($i) $destination] [$spread value] 0
	}
}

proc transfer {} {
	global ns setting sources destination begun
	set tcp [connection $sources([expr { $begun % $setting(connections) }]) $destination]
	incr begun
	$tcp proc done {} "transfer_done [$ns now]"
	$tcp advance $setting(transfer_packets)
	$ns at [expr { [$ns now] + $setting(interval_s) }] transfer
}

proc transfer_done { begin } {
	global ns ended total_s
	incr ended
	set total_s [expr { $total_s + [$ns now] - $begin }]
}

proc finish {} {
	global ns queue setting begun ended total_s
	foreach { name value } [$queue counters] {
		puts "$name\t$value"
	}
	puts "throughput\t[expr { 8.0 * [dict get [$queue counters] bytes_delivered] / $setting(duration_s) / $setting(rate_bps) }]"
	if { $setting(transfer_packets) > 0 } {
		puts "transfers_begun\t$begun"
		puts "transfers_ended\t$ended"
		puts "mean_latency_s\t[expr { $ended > 0 ? $total_s / $ended : "inf" }]"
	}
	$ns halt
}

if { $setting(transfer_packets) > 0 } {
	$ns at 0 transfer
}
$ns at $setting(duration_s) finish
$ns run
exit 0
