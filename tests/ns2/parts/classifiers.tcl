set ns [new Simulator]
set targets [list [new Agent/Null] [new Agent/Null] [new Agent/Null]]
foreach type { Dest Fid SrcDest SrcDestFid } {
	set classifier [new Classifier/Hash/$type 32]
	foreach target $targets { puts "slot [$classifier installNext $target]" }
	set slot 0
	foreach key { 0 1 7 4095 65535 65536 70000 2147483647 -1 -2 } {
		puts "set [catch { $classifier set-hash auto $key $key $key [expr { [incr slot] % 3 }] }]"
	}
	puts "overwrite [catch { $classifier set-hash auto 7 7 7 0 }]"
	foreach key { 1 65536 12345 } { puts "delete [catch { $classifier del-hash $key $key $key } slot] $slot" }
	foreach key { 0 1 2 7 4095 65534 65535 65536 70000 131072 2147483647 -1 -2 -3 } {
		set found [$classifier lookup auto $key $key $key]
		puts "$type $key [lsearch $targets $found]"
	}
	$classifier reset
	puts "after reset [lsearch $targets [$classifier lookup auto 7 7 7]]"
}
