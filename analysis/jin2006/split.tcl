# One TCP transfer over a wired and a wireless link: the scenario of Jin and Yang (2006). A proxy between the links and
# go-back-N on the wireless link are optional.
#
#   ns split.tcl KEY VALUE ...
#
# Leaves packets.npy in the current directory (data packets as the sender sends them and the receiver gets them) and
# prints one line NAME<tab>NUMBER for each result; with sample_s the sender's window at every multiple of it.

set clift_tcl [file join [file dirname [info script]] .. .. clift-ns2 tcl]
foreach part { settings tcp proxy } { source [file join $clift_tcl $part.tcl] }

read_settings {
	segments            {int 1}     1000
	duration_s          {real more} 3600
	seed                {int 1 1000000} 1
	tcp                 {choice {Newreno Reno}} Newreno
	window_packets      {int 1}     44
	packet_bytes        {int 41 65535} 1500
	processing_s        {real 0}    0
	sample_s            {real 0}    0
	wired_rate_bps      {real 1}    10e6
	wired_delay_s       {real 0}    0.045
	wired_loss          {real 0}    0.01
	wireless_rate_bps   {real 1}    2e6
	wireless_delay_s    {real 0}    1e-5
	error_after_success {real 0}    0
	error_after_error   {real 0}    0
	frames              {int 1}     10
	window              {int 1}     10
	frame_processing_s  {real 0}    1e-6
	proxy               flag        0
	arq                 flag        0
} $argv

# More than any window: the queues and the proxy's buffer do not limit the sender.
set unlimited 100000

remove-all-packet-headers
add-packet-header IP TCP Flags Clift CliftWindow
set ns [new Simulator]
use_seed $setting(seed)

proc wired_link { from to loss } {
	global ns setting unlimited
	$ns simplex-link $from $to $setting(wired_rate_bps) $setting(wired_delay_s) DropTail
	$ns queue-limit $from $to $unlimited
	lose_behind $from $to $loss
}

# Frames are units of the queue; a lost frame is retransmitted a window of frames after its beginning.
proc wireless_link { from to } {
	global ns setting unlimited
	$ns simplex-link $from $to $setting(wireless_rate_bps) $setting(wireless_delay_s) Clift/Online
	$ns queue-limit $from $to $unlimited
	set queue [[$ns link $from $to] queue]
	set frame_bytes [expr { ($setting(packet_bytes) + $setting(frames) - 1) / $setting(frames) }]
	$queue set unit_bytes_ $frame_bytes
	$queue set alpha_ [expr { 1.0 - $setting(error_after_success) }]
	$queue set beta_ $setting(error_after_error)
	if { $setting(arq) } {
		set slot_s [expr { 8.0 * $frame_bytes / $setting(wireless_rate_bps) + $setting(frame_processing_s) }]
		$queue scheme go-back-n
		$queue set processing_ $setting(frame_processing_s)
		$queue set window_ $setting(window)
		$queue set timeout_ [expr { max(($setting(window) - 1) * $slot_s, 2.0 * $setting(wireless_delay_s)) }]
		$queue set in_order_ 1
	} else {
		$queue scheme none
	}
	return $queue
}

proc connection { from to } {
	global setting
	set tcp [new_tcp $setting(tcp) $setting(packet_bytes) $setting(window_packets)]
	set sink [new_tcp_sink $setting(tcp) 0 Agent/TCPSink/DelAck]
	join_agents $from $tcp $to $sink
	return [list $tcp $sink]
}

set sender [$ns node]
set base [$ns node]
set receiver [$ns node]
set wired [wired_link $sender $base $setting(wired_loss)]
wired_link $base $sender 0
set wireless [wireless_link $base $receiver]
$ns simplex-link $receiver $base $setting(wireless_rate_bps) $setting(wireless_delay_s) DropTail

proc finish {} {
	global ns recorder tcps wired wireless
	$recorder close
	set timeouts 0
	foreach tcp $tcps { incr timeouts [$tcp set nrexmit_] }
	puts "timeouts\t$timeouts"
	puts "wired_lost\t[$wired lost]"
	array set counters [$wireless counters]
	foreach name { packets_arrived packets_lost units_data units_repeated units_erased } {
		puts "$name\t$counters($name)"
	}
	$ns halt
}

# The sender's window from the time `index` * sample_s on.
proc sample { tcp index } {
	global ns setting
	set window [$tcp set cwnd_]
	puts "window_$index\t[expr { min($window, $setting(window_packets)) }]"
	incr index
	$ns at [expr { $index * $setting(sample_s) }] "sample $tcp $index"
}

if { $setting(proxy) } {
	lassign [connection $sender $base] tcp sink
	lassign [connection $base $receiver] onward end
	set window [keep_to_window $sender $tcp $unlimited]
	set proxy [new_proxy $base $sink $onward $unlimited $setting(processing_s)]
	$proxy expect $setting(segments)
	$proxy proc done {} finish
	$ns at 0 "$window offer $setting(segments)"
	set tcps [list $tcp $onward]
} else {
	lassign [connection $sender $receiver] tcp end
	start_tcp $tcp 0 $setting(segments) finish
	set tcps [list $tcp]
}
set recorder [new Clift/Recorder]
insert_behind $tcp [new Clift/Tap $recorder sent 0 0]
insert_before $receiver $end [new Clift/Tap $recorder received]
if { $setting(sample_s) > 0 } { $ns at 0 "sample $tcp 0" }
$recorder open
$ns at $setting(duration_s) finish
$ns run
exit 0
