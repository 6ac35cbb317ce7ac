# The flows: TCP agents of the stack that is set, with selective acknowledgements and timestamps, each to a sink of its
# own. Stack 2009 is TCP-Linux, the code of Linux 2.6.22; modern is core/tcp.

set tcp_ip_bytes 40
set timestamp_bytes 12
set header_bytes [expr { $tcp_ip_bytes + $timestamp_bytes }]

# Starts at start_s plus a random part of start_spread_s, drawn in the order of the flows.
proc build_flows {} {
	global ns setting open_flows start_of
	set spread [new RandomVariable/Uniform]
	$spread set min_ 0
	$spread set max_ $setting(start_spread_s)
	set open_flows $setting(flows)
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		set start_of($flow) [expr { $setting(start_s) + [$spread value] }]
		build_flow $flow $start_of($flow)
	}
}

proc build_flow { flow start } {
	global ns setting sender receiver tcp_of sink_of completed_ns header_bytes
	set tcp [new_sender $flow]
	set sink [new_receiver $flow]
	$ns attach-agent $sender $tcp
	$ns attach-agent $receiver $sink
	$ns connect $tcp $sink
	tap_agent $sender $tcp $flow 0
	tap_agent $receiver $sink $flow 1
	set completed_ns($flow) -1
	set tcp_of($flow) $tcp
	set sink_of($flow) $sink
	if { $setting(transfer_bytes) > 0 } {
		set payload [expr { $setting(packet_bytes) - $header_bytes }]
		set segments [expr { ($setting(transfer_bytes) + $payload - 1) / $payload }]
		$tcp proc done {} "flow_done $flow"
		$ns at $start "$tcp advance $segments"
	} else {
		set ftp [new Application/FTP]
		$ftp attach-agent $tcp
		$ns at $start "$ftp start"
	}
}

# packetSize_ is payload to ns-2, which adds the headers; it and window_ must be set before select_ca.
proc new_sender { flow } {
	global ns setting recorder tcp_ip_bytes timestamp_bytes header_bytes
	set tcp [new [expr { $setting(stack) eq "modern" ? "Agent/TCP/Modern" : "Agent/TCP/Linux" }]]
	$tcp set timestamps_ true
	$tcp set tcpip_base_hdr_size_ $tcp_ip_bytes
	$tcp set ts_option_size_ $timestamp_bytes
	$tcp set packetSize_ [expr { $setting(packet_bytes) - $header_bytes }]
	$tcp set window_ $setting(window_packets)
	$tcp set fid_ $flow
	if { $setting(stack) eq "modern" } {
		$tcp congestion_control $setting(congestion_control)
	} else {
		$ns at 0 "$tcp select_ca $setting(congestion_control)"
	}
	set windows [new Clift/WindowTap $recorder $flow]
	foreach variable { cwnd_ ssthresh_ srtt_s_ ca_state_ } {
		$tcp trace $variable $windows
	}
	return $tcp
}

proc new_receiver { flow } {
	global setting header_bytes
	if { $setting(stack) eq "modern" } {
		set sink [new Agent/TCPSink/Modern]
	} else {
		set sink [new Agent/TCPSink/Sack1]
		$sink set ts_echo_rfc1323_ true
	}
	$sink set packetSize_ $header_bytes
	$sink set fid_ $flow
	return $sink
}

# Puts taps where an agent sends (in `direction`) and where it receives.
proc tap_agent { node agent flow direction } {
	global recorder
	set sent [new Clift/Tap $recorder sent $flow $direction]
	$sent target [$agent target]
	$agent target $sent
	set received [new Clift/Tap $recorder received]
	$received target $agent
	[$node demux] install [$agent set agent_port_] $received
}

# Called when the last segment of a flow's transfer is acknowledged; the last flow's ends the run.
proc flow_done { flow } {
	global ns completed_ns open_flows
	set completed_ns($flow) [nanoseconds [$ns now]]
	incr open_flows -1
	if { $open_flows == 0 } { finish }
}

# Returns names and values of what the agents have counted.
proc flow_counters {} {
	global setting tcp_of completed_ns
	set counters {}
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		lappend counters flow_${flow}_timeouts [$tcp_of($flow) set nrexmit_] \
			flow_${flow}_completed_ns $completed_ns($flow)
	}
	return $counters
}
