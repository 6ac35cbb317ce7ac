# Connectors between agents, links and where their packets go.

# Puts a connector where packets reach an agent: the last one put there is met first.
proc insert_before { node agent connector } {
	set port [$agent set agent_port_]
	set entry [[$node demux] slot $port]
	$connector target $entry
	[$node demux] install $port $connector
}

# And where packets leave an agent, or another connector: the last one put there is met first, too.
proc insert_behind { source connector } {
	$connector target [$source target]
	$source target $connector
}

# Loses packets at random that have crossed the link. Returns what counts them (`lost`).
proc lose_behind { from to probability } {
	global ns
	set losses [new Clift/RandomLoss $probability]
	insert_behind [[$ns link $from $to] link] $losses
	return $losses
}
