# Plans and cancels events at random, many for the same moments, and prints the order in which they happen.
expr { srand($argv) }
set ns [new Simulator]
proc moment {} {
	global ns
	set scale [lindex { 1e-9 1e-6 1e-3 1 1 1 1e3 1e6 1e12 } [expr { int(9 * rand()) }]]
	expr { [$ns now] + $scale * int(20 * rand()) }
}
proc plan {} {
	global ns planned left
	if { [incr left -1] < 0 } return
	set time [moment]
	set planned($left) [$ns at $time "happen $left"]
}
proc happen number {
	global ns planned
	puts "$number [$ns now]"
	unset planned($number)
	plan
	plan
	if { rand() < 0.5 } {
		foreach other [lrange [lsort -integer [array names planned]] 0 1] {
			$ns cancel $planned($other)
			unset planned($other)
			plan
		}
	}
}
set left 4000
for { set i 0 } { $i < 500 } { incr i } plan
$ns run
