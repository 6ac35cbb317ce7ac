# One TCP flow over a geostationary satellite that loses a packet in a thousand, beside an ON/OFF source.

set ns [new Simulator]
set source [$ns node]
set gateway [$ns node]
set terminal [$ns node]
$ns duplex-link $source $gateway 100Mb 5ms DropTail
$ns duplex-link $gateway $terminal 2Mb 250ms DropTail
$ns queue-limit $gateway $terminal 100
set errors [new ErrorModel]
$errors set rate_ 0.001
$errors unit pkt
$errors ranvar [new RandomVariable/Uniform]
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $gateway $terminal
set tcp [$ns create-connection TCP/Sack1 $source TCPSink/Sack1 $terminal 1]
$tcp set window_ 200
$tcp set packetSize_ 1460
$ns at 0 "[$tcp attach-app FTP] start"
set udp [$ns create-connection UDP $source Null $terminal 2]
set bursts [$udp attach-app Traffic/Exponential]
$bursts set rate_ 1Mb
$ns at 0 "$bursts start"
proc finish {} {
	global tcp
	puts "[$tcp set ack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_]"
	exit 0
}
$ns at 10000 finish
$ns run
