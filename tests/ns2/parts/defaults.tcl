# Defaults of bound variables: own class, classes above, changed later, nowhere, two parents.
set ns [new Simulator]
Class Agent/TCP/Mine -superclass Agent/TCP/Newreno
Class Mixin
Class Agent/TCP/Mixed -superclass { Mixin Agent/TCP/Sack1 }
Mixin set packetSize_ 333
proc show tcp {
	foreach name { window_ packetSize_ tcpTick_ overhead_ ecn_ fid_ rtxcur_init_ } {
		puts -nonewline "$name [$tcp set $name] "
	}
	puts [lsort [$tcp info vars]]
}
foreach type { Newreno Mine Mixed } {
	show [new Agent/TCP/$type]
	Agent/TCP/$type set window_ 77
	Agent/TCP set overhead_ 2ms
	show [new Agent/TCP/$type]
}
foreach type { DelayLink Queue/RED ErrorModel Application/Traffic/CBR } {
	set object [new $type]
	foreach name [lsort [$type info vars]] { catch { puts "$type $name [$object set $name]" } }
}
Agent/UDP unset packetSize_
puts [[new Agent/UDP] set packetSize_]
