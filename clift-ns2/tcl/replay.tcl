# One replay: TCP flows from a sender to a receiver over link traces or plain links, recorded.
#
#   ns replay.tcl KEY VALUE ...      (keys and what they mean: docs/queue.md, section Replay)
#
# Writes packets.npy, windows.npy and counters.tsv into the current directory.

source [file join [file dirname [info script]] settings.tcl]
source [file join [file dirname [info script]] path.tcl]
source [file join [file dirname [info script]] proxy.tcl]
source [file join [file dirname [info script]] flows.tcl]

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

read_settings $argv
remove-all-packet-headers
add-packet-header IP TCP Flags Clift
if { $setting(proxy) } { add-packet-header CliftWindow }
set ns [new Simulator]
for { set i 0 } { $i < $setting(seed) } { incr i } {
	$defaultRNG next-substream
}
set recorder [new Clift/Recorder]
build_path
build_flows
$recorder open
$ns at $setting(duration_s) finish
$ns run
exit 0
