# One replay: TCP flows from a sender to a receiver over link traces or plain links, recorded.
#
#   ns replay.tcl KEY VALUE ...      (keys and their meaning: docs/replay-script.md)
#
# Each setting is declared in the part that uses it. Writes packets.npy, windows.npy and counters.tsv into the current directory.

foreach part { settings path proxy flows } {
	source [file join [file dirname [info script]] $part.tcl]
}

declare {
	proxy             flag     0
	duration_s        {real 0} 100
	seed              {int 1 1000000}  1
}

# Checks of combinations of settings.
proc check_settings {} {
	global setting flow_groups
	choose_controls
	if { $setting(proxy) && $setting(wired_rate_bps) == 0 } {
		refuse "proxy is 1; it needs a wired hop, wired_rate_bps of 1 or more"
	}
	if { $setting(proxy) && $setting(groups) ne "" } {
		refuse "proxy is 1; it does not go with groups"
	}
	if { $setting(proxy) && "fectcp" in [list $setting(tcp) $setting(proxy_tcp)] } {
		refuse "proxy is 1; it cannot split fectcp"
	}
	if { $setting(return_flows) > 0 && ($setting(proxy) || $setting(tcp) eq "fectcp") } {
		refuse "return_flows is $setting(return_flows); with a proxy or fectcp only 0 is allowed"
	}
	if { $setting(pause_s) ne "none" && ($setting(proxy) || $setting(tcp) eq "fectcp" || $setting(transfer_bytes) == 0) } {
		refuse "pause_s is $setting(pause_s); only transfers without a proxy and fectcp have one"
	}
	set users [expr { [llength $setting(forward_users)] + 1 }]
	if { $users > 1 && ![is_shared] } {
		refuse "forward_users is $setting(forward_users); it needs forward_scheduler"
	}
	if { [is_shared] } { check_sharing }
	foreach group $flow_groups {
		if { [dict get $group user] > $users } {
			refuse "groups: user is [dict get $group user]; allowed are 1 to $users, the users of the forward link"
		}
		if { $setting(groups) ne "" && [dict get $group tcp] eq "fectcp" } {
			refuse "groups: tcp is fectcp, which does not go in a group"
		}
	}
}

proc check_sharing {} {
	global setting flow_groups
	set of "forward_scheduler is $setting(forward_scheduler)"
	if { $setting(forward) eq "" || $setting(forward_scheme) eq "" } { refuse "$of; it needs forward and forward_scheme" }
	if { $setting(return) ne "" } { refuse "$of; it does not go with a trace of the return link" }
	if { $setting(proxy) } { refuse "$of; it does not go with a proxy" }
	foreach group $flow_groups {
		if { [dict get $group direction] ne "forward" } { refuse "$of; it does not go with flows of direction return" }
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
complete_path
check_settings
remove-all-packet-headers
add-packet-header IP TCP Flags Clift
if { $setting(proxy) || [has_buffers] } { add-packet-header CliftWindow }
set ns [new Simulator]
use_seed $setting(seed)
set recorder [new Clift/Recorder]
build_path
build_flows
$recorder open
$ns at $setting(duration_s) finish
$ns run
exit 0
