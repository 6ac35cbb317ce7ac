set ns [new Simulator]
$ns set-address-format hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ { 2 1 }
AddrParams set nodes_num_ { 2 1 2 }
set trace [open out.tr w]
$ns trace-all $trace
foreach address { 0.0.0 0.0.1 0.1.0 1.0.0 1.0.1 } { lappend nodes [$ns node $address] }
foreach a [lrange $nodes 0 end-1] b [lrange $nodes 1 end] { $ns duplex-link $a $b 1Mb 10ms DropTail }
set tcp [$ns create-connection TCP [lindex $nodes 0] TCPSink [lindex $nodes 4] 1]
$ns at 0.5 "[$tcp attach-app FTP] start"
$ns at 3 "$ns flush-trace; exit 0"
$ns run
