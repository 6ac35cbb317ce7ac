# Headers of a user's own push the others beyond the part of a packet that has marks to itself.
Class PacketHeader/Own -superclass PacketHeader
PacketHeader/Own set hdrlen_ 9000
PacketHeader/Own proc offset args {}
PacketHeaderManager set tab_(PacketHeader/Own) 1
set ns [new Simulator]
set trace [open out.tr w]
$ns trace-all $trace
for { set i 0 } { $i < 3 } { incr i } { set node($i) [$ns node] }
$ns duplex-link $node(0) $node(1) 2Mb 10ms RED
$ns duplex-link $node(1) $node(2) 1Mb 10ms DropTail
$ns queue-limit $node(1) $node(2) 8
set tcp [$ns create-connection TCP/Sack1 $node(0) TCPSink/Sack1 $node(2) 1]
$tcp set window_ 30
$tcp set ecn_ 1
$ns at 0 "[$tcp attach-app FTP] start"
set rap [$ns create-connection RAP $node(0) RAP $node(2) 2]
$ns at 0.1 "$rap start"
$ns at 5 "$ns flush-trace; exit 0"
$ns run
