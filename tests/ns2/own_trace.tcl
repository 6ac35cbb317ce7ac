set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 1Mb 50ms DropTail
set tcp [new Agent/TCP/[lindex $argv 0]]
$tcp set timestamps_ true
set sink [new Agent/TCPSink/[lindex $argv 1]]
$sink set ts_echo_rfc1323_ true
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$tcp attach [open own.tr w]
$tcp trace srtt_s_
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
$ns at 1 { exit 0 }
$ns run
