# TCP senders and receivers, seeds and start times, for every script.

source [file join [file dirname [info script]] variants.tcl]

set tcp_ip_bytes 40
set timestamp_bytes 12
# Headers of a data segment with timestamps.
set header_bytes [expr { $tcp_ip_bytes + $timestamp_bytes }]
# Upper bound on the delay of an ACK in the stacks of 2009 (RFC 5681 allows 0.5 s).
set delayed_ack_s 0.1

# Chooses the substream of a seed: with small seeds, ns-2's first draws are nearly proportional to the seed.
proc use_seed { seed { generator "" } } {
	global defaultRNG
	if { $generator eq "" } { set generator $defaultRNG }
	[new Clift/Substreams] skip $generator $seed
	return $generator
}

# Returns a random variable whose `value` is a part of `spread_s`: flows draw their start times from it in turn.
proc new_spread { spread_s } {
	set spread [new RandomVariable/Uniform]
	$spread set min_ 0
	$spread set max_ $spread_s
	return $spread
}

# Kinds of senders with timestamps are the stacks and fectcp. Any other kind is one of ns-2's own senders, such as
# Newreno, without them.
array set sender_classes [array get stack_senders]
set sender_classes(fectcp) Agent/TCP/Fectcp

# Returns the size of a segment's headers.
proc header_bytes_of { kind } {
	global sender_classes tcp_ip_bytes header_bytes
	expr { [info exists sender_classes($kind)] ? $header_bytes : $tcp_ip_bytes }
}

# Returns a sender. packetSize_ is payload to ns-2, which adds the headers; it and window_ must be set before select_ca.
proc new_tcp { kind packet_bytes window_packets { control "" } } {
	global ns sender_classes tcp_ip_bytes timestamp_bytes
	set has_timestamps [info exists sender_classes($kind)]
	set tcp [new [expr { $has_timestamps ? $sender_classes($kind) : "Agent/TCP/$kind" }]]
	if { $has_timestamps } {
		$tcp set timestamps_ true
		$tcp set tcpip_base_hdr_size_ $tcp_ip_bytes
		$tcp set ts_option_size_ $timestamp_bytes
	}
	$tcp set packetSize_ [expr { $packet_bytes - [header_bytes_of $kind] }]
	$tcp set window_ $window_packets
	switch [$tcp info class] {
		Agent/TCP/Modern { $tcp congestion_control $control }
		Agent/TCP/Linux {
			$tcp set as_shipped_ [expr { $kind eq "2009-as-shipped" }]
			$ns at 0 "$tcp select_ca $control"
		}
	}
	return $tcp
}

# Returns a receiver for a kind of sender; ns-2's own senders take the kind of receiver that `class` names.
proc new_tcp_sink { kind { delayed_acks 0 } { class Agent/TCPSink } } {
	global delayed_ack_s
	switch $kind {
		fectcp { set sink [new Agent/TCPSink/Fectcp] }
		modern {
			set sink [new Agent/TCPSink/Modern]
			$sink set delayed_acks_ $delayed_acks
		}
		2009 - 2009-as-shipped {
			set sink [new [expr { $delayed_acks ? "Agent/TCPSink/Sack1/DelAck" : "Agent/TCPSink/Sack1" }]]
			$sink set ts_echo_rfc1323_ true
			if { $delayed_acks } { $sink set interval_ $delayed_ack_s }
		}
		default { set sink [new $class] }
	}
	$sink set packetSize_ [header_bytes_of $kind]
	return $sink
}

proc join_agents { from tcp to sink } {
	global ns
	$ns attach-agent $from $tcp
	$ns attach-agent $to $sink
	$ns connect $tcp $sink
}

# Returns the number of segments of a transfer with this payload each, rounded up; 0 for a flow without end.
proc segments_of { transfer_bytes payload_bytes } {
	expr { ($transfer_bytes + $payload_bytes - 1) / $payload_bytes }
}

# Starts a transfer, which calls `done` at its end, or a flow without end if `segments` is 0.
proc start_tcp { tcp time segments { done "" } } {
	global ns
	if { $segments > 0 } {
		$tcp proc done {} $done
		$ns at $time "$tcp advance $segments"
	} else {
		set ftp [new Application/FTP]
		$ftp attach-agent $tcp
		$ns at $time "$ftp start"
	}
}
