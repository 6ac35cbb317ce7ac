# Transfers through one proxy, from left to right and from right to left, with losses on each of the four simplex links.
# Nothing ends the run but that nothing is left to happen. Prints one line NAME VALUE for each counter.
set folder [file normalize [file join [file dirname [info script]] .. .. clift-ns2 tcl]]
foreach part { settings proxy flows } { source [file join $folder $part.tcl] }

foreach { key kind default } $known { set setting($key) $default }
array set setting {
	to_right 1  to_left 0  packets 100  proxy_buffer_packets 20  proxy_delay_s 0  seed 1
	stack 2009  tcp cubic  proxy_stack 2009  proxy_tcp cubic
	wired_bps 10e6  wired_delay_s 0.02  link_bps 2e6  link_delay_s 0.05
	wired_loss 0  wired_ack_loss 0  link_loss 0  link_ack_loss 0
	queue_packets 1000  window_packets 1000  packet_bytes 1500
}
array set setting $argv
choose_controls
set control [dict get [lindex $flow_groups 0] control]

remove-all-packet-headers
add-packet-header IP TCP Flags CliftWindow
set ns [new Simulator]
for { set i 0 } { $i < $setting(seed) } { incr i } { $defaultRNG next-substream }
set left [$ns node]
set middle [$ns node]
set right [$ns node]

proc lossy_link { from to rate delay loss } {
	global ns setting trace
	$ns simplex-link $from $to $rate $delay DropTail
	$ns queue-limit $from $to $setting(queue_packets)
	$ns trace-queue $from $to $trace
	lose_behind $from $to $loss
}

set trace [open out.tr w]
lossy_link $left $middle $setting(wired_bps) $setting(wired_delay_s) $setting(wired_loss)
lossy_link $middle $left $setting(wired_bps) $setting(wired_delay_s) $setting(wired_ack_loss)
lossy_link $middle $right $setting(link_bps) $setting(link_delay_s) $setting(link_loss)
lossy_link $right $middle $setting(link_bps) $setting(link_delay_s) $setting(link_ack_loss)

proc transfer { flow from to } {
	global ns setting control middle window_of proxy_of tcp_of onward_of done_s
	set tcp_of($flow) [new_sender $flow $setting(stack) $control]
	split_connection $flow $from $middle $to $control
	set done_s($flow) -1
	$proxy_of($flow) expect $setting(packets)
	$proxy_of($flow) proc done {} "close_senders $tcp_of($flow) $onward_of($flow); set ::done_s($flow) \[\$::ns now\]"
	$ns at 0 "$window_of($flow) offer $setting(packets)"
}

set flow 0
for { set i 0 } { $i < $setting(to_right) } { incr i } { transfer $flow $left $right; incr flow }
for { set i 0 } { $i < $setting(to_left) } { incr i } { transfer $flow $right $left; incr flow }
$ns run

$ns flush-trace
close $trace
puts "end_s [$ns now]"
for { set i 0 } { $i < $flow } { incr i } {
	puts "flow_${i}_done_s $done_s($i)"
	puts "flow_${i}_retransmissions [$tcp_of($i) set nrexmitpack_]"
	puts "flow_${i}_timeouts [$tcp_of($i) set nrexmit_]"
	foreach { name value } [split_counters $i] { puts "flow_${i}_$name $value" }
}
foreach i [array names proxy_of] {
	delete $proxy_of($i)
	delete $window_of($i)
}
