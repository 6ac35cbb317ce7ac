# The path: a sender's and a receiver's node with a simplex link each way, plain or over a link trace. With a wired hop,
# the sender's packets first cross that hop, to the node before the link: a base station, or a proxy.

# Settings of the links and their queues, which the emulator and the kernel's driver have, too.
set path_settings [new Clift/PathSettings]
foreach { key value } [$path_settings values] { declare [list $key path $value] }

declare {
	forward_scheme    list     {}
	return_scheme     list     {}
	forward_users     list     {}
	forward_scheduler text     {}
	ack_thinning      {choice {none filter decimate}} none
	ack_interval_s    {real more} 1
	wired_rate_bps    {real 0} 0
	wired_delay_s     {real 0} 0
	wired_loss        {real 0} 0
}

# Gives the settings that the script's words lack their defaults.
proc complete_path {} {
	global setting path_settings
	$path_settings complete
	array set setting [$path_settings values]
	# ns-2's largest limit of a queue.
	set most 2147483647
	if { $setting(queue_packets) == 0 || $setting(queue_packets) > $most } { set setting(queue_packets) $most }
}

# Each user of a shared line has a receiver and links of its own; the sender and the wired hop are common.
proc build_path {} {
	global ns setting sender base receiver receivers line
	set sender [$ns node]
	set receiver [$ns node]
	set base $sender
	if { $setting(wired_rate_bps) > 0 } {
		set base [$ns node]
		build_wired_link forward $sender $base $setting(wired_loss)
		build_wired_link return $base $sender 0
	}
	set receivers [list $receiver]
	foreach user $setting(forward_users) { lappend receivers [$ns node] }
	set traces [list $setting(forward) {*}$setting(forward_users)]
	if { $setting(forward_scheduler) ne "" } { set line [new Clift/SharedLine $setting(forward_scheduler)] }
	foreach to $receivers trace $traces {
		build_link forward $base $to $trace
		build_link return $to $base $setting(return)
		thin_acks $to $base
	}
}

# Whether users share the forward link's slots.
proc is_shared {} {
	global setting
	return [expr { $setting(forward_scheduler) ne "" }]
}

# Puts ACK thinning before the queue of the return link.
proc thin_acks { from to } {
	global ns setting recorder queues
	switch $setting(ack_thinning) {
		none return
		filter { set thinning [new Clift/AckFilter $recorder [lindex $queues(return) end]] }
		decimate { set thinning [new Clift/AckSpacing $recorder $setting(ack_interval_s)] }
	}
	[$ns link $from $to] add-to-head $thinning
}

# A lost packet has used its time on the link before.
proc build_wired_link { direction from to loss } {
	global ns setting wired_losses wired_drops
	$ns simplex-link $from $to $setting(wired_rate_bps) $setting(wired_delay_s) DropTail
	$ns queue-limit $from $to $setting(queue_packets)
	set wired_losses($direction) [lose_behind $from $to $loss]
	set wired_drops($direction) [new Clift/RandomLoss 1]
	[[$ns link $from $to] set drophead_] target $wired_drops($direction)
}

proc build_link { direction from to trace } {
	global ns setting queues line
	set rate $setting(${direction}_rate_bps)
	set delay [expr { $setting(rtt_s) / 2.0 }]
	if { $trace eq "" && [has_plain_queue] } {
		set type DropTail
	} elseif { $trace eq "" } {
		set type Clift
	} else {
		set type [expr { $setting(${direction}_scheme) eq "" ? "Clift" : "Clift/Online" }]
	}
	$ns simplex-link $from $to $rate $delay $type
	$ns queue-limit $from $to $setting(queue_packets)
	set queue [[$ns link $from $to] queue]
	lappend queues($direction) $queue
	if { $type ne "DropTail" } { set_queue $queue }
	if { $setting(rtt_series) ne "" } { set_motion $queue }
	if { $trace ne "" } {
		load_trace $queue $direction $trace
	} elseif { $type eq "DropTail" } {
		record_drops $from $to
	} else {
		$queue rate $rate
	}
	if { $direction eq "forward" && [is_shared] } { $queue share $line }
}

