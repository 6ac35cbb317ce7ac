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
	pause_s           {real 0} none
	packet_bytes      {int 53 65535} 1500
	window_packets    {int 1}  200
	delayed_acks      flag     0
	ecn               {choice {off classic accurate}} off
	receive_buffer_bytes {int 0 1073741824} 0
	block_segments    {int 1}  256
	code_overhead     text     0%
	slow_start        text     {}
	resume_window_bytes {int 0 9223372036854775807} 0
	resume_rtt_s      {real 0} 0
	resume_lifetime_s {real 0} 4000000000
	groups            list     {}
}]

# Keys of a group of flows, their kinds and defaults. Without groups the settings above describe one, and one of the
# return direction.
set group_keys {
	tcp               text     cubic
	count             {int 1 65536} 1
	user              {int 1 1000} 1
	start_s           {real 0} 0
	end_s             {real 0} 0
	transfer_bytes    {int 0 9223372036854775807} 0
	pause_s           {real 0} none
	direction         {choice {forward return}} forward
	rtt_s             {real 0} 0
	delayed_acks      flag     0
	ecn               {choice {off classic accurate}} off
	receive_buffer_bytes {int 0 1073741824} 0
	slow_start        text     {}
	resume_window_bytes {int 0 9223372036854775807} 0
	resume_rtt_s      {real 0} 0
	resume_lifetime_s {real 0} 4000000000
}

# Makes the list `flow_groups`, each with its congestion control in `control`, and sets that of the proxy's senders. The
# stack determines the available variants.
proc choose_controls {} {
	global setting flow_groups
	set flow_groups {}
	foreach group [described_groups] {
		set of [expr { $setting(groups) eq "" ? "" : "groups: " }]
		dict set group control [control_of ${of}tcp [dict get $group tcp] stack $setting(stack)]
		lappend flow_groups $group
	}
	set setting(proxy_congestion_control) [control_of proxy_tcp $setting(proxy_tcp) proxy_stack $setting(proxy_stack)]
}

proc control_of { key tcp stack_key stack } {
	global variants
	if { ![dict exists $variants($stack) $tcp] } {
		refuse "$key is $tcp; with $stack_key $stack allowed are [join [lsort [dict keys $variants($stack)]] {, }]"
	}
	dict get $variants($stack) $tcp
}

# Returns the groups of flows, those of the forward direction first, as dictionaries with every key of `group_keys`.
proc described_groups {} {
	global setting group_keys
	if { $setting(groups) eq "" } {
		set common [list user 1 end_s 0 pause_s none rtt_s 0 slow_start {} resume_window_bytes 0 resume_rtt_s 0 resume_lifetime_s 0]
		foreach key { tcp start_s delayed_acks ecn receive_buffer_bytes } { lappend common $key $setting($key) }
		set own [list {*}$common count $setting(flows) direction forward]
		foreach key { transfer_bytes pause_s slow_start resume_window_bytes resume_rtt_s resume_lifetime_s } {
			dict set own $key $setting($key)
		}
		set found [list $own]
		if { $setting(return_flows) > 0 } {
			lappend found [list {*}$common count $setting(return_flows) transfer_bytes 0 direction return]
		}
		return $found
	}
	foreach words $setting(groups) {
		set group [checked_values groups $group_keys $words]
		lappend of([dict get $group direction]) $group
	}
	if { ![info exists of(forward)] } { refuse "groups has no group with direction forward" }
	if { [info exists of(return)] } { lappend of(forward) {*}$of(return) }
	return $of(forward)
}

# Whether the receivers of a group have a buffer that may limit the sender.
proc has_buffers {} {
	global flow_groups
	foreach group $flow_groups {
		if { [dict get $group receive_buffer_bytes] > 0 } { return 1 }
	}
	return 0
}

proc nanoseconds { seconds } {
	expr { wide(round($seconds * 1e9)) }
}

# The run ends with the last transfer, unless a forward flow has none.
proc build_flows {} {
	global ns setting flow_groups open_flows tcp_of
	set open_flows 0
	set spread [new_spread $setting(start_spread_s)]
	set flow 0
	set is_endless 0
	foreach group $flow_groups {
		dict with group {}
		if { $direction eq "forward" && $transfer_bytes == 0 } { set is_endless 1 }
		if { $transfer_bytes > 0 } { incr open_flows $count }
		set near [access_node $rtt_s]
		for { set i 0 } { $i < $count } { incr i; incr flow } {
			# Only one connection may use what an earlier one has left: the group's first.
			if { $i > 0 } { dict set group resume_window_bytes 0 }
			build_flow $flow [expr { $start_s + [$spread value] }] $near $group
			if { $end_s > 0 } { $ns at $end_s "$tcp_of($flow) advance 0" }
		}
	}
	if { $is_endless } { incr open_flows }
}

# Returns the node of flows with this RTT at the sender's end of the path: one behind an access link if the RTT is longer
# than that of the path.
proc access_node { rtt_s } {
	global ns setting sender
	if { $rtt_s <= $setting(rtt_s) } { return $sender }
	set node [$ns node]
	foreach { from to } [list $node $sender $sender $node] {
		# Practically without serialisation and without a limit.
		$ns simplex-link $from $to 1e12 [expr { ($rtt_s - $setting(rtt_s)) / 2.0 }] DropTail
		$ns queue-limit $from $to 2147483647
	}
	return $node
}

