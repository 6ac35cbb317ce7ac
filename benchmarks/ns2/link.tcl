# Datagrams of 1500 bytes at random moments over one link: `ns link.tcl DURATION_S QUEUE ?TRACE LLDU_BYTES PACKED DISCIPLINE?`.
# Prints how many have arrived.

lassign $argv duration_s queue trace lldu_bytes packed discipline
set rate 10Mb
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to $rate 10ms $queue
$ns queue-limit $from $to 100
if { $trace ne "" } {
	[[$ns link $from $to] queue] set loop_ 1
	[[$ns link $from $to] queue] set lldu_bytes_ $lldu_bytes
	[[$ns link $from $to] queue] set packed_ $packed
	[[$ns link $from $to] queue] discipline $discipline
	[[$ns link $from $to] queue] load $trace
}
set udp [new Agent/UDP]
$udp set packetSize_ 1500
set sink [new Agent/LossMonitor]
$ns attach-agent $from $udp
$ns attach-agent $to $sink
$ns connect $udp $sink
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1500
$cbr set rate_ 9.5Mb
$cbr set random_ 1
$cbr attach-agent $udp
$ns at 0 "$cbr start"
proc finish {} {
	global sink
	puts [$sink set npkts_]
	exit 0
}
$ns at $duration_s finish
$ns run
