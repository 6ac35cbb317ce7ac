# The flows: TCP agents of the stack that is set, with selective acknowledgements and timestamps, each to a sink of its
# own. Stack 2009 is TCP-Linux, the code of Linux 2.6.22, with its faults mended, 2009-as-shipped the same without the
# patches that change results; modern is core/tcp. FECTCP is the same beside each.

set tcp_ip_bytes 40
set timestamp_bytes 12
# A packet that waits for the next one is acknowledged after so much time (RFC 5681 allows 0.5 s).
set delayed_ack_s 0.1
set header_bytes [expr { $tcp_ip_bytes + $timestamp_bytes }]

# TCP variants of each stack, and the names of its congestion controls for them: modules of TCP-Linux in 2009, what
# core/tcp/congestion has in modern. FECTCP has agents of its own and no choice of controls.
array set variants {
	2009 {
		newreno reno  reno reno  westwood westwood  hybla hybla  cubic cubic  compound compound
		fectcp fectcp
	}
	modern {
		newreno reno  reno reno  westwood westwood  hybla hybla  cubic cubic  compound compound
		bbr bbr  bbr3 bbr3  fectcp fectcp
	}
}
set variants(2009-as-shipped) $variants(2009)

# Sets the congestion controls of both senders. Which variants there are depends on the stack.
proc choose_controls {} {
	global variants setting
	foreach whose { {} proxy_ } {
		set tcp $setting(${whose}tcp)
		set stack $setting(${whose}stack)
		if { ![dict exists $variants($stack) $tcp] } {
			set names [join [lsort [dict keys $variants($stack)]] {, }]
			refuse "${whose}tcp is $tcp; with ${whose}stack $stack allowed are $names"
		}
		set setting(${whose}congestion_control) [dict get $variants($stack) $tcp]
	}
}

proc nanoseconds { seconds } {
	expr { wide(round($seconds * 1e9)) }
}

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
	global ns setting sender base receiver tcp_of sink_of completed_ns
	set completed_ns($flow) -1
	set tcp_of($flow) [new_sender $flow $setting(stack) $setting(congestion_control)]
	trace_windows $flow $tcp_of($flow)
	if { $setting(proxy) } {
		split_flow $flow $start
		return
	}
	set tcp $tcp_of($flow)
	set sink_of($flow) [new_receiver $flow $setting(stack) $setting(congestion_control)]
	set sink $sink_of($flow)
	join_agents $sender $tcp $receiver $sink
	tap_agent $sender $tcp $flow 0
	tap_agent $receiver $sink $flow 1
	set segments [transfer_segments]
	if { $segments > 0 } {
		$tcp proc done {} "flow_done $flow"
		$ns at $start "$tcp advance $segments"
	} else {
		set ftp [new Application/FTP]
		$ftp attach-agent $tcp
		$ns at $start "$ftp start"
	}
}

# Returns the segments of each flow's transfer; 0 for flows without end.
proc transfer_segments {} {
	global setting header_bytes
	set payload [expr { $setting(packet_bytes) - $header_bytes }]
	expr { ($setting(transfer_bytes) + $payload - 1) / $payload }
}

proc join_agents { from tcp to sink } {
	global ns
	$ns attach-agent $from $tcp
	$ns attach-agent $to $sink
	$ns connect $tcp $sink
}

# Leads what the flow's sender at `from` sends through a proxy at `middle`. Returns the receiver at `to`.
proc split_connection { flow from middle to } {
	global setting tcp_of onward_of proxy_of window_of
	set sink [new_receiver $flow $setting(stack) $setting(congestion_control)]
	set onward_of($flow) [new_sender $flow $setting(proxy_stack) $setting(proxy_congestion_control)]
	set end [new_receiver $flow $setting(proxy_stack) $setting(proxy_congestion_control)]
	join_agents $from $tcp_of($flow) $middle $sink
	join_agents $middle $onward_of($flow) $to $end
	set capacity $setting(proxy_buffer_packets)
	set window_of($flow) [keep_to_window $from $tcp_of($flow) $capacity]
	set proxy_of($flow) [new_proxy $middle $sink $onward_of($flow) $capacity $setting(proxy_delay_s)]
	return $end
}