# A flow between the node `near`, at the sender's end of the path, and the receiver's node.
proc build_flow { flow start near group } {
	global setting receivers tcp_of sink_of completed_ns
	dict with group {}
	set receiver [lindex $receivers [expr { $user - 1 }]]
	set completed_ns($flow) -1
	set tcp_of($flow) [new_sender $flow $setting(stack) $control $ecn]
	start_as_asked $tcp_of($flow) $group
	trace_windows $flow $tcp_of($flow)
	if { $setting(proxy) } {
		split_flow $flow $start $control
		return
	}
	# A window that grows with the data would forbid the jump (RFC 9959, section 4.7).
	set first [expr { $resume_window_bytes > 0 ? $receive_buffer_bytes : "" }]
	set sink_of($flow) [new_receiver $flow $setting(stack) $control $delayed_acks $receive_buffer_bytes $first]
	set ends [expr { $direction eq "forward" ? [list $near $receiver 0] : [list $receiver $near 1] }]
	lassign $ends from to way
	join_tapped $flow $from $tcp_of($flow) $to $sink_of($flow) $way
	set segments [transfer_segments $transfer_bytes]
	if { $pause_s ne "none" && $segments > 1 } {
		set half [expr { $segments / 2 }]
		start_tcp $tcp_of($flow) $start [expr { $segments - $half }] "pause_flow $flow $pause_s $half"
	} else {
		start_tcp $tcp_of($flow) $start $segments "flow_done $flow"
	}
}

# Called when the first half of a transfer is acknowledged: the application offers the rest after the pause.
proc pause_flow { flow pause_s rest } {
	global ns tcp_of
	$tcp_of($flow) proc done {} "flow_done $flow"
	$ns at [expr { [$ns now] + $pause_s }] "$tcp_of($flow) advanceby $rest"
}

# The beginning of a flow, in the modern stack.
proc start_as_asked { agent group } {
	global setting
	dict with group {}
	foreach key { slow_start resume_window_bytes } {
		if { [set $key] ni { {} 0 } && $setting(stack) ne "modern" } { refuse "$key is [set $key]; that needs stack modern" }
	}
	if { $slow_start ne "" } { $agent slow_start $slow_start }
	if { $resume_window_bytes > 0 } {
		$agent resume [expr { double($resume_window_bytes) / $setting(packet_bytes) }] $resume_rtt_s $resume_lifetime_s
	}
}

# Joins two agents whose data go in `direction`, and adds taps at both.
proc join_tapped { flow from tcp to sink direction } {
	join_agents $from $tcp $to $sink
	tap_agent $from $tcp $flow $direction
	tap_agent $to $sink $flow [expr { 1 - $direction }]
}

# Returns the segments of a transfer; 0 for flows without end.
proc transfer_segments { transfer_bytes } {
	global setting header_bytes
	segments_of $transfer_bytes [expr { $setting(packet_bytes) - $header_bytes }]
}

# Splits the connection of the sender at `from` by a proxy at `middle`. Returns the receiver at `to`.
proc split_connection { flow from middle to control } {
	global setting tcp_of onward_of proxy_of window_of
	# The proxy advertises its own buffer.
	set sink [new_receiver $flow $setting(stack) $control $setting(delayed_acks) 0]
	set onward_of($flow) [new_sender $flow $setting(proxy_stack) $setting(proxy_congestion_control) $setting(ecn)]
	set end [new_receiver $flow $setting(proxy_stack) $setting(proxy_congestion_control) $setting(delayed_acks) \
		$setting(receive_buffer_bytes)]
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
proc split_flow { flow start control } {
	global ns setting sender base receiver tcp_of onward_of proxy_of window_of
	set tcp $tcp_of($flow)
	set end [split_connection $flow $sender $base $receiver $control]
	set onward $onward_of($flow)
	tap_outgoing $tcp $flow 0
	tap_incoming $base $onward
	tap_agent $receiver $end $flow 1
	set segments [transfer_segments $setting(transfer_bytes)]
	if { $segments > 0 } {
		$proxy_of($flow) expect $segments
		$proxy_of($flow) proc done {} "close_senders $tcp $onward; flow_done $flow"
		$ns at $start "$window_of($flow) offer $segments"
	} else {
		$ns at $start "$window_of($flow) offer -1"
	}
}

proc new_sender { flow stack control { ecn off } } {
	global setting
	set kind [expr { $control eq "fectcp" ? "fectcp" : $stack }]
	set tcp [new_tcp $kind $setting(packet_bytes) $setting(window_packets) $control]
	$tcp set fid_ $flow
	if { $ecn ne "off" } {
		if { $kind ne "modern" } { refuse "ecn is $ecn; with $kind senders allowed is off" }
		$tcp ecn $ecn
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

proc new_receiver { flow stack control delayed_acks buffer_bytes { first_bytes "" } } {
	global setting recorder
	set kind [expr { $control eq "fectcp" ? "fectcp" : $stack }]
	set sink [new_tcp_sink $kind $delayed_acks]
	$sink set fid_ $flow
	if { $control eq "dctcp" } { $sink set dctcp_echo_ 1 }
	if { $kind eq "modern" && $buffer_bytes > 0 } {
		$sink receive_buffer $buffer_bytes $setting(packet_bytes) {*}$first_bytes
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
	foreach flow [lsort -integer [array names tcp_of]] {
		lappend counters flow_${flow}_timeouts [$tcp_of($flow) set nrexmit_] \
			flow_${flow}_completed_ns $completed_ns($flow)
		set more {}
		if { $setting(proxy) } { set more [split_counters $flow] }
		if { $setting(groups) eq "" && $setting(tcp) eq "fectcp" } { set more [$sink_of($flow) counters] }
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
