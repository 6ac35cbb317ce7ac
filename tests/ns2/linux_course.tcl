# One TCP-Linux flow over 2 Mbit/s, for any ns-2: `ns linux_course.tcl VARIANT WINDOW DELAY_S LATER_DELAY_S LOSS AS_SHIPPED`.
# The delay of a way changes at 20 s. LOSS is the share of packets lost at random. Writes the window, the sequence
# numbers and the smoothed round-trip time to course.tr.

lassign $argv variant window delay_s later_delay_s loss as_shipped
Agent/TCP/Linux set as_shipped_ $as_shipped
set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 2Mb ${delay_s}s DropTail
$ns queue-limit $from $to 500
set errors [new ErrorModel]
$errors set rate_ $loss
$errors unit pkt
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $from $to
$ns at 20 "$ns delay $from $to ${later_delay_s}s duplex"

set tcp [new Agent/TCP/Linux]
$tcp set timestamps_ true
$tcp set window_ $window
set sink [new Agent/TCPSink/Sack1]
$sink set ts_echo_rfc1323_ true
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp select_ca $variant"
$tcp attach [open course.tr w]
$tcp trace cwnd_
$tcp trace t_seqno_
$tcp trace srtt_
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
$ns at 150 { exit 0 }
$ns run