# A flow through the proxy: what is recorded is the sender's packets, what of them reaches the receiver in the end, and
# the receiver's acknowledgements.
proc split_flow { flow start } {
	global ns setting sender base receiver tcp_of onward_of proxy_of window_of
	set tcp $tcp_of($flow)
	set end [split_connection $flow $sender $base $receiver]
	set onward $onward_of($flow)
	tap_outgoing $tcp $flow 0
	tap_incoming $base $onward
	tap_agent $receiver $end $flow 1
	set segments [transfer_segments]
	if { $segments > 0 } {
		$proxy_of($flow) expect $segments
		$proxy_of($flow) proc done {} "close_senders $tcp $onward; flow_done $flow"
		$ns at $start "$window_of($flow) offer $segments"
	} else {
		$ns at $start "$window_of($flow) offer -1"
	}
}

# packetSize_ is payload to ns-2, which adds the headers; it and window_ must be set before select_ca.
proc new_sender { flow stack congestion_control } {
	global ns setting tcp_ip_bytes timestamp_bytes header_bytes
	set is_coded [expr { $congestion_control eq "fectcp" }]
	set tcp [new Agent/TCP/[expr { $is_coded ? "Fectcp" : $stack eq "modern" ? "Modern" : "Linux" }]]
	$tcp set timestamps_ true
	$tcp set tcpip_base_hdr_size_ $tcp_ip_bytes
	$tcp set ts_option_size_ $timestamp_bytes
	$tcp set packetSize_ [expr { $setting(packet_bytes) - $header_bytes }]
	$tcp set window_ $setting(window_packets)
	$tcp set fid_ $flow
	if { $is_coded } {
		$tcp set block_segments_ $setting(block_segments)
		$tcp overhead $setting(code_overhead)
	} elseif { $stack eq "modern" } {
		$tcp congestion_control $congestion_control
	} else {
		$tcp set as_shipped_ [expr { $stack eq "2009-as-shipped" }]
		$ns at 0 "$tcp select_ca $congestion_control"
	}
	return $tcp
}

proc trace_windows { flow tcp } {
	global recorder
	set windows [new Clift/WindowTap $recorder $flow]
	foreach variable { cwnd_ ssthresh_ srtt_s_ ca_state_ } {
		$tcp trace $variable $windows
	}
}

proc new_receiver { flow stack congestion_control } {
	global setting recorder header_bytes delayed_ack_s
	if { $congestion_control eq "fectcp" } {
		set sink [new Agent/TCPSink/Fectcp]
		$sink overhead $setting(code_overhead)
		$sink recorder $recorder
	} elseif { $stack eq "modern" } {
		set sink [new Agent/TCPSink/Modern]
		$sink set interval_ [expr { $setting(delayed_acks) ? $delayed_ack_s : 0 }]
	} else {
		set sink [new [expr { $setting(delayed_acks) ? "Agent/TCPSink/Sack1/DelAck" : "Agent/TCPSink/Sack1" }]]
		$sink set ts_echo_rfc1323_ true
		if { $setting(delayed_acks) } { $sink set interval_ $delayed_ack_s }
	}
	$sink set packetSize_ $header_bytes
	$sink set fid_ $flow
	return $sink
}

# Puts taps where an agent sends (in `direction`) and where it receives.
proc tap_agent { node agent flow direction } {
	tap_outgoing $agent $flow $direction
	tap_incoming $node $agent
}

proc tap_outgoing { agent flow direction } {
	global recorder
	insert_behind $agent [new Clift/Tap $recorder sent $flow $direction]
}

proc tap_incoming { node agent } {
	global recorder
	insert_before $node $agent [new Clift/Tap $recorder received]
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
	global setting tcp_of sink_of completed_ns
	set counters {}
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		lappend counters flow_${flow}_timeouts [$tcp_of($flow) set nrexmit_] \
			flow_${flow}_completed_ns $completed_ns($flow)
		set more {}
		if { $setting(proxy) } { set more [split_counters $flow] }
		if { $setting(tcp) eq "fectcp" } { set more [$sink_of($flow) counters] }
		foreach { name value } $more {
			lappend counters flow_${flow}_$name $value
		}
	}
	return $counters
}

# Returns names and values of what the proxy and the sender's window have counted.
proc split_counters { flow } {
	global onward_of proxy_of window_of
	concat [$window_of($flow) counters] [$proxy_of($flow) counters] \
		[list proxy_segments [$onward_of($flow) set ndatapack_] \
			proxy_retransmissions [$onward_of($flow) set nrexmitpack_] \
			proxy_timeouts [$onward_of($flow) set nrexmit_]]
}
