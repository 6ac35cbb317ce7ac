set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 12e6 0.05 DropTail
set tcp [new Agent/TCP/KIND]
$tcp set timestamps_ true
set sink [new Agent/TCPSink/KIND]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp advance 1000"
$ns at 0.12 "$ns detach-agent $from $tcp; delete $tcp"
$ns at 60 "puts {at its end}; exit 0"
$ns run
