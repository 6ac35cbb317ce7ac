# Sends datagrams over one link: `ns datagrams.tcl QUEUE SENDINGS RATE DELAY DURATION KEY VALUE ...`, where QUEUE is Clift or
# Clift/Online, SENDINGS has a line "time size" or "time size flow" for each, and KEY is a command or a variable of the queue. KEY
# `at` has a time and a command as VALUE. Leaves packets.npy, counters and out.tr.

lassign $argv type sendings rate delay duration
add-packet-header Clift
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to $rate $delay $type
set queue [[$ns link $from $to] queue]
set monitor [$ns monitor-queue $from $to [open /dev/null w]]
set recorder [new Clift/Recorder]
$queue recorder $recorder
foreach { key value } [lrange $argv 5 end] {
	switch -glob -- $key {
		at { $ns at {*}$value }
		*_ { $queue set $key $value }
		default { $queue $key $value }
	}
}

set sink [new Agent/Null]
$ns attach-agent $to $sink
set received [new Clift/Tap $recorder received]
$received target $sink
[$to demux] install [$sink set agent_port_] $received

# Returns the agent of a flow.
proc source_of { flow } {
	global ns from sink recorder sources
	if { ![info exists sources($flow)] } {
		set source [new Agent/UDP]
		$source set packetSize_ 60000
		$ns attach-agent $from $source
		$ns connect $source $sink
		set sent [new Clift/Tap $recorder sent 0 0]
		$sent target [$source target]
		$source target $sent
		set sources($flow) $source
	}
	return $sources($flow)
}

set file [open $sendings]
while { [gets $file line] >= 0 } {
	lassign "$line 0" time size flow
	$ns at $time "[source_of $flow] send $size"
}
proc finish {} {
	global ns recorder queue trace monitor
	$recorder close
	close $trace
	array set count [$queue counters]
	foreach name [lsort [array names count]] { puts "$name $count($name)" }
	foreach name { parrivals_ pdepartures_ pdrops_ pkts_ } { puts "monitor_$name [expr { round([$monitor set $name]) }]" }
	$ns halt
}
$recorder open
$ns at $duration finish
$ns run
