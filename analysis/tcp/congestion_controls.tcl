# Bulk transfers of Agent/TCP/Modern over one bottleneck with independent losses.
#
#   ns congestion_controls.tcl KEY VALUE ...
#
# Prints lines NAME<tab>NUMBER: for each flow the packets acknowledged in order and the timeouts, both from `warm_s` on, and of the bottleneck's
# queue the mean length in packets.

array set setting {
	control cubic  flows 1  rate_bps 2e6  rtt_s 0.5  queue_packets 500  loss 0  window_packets 20000
	packet_bytes 1500  duration_s 300  warm_s 0  stagger_s 0  seed 1
}
foreach { key value } $argv {
	if { ![info exists setting($key)] } {
		puts stderr "congestion_controls.tcl: $key is no setting"
		exit 2
	}
	set setting($key) $value
}

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]

# Substreams: small seeds would give first draws that are nearly proportional to them.
proc substream { generator number } {
	for { set i 0 } { $i < $number } { incr i } { $generator next-substream }
}
substream $defaultRNG $setting(seed)
set loss_random [new RNG]
substream $loss_random $setting(seed)

# The bottleneck and its queue first, then the path that loses: what is lost has taken its time at the bottleneck.
set sender [$ns node]
set router [$ns node]
set receiver [$ns node]
set delay_s [expr { $setting(rtt_s) / 2.0 }]
$ns simplex-link $sender $router $setting(rate_bps) 0 DropTail
$ns simplex-link $router $receiver 1e12 $delay_s DropTail
$ns simplex-link $receiver $sender 1e12 $delay_s DropTail
[[$ns link $sender $router] queue] set limit_ $setting(queue_packets)
foreach { from to } [list $router $receiver $receiver $sender] {
	[[$ns link $from $to] queue] set limit_ 1000000
}
if { $setting(loss) > 0 } {
	set losses [new ErrorModel]
	$losses unit pkt
	$losses set rate_ $setting(loss)
	set draw [new RandomVariable/Uniform]
	$draw use-rng $loss_random
	$losses ranvar $draw
	$losses drop-target [new Agent/Null]
	$ns lossmodel $losses $router $receiver
}
set monitor [$ns monitor-queue $sender $router ""]
set queue_samples [new Integrator]
$monitor set-pkts-integrator $queue_samples

set header_bytes 52
for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
	set tcp [new Agent/TCP/Modern]
	$tcp set timestamps_ true
	$tcp set tcpip_base_hdr_size_ 40
	$tcp set ts_option_size_ 12
	$tcp set packetSize_ [expr { $setting(packet_bytes) - $header_bytes }]
	$tcp set window_ $setting(window_packets)
	$tcp congestion_control $setting(control)
	set sink [new Agent/TCPSink/Modern]
	$sink set packetSize_ $header_bytes
	$ns attach-agent $sender $tcp
	$ns attach-agent $receiver $sink
	$ns connect $tcp $sink
	set ftp [new Application/FTP]
	$ftp attach-agent $tcp
	$ns at [expr { $flow * $setting(stagger_s) }] "$ftp start"
	set tcps($flow) $tcp
	set warm_acked($flow) 0
	set warm_timeouts($flow) 0
}

proc warm {} {
	global setting tcps warm_acked warm_timeouts queue_samples warm_area
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		set warm_acked($flow) [$tcps($flow) set ack_]
		set warm_timeouts($flow) [$tcps($flow) set nrexmit_]
	}
	set warm_area [queue_area]
}

proc queue_area {} {
	global ns queue_samples
	$queue_samples newpoint [$ns now] [$queue_samples set lasty_]
	return [$queue_samples set sum_]
}

proc finish {} {
	global setting tcps warm_acked warm_timeouts warm_area
	for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
		puts "acked_$flow\t[expr { [$tcps($flow) set ack_] - $warm_acked($flow) }]"
		puts "timeouts_$flow\t[expr { [$tcps($flow) set nrexmit_] - $warm_timeouts($flow) }]"
	}
	puts "mean_queue\t[expr { ([queue_area] - $warm_area) / ($setting(duration_s) - $setting(warm_s)) }]"
	exit 0
}

$ns at $setting(warm_s) warm
$ns at $setting(duration_s) finish
$ns run
