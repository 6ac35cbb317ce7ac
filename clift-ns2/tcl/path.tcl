# The path: a sender's and a receiver's node with a simplex link each way, over a link trace or plain.

proc build_path {} {
	global ns sender receiver
	set sender [$ns node]
	set receiver [$ns node]
	build_link forward $sender $receiver
	build_link return $receiver $sender
}

proc build_link { direction from to } {
	global ns setting recorder queues
	set rate $setting(${direction}_rate_bps)
	set delay [expr { $setting(rtt_s) / 2.0 }]
	set trace $setting($direction)
	if { $trace eq "" } {
		set type DropTail
	} else {
		set type [expr { $setting(${direction}_scheme) eq "" ? "Clift" : "Clift/Online" }]
	}
	$ns simplex-link $from $to $rate $delay $type
	$ns queue-limit $from $to $setting(queue_packets)
	set queues($direction) [[$ns link $from $to] queue]
	if { $trace ne "" } {
		load_trace $queues($direction) $direction $trace
	} else {
		record_drops $from $to
	}
}

proc load_trace { queue direction trace } {
	global setting recorder
	if { $setting(${direction}_scheme) eq "" } {
		$queue set lldu_bytes_ $setting(${direction}_lldu_bytes)
	} else {
		set_scheme $queue $direction
	}
	$queue set offset_ $setting(${direction}_offset_s)
	$queue set loop_ $setting(loop)
	$queue set in_order_ $setting(in_order)
	$queue set hold_ $setting(hold_s)
	$queue recorder $recorder
	$queue load $trace
}

# The scheme that works on the packets of one direction.
proc set_scheme { queue direction } {
	global setting
	$queue scheme $setting(${direction}_scheme)
	$queue set unit_bytes_ $setting(${direction}_lldu_bytes)
	foreach name { data repair depth extra rounds max_transmissions } {
		$queue set ${name}_ $setting(${direction}_$name)
	}
	$queue set detection_delay_ $setting(${direction}_detection_delay_s)
}

# A plain link's queue knows no recorder: what it drops passes one on its way out.
proc record_drops { from to } {
	global ns recorder
	set head [[$ns link $from $to] set drophead_]
	set tap [new Clift/Tap $recorder queue_dropped]
	$tap target [$head target]
	$head target $tap
}

# Returns names and values of what Queue/Clift has counted.
proc path_counters {} {
	global setting queues
	set counters {}
	foreach direction { forward return } {
		if { $setting($direction) eq "" } continue
		foreach { name value } [$queues($direction) counters] {
			lappend counters ${direction}_$name $value
		}
	}
	return $counters
}
