# The settings of a replay: names, defaults, and what is allowed.

# Kinds: text; int LEAST ?MOST?; real LEAST (a number of at least so much); flag; stack; variant.
set known_settings {
	stack             stack    2009
	tcp               variant  cubic
	forward           text     {}
	return            text     {}
	forward_rate_bps  {real 1} 2e6
	return_rate_bps   {real 1} 2e6
	forward_lldu_bytes {int 1} 1500
	return_lldu_bytes {int 1}  1500
	forward_offset_s  {real 0} 0
	return_offset_s   {real 0} 0
	forward_scheme    text     {}
	return_scheme     text     {}
	forward_data      {int 1}  1
	return_data       {int 1}  1
	forward_repair    {int 0}  0
	return_repair     {int 0}  0
	forward_depth     {int 1}  1
	return_depth      {int 1}  1
	forward_extra     {int 0}  1
	return_extra      {int 0}  1
	forward_rounds    {int 0}  2
	return_rounds     {int 0}  2
	forward_max_transmissions {int 0} 0
	return_max_transmissions  {int 0} 0
	forward_persistency {int -1} -1
	return_persistency  {int -1} -1
	forward_window_frames {int 1} 1
	return_window_frames  {int 1} 1
	forward_repeat_after_s {real 0} 0
	return_repeat_after_s  {real 0} 0
	forward_detection_delay_s {real 0} 0
	return_detection_delay_s  {real 0} 0
	loop              flag     1
	in_order          flag     0
	hold_s            {real 0} 0
	rtt_s             {real 0} 0.5
	wired_rate_bps    {real 0} 0
	wired_delay_s     {real 0} 0
	wired_loss        {real 0} 0
	proxy             flag     0
	proxy_stack       stack    2009
	proxy_tcp         variant  cubic
	proxy_buffer_packets {int 2 2147483647} 100
	proxy_delay_s     {real 0} 0
	delayed_acks      flag     0
	block_segments    {int 1 2147483647} 256
	code_overhead     text     0%
	queue_packets     {int 1}  100
	window_packets    {int 1}  200
	packet_bytes      {int 53} 1500
	duration_s        {real 0} 100
	transfer_bytes    {int 0}  0
	flows             {int 1}  1
	start_s           {real 0} 0
	start_spread_s    {real 0} 0
	seed              {int 1 1000000}  1
}

# TCP variants of each stack, and the names of its congestion controls for them: modules of TCP-Linux in 2009, what
# core/tcp/congestion has in modern. FECTCP has agents of its own and no choice of controls.
array set variants {
	2009 {
		newreno reno  reno reno  westwood westwood  hybla hybla  cubic cubic  compound compound
		fectcp fectcp
	}
	modern {
		newreno reno  reno reno  westwood westwood  hybla hybla  cubic cubic  compound compound
		bbr bbr  bbr3 bbr3  fectcp fectcp
	}
}

proc refuse { line } {
	puts stderr "replay.tcl: $line"
	exit 2
}

# Fills the global array `setting` from alternating keys and values.
proc read_settings { words } {
	global setting known_settings
	foreach { key kind default } $known_settings {
		set kinds($key) $kind
		set setting($key) $default
	}
	if { [llength $words] % 2 != 0 } {
		refuse "the last key, [lindex $words end], has no value"
	}
	foreach { key value } $words {
		if { ![info exists kinds($key)] } {
			refuse "$key is no setting; there are [join [lsort [array names kinds]] {, }]"
		}
		check_setting $key $value {*}$kinds($key)
		set setting($key) $value
	}
	check_variant ""
	check_variant proxy_
	if { $setting(proxy) && $setting(wired_rate_bps) == 0 } {
		refuse "proxy is 1; it needs a wired hop, wired_rate_bps of 1 or more"
	}
	if { $setting(proxy) && "fectcp" in [list $setting(tcp) $setting(proxy_tcp)] } {
		refuse "proxy is 1; it cannot split fectcp"
	}
}

# Which variants there are depends on the stack, which may be named after the variant.
proc check_variant { whose } {
	global variants setting
	set tcp $setting(${whose}tcp)
	set stack $setting(${whose}stack)
	array set modules $variants($stack)
	if { ![info exists modules($tcp)] } {
		set names [join [lsort [array names modules]] {, }]
		refuse "${whose}tcp is $tcp; with ${whose}stack $stack allowed are $names"
	}
	set setting(${whose}congestion_control) $modules($tcp)
}

proc check_setting { key value kind { least 0 } { most 9223372036854775807 } } {
	global variants
	switch $kind {
		int {
			if { ![string is wideinteger -strict $value] || $value < $least || $value > $most } {
				refuse "$key is $value; a whole number from $least to $most is allowed"
			}
		}
		real {
			# Neither inf nor nan is less than a bound.
			if { ![string is double -strict $value] || !($value >= $least && $value < 1e18) } {
				refuse "$key is $value; a number of at least $least is allowed"
			}
		}
		flag {
			if { $value ne "0" && $value ne "1" } {
				refuse "$key is $value; 0 and 1 are allowed"
			}
		}
		stack {
			if { ![info exists variants($value)] } {
				refuse "stack is $value; allowed are [join [lsort [array names variants]] {, }]"
			}
		}
	}
}

proc nanoseconds { seconds } {
	expr { wide(round($seconds * 1e9)) }
}
