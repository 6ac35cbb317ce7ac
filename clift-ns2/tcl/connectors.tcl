# Connectors between agents, links and the targets of their packets.

# Puts a connector in front of an agent: packets pass the connector added last first.
proc insert_before { node agent connector } {
	set port [$agent set agent_port_]
	set entry [[$node demux] slot $port]
	$connector target $entry
	[$node demux] install $port $connector
}

# Puts a connector behind an agent, or behind another connector: packets pass the one added last first, too.
proc insert_behind { source connector } {
	$connector target [$source target]
	$source target $connector
}

# Loses packets at random behind the link. Returns the connector that counts them (`lost`).
proc lose_behind { from to probability } {
	global ns
	set losses [new Clift/RandomLoss $probability]
	insert_behind [[$ns link $from $to] link] $losses
	return $losses
}
