# Bulk transfers of Agent/TCP/Modern over one bottleneck with independent losses.
#
#   ns congestion_controls.tcl KEY VALUE ...
#
# Prints lines NAME<tab>NUMBER: for each flow the packets acknowledged in order and the timeouts, both from `warm_s` on;
# and the mean length of the bottleneck's queue in packets.

set clift_tcl [file join [file dirname [info script]] .. .. clift-ns2 tcl]
foreach part { settings tcp } { source [file join $clift_tcl $part.tcl] }

read_settings {
	control        text        cubic
	flows          {int 1}     1
	rate_bps       {real 1}    2e6
	rtt_s          {real 0}    0.5
	queue_packets  {int 1}     500
	loss           {real 0}    0
	window_packets {int 1}     20000
	packet_bytes   {int 53 65535} 1500
	duration_s     {real more} 300
	warm_s         {real 0}    0
	stagger_s      {real 0}    0
	seed           {int 1 1000000} 1
} $argv

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]

use_seed $setting(seed)
set loss_random [use_seed $setting(seed) [new RNG]]

# First the bottleneck with its queue, then the lossy path: a lost packet has used its time at the bottleneck.
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

for { set flow 0 } { $flow < $setting(flows) } { incr flow } {
	set tcp [new_tcp modern $setting(packet_bytes) $setting(window_packets) $setting(control)]
	join_agents $sender $tcp $receiver [new_tcp_sink modern]
	start_tcp $tcp [expr { $flow * $setting(stagger_s) }] 0
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
