# The flows: TCP agents of the chosen stack, with selective acknowledgements and timestamps, each with its own sink.
# Stack 2009 is TCP-Linux, the code of Linux 2.6.22, with its faults fixed. Stack 2009-as-shipped lacks the patches that
# change results. Stack modern is core/tcp. FECTCP is the same beside each stack.

source [file join [file dirname [info script]] tcp.tcl]

declare [string map [list STACKS $stacks] {
	stack             {choice {STACKS}} modern
	tcp               text     cubic
	proxy_stack       {choice {STACKS}} modern
	proxy_tcp         text     cubic
	proxy_buffer_packets {int 2}  100
	proxy_delay_s     {real 0} 0
	flows             {int 1 65536} 1
	return_flows      {int 0 1000} 0
	start_s           {real 0} 0
	start_spread_s    {real 0} 0
	transfer_bytes    {int 0 9223372036854775807} 0
	packet_bytes      {int 53 65535} 1500
	window_packets    {int 1}  200
	delayed_acks      flag     0
	ecn               {choice {off classic}} off
	receive_buffer_bytes {int 0 1073741824} 0
	block_segments    {int 1}  256
	code_overhead     text     0%
}]

# Sets the congestion controls of both senders. The stack determines the available variants.
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

proc build_flows {} {
	global setting open_flows start_of
	set open_flows $setting(flows)
	set spread [new_spread $setting(start_spread_s)]
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		set start_of($flow) [expr { $setting(start_s) + [$spread value] }]
		build_flow $flow $start_of($flow)
	}
	for { set other 0 } { $other < $setting(return_flows) } { incr other } {
		build_return_flow [expr { $setting(flows) + $other }] [expr { $setting(start_s) + [$spread value] }]
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
	set sink_of($flow) [new_receiver $flow $setting(stack) $setting(congestion_control)]
	join_tapped $flow $sender $tcp_of($flow) $receiver $sink_of($flow) 0
	start_tcp $tcp_of($flow) $start [transfer_segments] "flow_done $flow"
}

# A flow without end from the receiver's node to the sender's.
proc build_return_flow { flow start } {
	global setting sender receiver
	set tcp [new_sender $flow $setting(stack) $setting(congestion_control)]
	trace_windows $flow $tcp
	join_tapped $flow $receiver $tcp $sender [new_receiver $flow $setting(stack) $setting(congestion_control)] 1
	start_tcp $tcp $start 0
}

# Joins two agents whose data go in `direction`, and adds taps at both.
proc join_tapped { flow from tcp to sink direction } {
	join_agents $from $tcp $to $sink
	tap_agent $from $tcp $flow $direction
	tap_agent $to $sink $flow [expr { 1 - $direction }]
}

# Returns the segments of each flow's transfer; 0 for flows without end.
proc transfer_segments {} {
	global setting header_bytes
	segments_of $setting(transfer_bytes) [expr { $setting(packet_bytes) - $header_bytes }]
}

# Splits the connection of the sender at `from` by a proxy at `middle`. Returns the receiver at `to`.
proc split_connection { flow from middle to } {
	global setting tcp_of onward_of proxy_of window_of
	# The proxy advertises its own buffer.
	set sink [new_receiver $flow $setting(stack) $setting(congestion_control) 0]
	set onward_of($flow) [new_sender $flow $setting(proxy_stack) $setting(proxy_congestion_control)]
	set end [new_receiver $flow $setting(proxy_stack) $setting(proxy_congestion_control)]
	join_agents $from $tcp_of($flow) $middle $sink
	join_agents $middle $onward_of($flow) $to $end
	# Neither the bounded window nor the proxy ends a message with each segment that it passes on.
	foreach one [list $tcp_of($flow) $onward_of($flow)] {
		if { [$one info class] eq "Agent/TCP/Modern" } { $one set pushes_ 0 }
	}
	set capacity $setting(proxy_buffer_packets)
	set window_of($flow) [keep_to_window $from $tcp_of($flow) $capacity]
	set proxy_of($flow) [new_proxy $middle $sink $onward_of($flow) $capacity $setting(proxy_delay_s)]
	return $end
}

# A flow through the proxy. Records hold the sender's packets, their arrivals at the final receiver, and the receiver's
# acknowledgements.
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

proc new_sender { flow stack control } {
	global setting
	set kind [expr { $control eq "fectcp" ? "fectcp" : $stack }]
	set tcp [new_tcp $kind $setting(packet_bytes) $setting(window_packets) $control]
	$tcp set fid_ $flow
	if { $setting(ecn) ne "off" } {
		if { $kind ne "modern" } { refuse "ecn is $setting(ecn); with $kind senders allowed is off" }
		$tcp set ecn_ 1
	}
	if { $kind eq "fectcp" } {
		$tcp set block_segments_ $setting(block_segments)
		$tcp overhead $setting(code_overhead)
	}
	return $tcp
}

proc trace_windows { flow tcp } {
	global recorder
	set windows [new Clift/WindowTap $recorder $flow]
	foreach variable { cwnd_ ssthresh_ srtt_s_ ca_state_ pacing_bps_ } {
		$tcp trace $variable $windows
	}
}

proc new_receiver { flow stack control { is_bounded 1 } } {
	global setting recorder
	set kind [expr { $control eq "fectcp" ? "fectcp" : $stack }]
	set sink [new_tcp_sink $kind $setting(delayed_acks)]
	$sink set fid_ $flow
	if { $kind eq "modern" && $is_bounded && $setting(receive_buffer_bytes) > 0 } {
		$sink receive_buffer $setting(receive_buffer_bytes) $setting(packet_bytes)
	}
	if { $kind eq "fectcp" } {
		$sink overhead $setting(code_overhead)
		$sink recorder $recorder
	}
	return $sink
}

# Adds taps at the sending agent (in `direction`) and at the receiving one.
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

# Called when the last segment of a flow's transfer is acknowledged; the last such call ends the run.
proc flow_done { flow } {
	global ns completed_ns open_flows
	set completed_ns($flow) [nanoseconds [$ns now]]
	incr open_flows -1
	if { $open_flows == 0 } { finish }
}

# Returns names and values of the agents' counters.
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

# Returns names and values of the counters of the proxy and of the sender's window.
proc split_counters { flow } {
	global onward_of proxy_of window_of
	concat [$window_of($flow) counters] [$proxy_of($flow) counters] \
		[list proxy_segments [$onward_of($flow) set ndatapack_] \
			proxy_retransmissions [$onward_of($flow) set nrexmitpack_] \
			proxy_timeouts [$onward_of($flow) set nrexmit_]]
}
