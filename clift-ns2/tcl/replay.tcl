# One replay: TCP flows from a sender to a receiver over link traces or plain links, recorded.
#
#   ns replay.tcl KEY VALUE ...      (keys and their meaning: docs/queue.md, section Replay)
#
# Writes packets.npy, windows.npy and counters.tsv into the current directory.

foreach part { settings path proxy flows } {
	source [file join [file dirname [info script]] $part.tcl]
}

set known [string map [list STACKS $stacks] {
	stack             {choice {STACKS}} modern
	tcp               text     cubic
	forward           text     {}
	return            text     {}
	forward_rate_bps  {real 1} 2e6
	return_rate_bps   {real 1} 2e6
	forward_lldu_bytes {int 1} 1500
	return_lldu_bytes {int 1}  1500
	forward_packing   {choice {padded packed}} padded
	return_packing    {choice {padded packed}} padded
	forward_offset_s  {real 0} 0
	return_offset_s   {real 0} 0
	forward_scheme    list     {}
	return_scheme     list     {}
	loop              flag     1
	in_order          flag     0
	hold_s            {real 0} 0
	rtt_s             {real 0} 0.5
	wired_rate_bps    {real 0} 0
	wired_delay_s     {real 0} 0
	wired_loss        {real 0} 0
	proxy             flag     0
	proxy_stack       {choice {STACKS}} modern
	proxy_tcp         text     cubic
	proxy_buffer_packets {int 2}  100
	proxy_delay_s     {real 0} 0
	delayed_acks      flag     0
	block_segments    {int 1}  256
	code_overhead     text     0%
	queue_packets     {int 1}  100
	window_packets    {int 1}  200
	packet_bytes      {int 53 65535} 1500
	duration_s        {real 0} 100
	transfer_bytes    {int 0 9223372036854775807} 0
	flows             {int 1 65536} 1
	return_flows      {int 0 1000} 0
	start_s           {real 0} 0
	start_spread_s    {real 0} 0
	seed              {int 1 1000000}  1
}]

# Checks of combinations of settings.
proc check_settings {} {
	global setting
	choose_controls
	if { $setting(proxy) && $setting(wired_rate_bps) == 0 } {
		refuse "proxy is 1; it needs a wired hop, wired_rate_bps of 1 or more"
	}
	if { $setting(proxy) && "fectcp" in [list $setting(tcp) $setting(proxy_tcp)] } {
		refuse "proxy is 1; it cannot split fectcp"
	}
	if { $setting(return_flows) > 0 && ($setting(proxy) || $setting(tcp) eq "fectcp") } {
		refuse "return_flows is $setting(return_flows); with a proxy or fectcp only 0 is allowed"
	}
}

# Writes `counters.tsv`: one line NAME<tab>INTEGER for each.
proc write_counters {} {
	global ns setting header_bytes
	set file [open counters.tsv.partial w]
	puts $file "end_ns\t[nanoseconds [$ns now]]"
	puts $file "header_bytes\t$header_bytes"
	foreach { name value } [concat [flow_counters] [path_counters]] {
		puts $file "$name\t$value"
	}
	close $file
	file rename -force counters.tsv.partial counters.tsv
}

proc finish {} {
	global ns recorder
	$recorder close
	write_counters
	$ns halt
}

read_settings $known $argv
check_settings
remove-all-packet-headers
add-packet-header IP TCP Flags Clift
if { $setting(proxy) } { add-packet-header CliftWindow }
set ns [new Simulator]
use_seed $setting(seed)
set recorder [new Clift/Recorder]
build_path
build_flows
$recorder open
$ns at $setting(duration_s) finish
$ns run
exit 0