# Whether ns-2's DropTail and DelayLink do what the settings ask for.
proc has_plain_queue {} {
	global setting
	return [expr { $setting(rtt_series) eq "" && [lindex $setting(queue) 0] eq "droptail" && "head" ni $setting(queue) && $setting(queue_bytes) == 0
		&& $setting(queue_time_s) == 0 && $setting(queue_counts) eq "all" }]
}

proc set_queue { queue } {
	global setting recorder
	$queue recorder $recorder
	$queue discipline $setting(queue)
	$queue set limit_bytes_ $setting(queue_bytes)
	$queue set limit_time_ $setting(queue_time_s)
	$queue set limit_counts_sending_ [expr { $setting(queue_counts) eq "all" }]
}

# The delay of the link follows a series; a link without a trace repeats it, too.
proc set_motion { queue } {
	global setting
	$queue set loop_ $setting(loop)
	$queue set rtt_offset_ $setting(rtt_offset_s)
	$queue set overtaking_ $setting(overtaking)
	$queue rtt-series $setting(rtt_series)
}

proc load_trace { queue direction trace } {
	global setting
	if { $setting(${direction}_scheme) eq "" } {
		$queue set lldu_bytes_ $setting(${direction}_lldu_bytes)
	} else {
		set_scheme $queue $direction
	}
	$queue set packed_ [expr { $setting(${direction}_packing) eq "packed" }]
	foreach name { begin length offset } { $queue set ${name}_ $setting(${direction}_${name}_s) }
	$queue set loop_ $setting(loop)
	$queue set in_order_ $setting(in_order)
	$queue set hold_ $setting(hold_s)
	$queue load $trace
}

# The scheme for the packets of one direction: its name, then variables of the queue without their last underscore, and
# their values.
proc set_scheme { queue direction } {
	global setting
	set values [lassign $setting(${direction}_scheme) name]
	$queue scheme $name
	$queue set unit_bytes_ $setting(${direction}_lldu_bytes)
	foreach { name value } $values {
		if { [catch { $queue set ${name}_ }] } { refuse "${direction}_scheme is $setting(${direction}_scheme); the queue has no $name" }
		$queue set ${name}_ $value
	}
}

# A plain link's queue has no recorder: its dropped packets pass a tap on their way out.
proc record_drops { from to } {
	global ns recorder
	insert_behind [[$ns link $from $to] set drophead_] [new Clift/Tap $recorder queue_dropped]
}

# Returns names and values of the counters of the wired hop and of Queue/Clift.
proc path_counters {} {
	global setting queues wired_losses wired_drops
	set counters {}
	if { $setting(wired_rate_bps) > 0 } {
		lappend counters wired_lost [$wired_losses(forward) lost] \
			wired_dropped [expr { [$wired_drops(forward) lost] + [$wired_drops(return) lost] }]
	}
	foreach direction { forward return } {
		if { $setting($direction) eq "" } continue
		foreach { name value } [queue_counters $queues($direction)] {
			lappend counters ${direction}_$name $value
		}
	}
	return $counters
}

# Returns names and values of the counters of a direction's queues. Users of a shared line are offered the same rows: of
# their bytes the mean counts.
proc queue_counters { queues } {
	foreach queue $queues {
		foreach { name value } [$queue counters] { lappend all($name) $value }
	}
	set counters {}
	foreach { name value } [[lindex $queues 0] counters] {
		switch $name {
			rows_offered - trace_repeats - stopped_at_ns { set value [lindex $all($name) 0] }
			rows_unused { set value [expr { [lindex $all(rows_offered) 0] - [tcl::mathop::+ {*}$all(rows_used)] }] }
			bytes_offered { set value [expr { [tcl::mathop::+ {*}$all($name)] / [llength $queues] }] }
			default { set value [tcl::mathop::+ {*}$all($name)] }
		}
		lappend counters $name $value
	}
	return $counters
}
