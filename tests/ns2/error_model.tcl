# Sends packets through an error model: `ns error_model.tcl CLASS PACKETS BYTES KEY VALUE ...`, where KEY is a command
# or a variable of the model. A packet is sent each millisecond; out.tr has a line for the fate of each.

lassign $argv class packets bytes
remove-all-packet-headers
add-packet-header IP RTP
set ns [new Simulator]
$defaultRNG next-substream
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 1Gb 0ms DropTail
set model [new $class]
foreach { key value } [lrange $argv 3 end] {
	if { [string match *_ $key] } { $model set $key $value } else { $model $key $value }
}

$ns link-lossmodel $model $from $to
set lost [open out.tr w]
$ns trace-queue $from $to $lost

set source [new Agent/UDP]
$source set packetSize_ $bytes
set sink [new Agent/Null]
$ns attach-agent $from $source
$ns attach-agent $to $sink
$ns connect $source $sink
set traffic [new Application/Traffic/CBR]
$traffic set packetSize_ $bytes
$traffic set interval_ 0.001
$traffic set maxpkts_ $packets
$traffic attach-agent $source
$ns at 0 "$traffic start"
$ns at [expr { 0.001 * $packets + 1 }] "close $lost; exit 0"
$ns run
