# A split connection from ordinary agents: `new_proxy` between the proxy's receiver and its sender, and `keep_to_window`
# at the first sender. Scripts call `add-packet-header CliftWindow` before `new Simulator`.

source [file join [file dirname [info script]] connectors.tcl]

# Joins the receiver `sink` and the sender `tcp`, both attached to `node`, by a buffer of `capacity` segments. The proxy
# forwards a segment `delay_s` after its arrival in order. Returns the proxy (`counters`, `expect SEGMENTS`, `done`).
proc new_proxy { node sink tcp capacity delay_s } {
	set proxy [new Clift/Proxy $tcp $capacity $delay_s]
	insert_before $node $sink [new Clift/ProxyPort $proxy data_in]
	insert_behind $sink [new Clift/ProxyPort $proxy answers_out]
	insert_before $node $tcp [new Clift/ProxyPort $proxy acks_in]
	insert_behind $tcp [new Clift/ProxyPort $proxy data_out]
	return $proxy
}

# Limits the sender `tcp`, attached to `node`, to its receiver's advertised window, `capacity` segments at first.
# Returns the object to which the application offers its data (`offer SEGMENTS`, -1: without end).
proc keep_to_window { node tcp capacity } {
	set window [new Clift/SendWindow $tcp $capacity]
	$tcp trace t_seqno_ $window
	[$node demux] install [$tcp set agent_port_] $window
	return $window
}

# Stops the timers of senders without data to send: otherwise ns-2 restarts them for ever, to begin again with a small
# window after idle times.
proc close_senders { args } {
	foreach tcp $args { $tcp set slow_start_restart_ false }
}
