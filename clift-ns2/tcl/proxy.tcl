# A split connection, from agents as any: `new_proxy` between the proxy's receiver and its sender, and `keep_to_window` at the
# sender whose data it takes. Scripts say `add-packet-header CliftWindow` before `new Simulator`.

source [file join [file dirname [info script]] connectors.tcl]

# Joins the receiver `sink` and the sender `tcp`, both attached to `node`, by a buffer of `capacity` segments, each of which is
# sent on `delay_s` after it has arrived in order. Returns the proxy (`counters`, `expect SEGMENTS`, `done`).
proc new_proxy { node sink tcp capacity delay_s } {
	set proxy [new Clift/Proxy $tcp $capacity $delay_s]
	insert_before $node $sink [new Clift/ProxyPort $proxy data_in]
	insert_behind $sink [new Clift/ProxyPort $proxy answers_out]
	insert_before $node $tcp [new Clift/ProxyPort $proxy acks_in]
	insert_behind $tcp [new Clift/ProxyPort $proxy data_out]
	return $proxy
}

# Keeps the sender `tcp`, attached to `node`, to the window that it is told, `capacity` segments at first. What it sends is
# then offered to what this returns (`offer SEGMENTS`, -1: without end).
proc keep_to_window { node tcp capacity } {
	set window [new Clift/SendWindow $tcp $capacity]
	$tcp trace t_seqno_ $window
	[$node demux] install [$tcp set agent_port_] $window
	return $window
}

# Has senders that have no more to send set no more timers: ns-2's restart theirs while they are idle, so as to begin anew
# with a small window, for ever.
proc close_senders { args } {
	foreach tcp $args { $tcp set slow_start_restart_ false }
}
