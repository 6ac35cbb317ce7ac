# TCP of users who share a line, each over a link of its own from one server: `ns users.tcl FOLDER DURATION USER ...`, with
# the FOLDER of tcp.tcl and {FLOW TRACE CONTROL} of each user. Leaves packets.npy and windows.npy.

set users [lassign $argv folder duration]
source [file join $folder connectors.tcl]
source [file join $folder tcp.tcl]
remove-all-packet-headers
add-packet-header IP TCP Flags Clift
set ns [new Simulator]
set recorder [new Clift/Recorder]
set server [$ns node]
foreach user $users {
	lassign $user flow trace control
	set node [$ns node]
	$ns simplex-link $server $node 1e6 0.02 Clift
	$ns simplex-link $node $server 1e9 0.02 DropTail
	set queue [[$ns link $server $node] queue]
	$queue recorder $recorder
	$queue load $trace
	set tcp [new_tcp modern 1500 10000 $control]
	set sink [new_tcp_sink modern 1]
	join_agents $server $tcp $node $sink
	foreach { agent at way } [list $tcp $server 0 $sink $node 1] {
		insert_behind $agent [new Clift/Tap $recorder sent $flow $way]
		insert_before $at $agent [new Clift/Tap $recorder received]
	}
	set windows [new Clift/WindowTap $recorder $flow]
	foreach variable { cwnd_ ssthresh_ srtt_s_ ca_state_ pacing_bps_ } { $tcp trace $variable $windows }
	start_tcp $tcp 0 0
}
proc finish {} {
	global ns recorder
	$recorder close
	$ns halt
}
$recorder open
$ns at $duration finish
$ns run
