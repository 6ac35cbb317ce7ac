foreach { packets delay_s rate_bps duration_s } $argv {}
set ns [new Simulator]
set file [open packets.tr w]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 9600 $delay_s Clift
$ns queue-limit $from $to 10000000
$ns trace-queue $from $to $file
set queue [[$ns link $from $to] queue]
$queue set lldu_bytes_ 1500
$queue load link.npy
set udp [new Agent/UDP]
$udp set packetSize_ 1500
set null [new Agent/Null]
$ns attach-agent $from $udp
$ns attach-agent $to $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1500
$cbr set rate_ $rate_bps
$cbr set maxpkts_ $packets
$cbr attach-agent $udp
$ns at 0 "$cbr start"
proc finish {} { global file; close $file; exit 0 }
$ns at $duration_s finish
$ns run
