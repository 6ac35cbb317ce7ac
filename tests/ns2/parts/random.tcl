set rng [new RNG]
foreach seed { 1 12345 2147483646 } {
	$rng seed $seed
	for { set i 0 } { $i < 2000 } { incr i } {
		puts "[$rng next-random] [$rng uniform -3 1e6] [$rng exponential] [$rng normal 5 2]"
	}
	$rng next-substream
	puts [$rng next-random]
}
