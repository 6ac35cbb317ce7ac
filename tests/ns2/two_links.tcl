# One TCP transfer over two links in a row, without loss:
#   ns two_links.tcl SEGMENTS WINDOW WIRED_RATE WIRED_DELAY WIRELESS_RATE WIRELESS_DELAY
# Leaves packets.npy.

lassign $argv segments window wired_rate wired_delay wireless_rate wireless_delay
add-packet-header Clift
set ns [new Simulator]
foreach name { source middle destination } { set $name [$ns node] }
$ns duplex-link $source $middle $wired_rate $wired_delay DropTail
$ns duplex-link $middle $destination $wireless_rate $wireless_delay DropTail
$ns queue-limit $source $middle 10000
$ns queue-limit $middle $destination 10000
set tcp [new Agent/TCP/Newreno]
$tcp set packetSize_ 1460
$tcp set window_ $window
$tcp set windowInit_ 2
set sink [new Agent/TCPSink/DelAck]
$sink set packetSize_ 40
$ns attach-agent $source $tcp
$ns attach-agent $destination $sink
$ns connect $tcp $sink
set recorder [new Clift/Recorder]
set sent [new Clift/Tap $recorder sent 0 0]
$sent target [$tcp target]
$tcp target $sent
set received [new Clift/Tap $recorder received]
$received target $sink
[$destination demux] install [$sink set agent_port_] $received
$tcp proc done {} { global ns recorder; $recorder close; $ns halt }
$recorder open
$ns at 0 "$tcp advance $segments"
$ns at 1000 { exit 1 }
$ns run
