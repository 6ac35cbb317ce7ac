# Settings of a script, given as KEY VALUE ...: their names, defaults and allowed values.

# Kinds: text; list; flag; choice NAMES; int LEAST ?MOST? (default: ns-2's largest integer); real LEAST (at least this
# number) or real more (more than 0); path: of the object `path_settings`, which reads it.

# Ends the run with one line on stderr.
proc refuse { line } {
	global argv0
	puts stderr "[file tail $argv0]: $line"
	exit 2
}

# Adds settings to the global list `known`: a name, a kind and a default for each.
proc declare { settings } {
	global known
	lappend known {*}$settings
}

# Fills the global array `setting` from alternating keys and values; `known` has a name, a kind and a default for each.
proc read_settings { known words } {
	global setting
	array set setting [checked_values "" $known $words]
}

# Returns a dictionary of the known keys: the values of alternating keys and values, and the defaults of the others. `of`
# names the setting that holds the words, if they are not all of the script's.
proc checked_values { of known words } {
	set of [expr { $of eq "" ? "" : "$of: " }]
	foreach { key kind default } $known {
		set kinds($key) $kind
		dict set found $key $default
	}
	if { [llength $words] % 2 != 0 } {
		refuse "${of}the last key, [lindex $words end], has no value"
	}
	foreach { key value } $words {
		if { ![info exists kinds($key)] } {
			refuse "$of$key is not a setting; there are [join [lsort [array names kinds]] {, }]"
		}
		check_setting $of$key $value {*}$kinds($key)
		dict set found $key $value
	}
	return $found
}

proc check_setting { key value kind args } {
	switch $kind {
		list {
			if { ![string is list $value] } { refuse "$key is $value, which is not a list" }
		}
		flag {
			if { $value ni { 0 1 } } { refuse "$key is $value; 0 and 1 are allowed" }
		}
		choice {
			if { $value ni [lindex $args 0] } { refuse "$key is $value; allowed are [join [lindex $args 0] {, }]" }
		}
		path {
			global path_settings
			if { [set fault [$path_settings take $key $value]] ne "" } { refuse $fault }
		}
		int { check_whole $key $value {*}$args }
		real { check_real $key $value {*}$args }
	}
}

proc check_whole { key value least { most 2147483647 } } {
	if { ![string is wideinteger -strict $value] || $value < $least || $value > $most } {
		refuse "$key is $value; a whole number from $least to $most is allowed"
	}
}

# The longest time in seconds (146 years): 2^62 ns, as in traces.
set longest_s 4611686018

proc check_real { key value least } {
	global longest_s
	set most [expr { [string match *_s $key] ? $longest_s : 1e18 }]
	# Infinities and nan are outside all bounds.
	set is_number [expr { [string is double -strict $value] && $value <= $most }]
	set upper [expr { [string match *_s $key] && [string is double -strict $value] && $value > $most ? " to $most" : "" }]
	if { $least eq "more" } {
		if { !$is_number || $value <= 0 } { refuse "$key is $value; a number of more than 0$upper is allowed" }
	} elseif { !$is_number || $value < $least } {
		refuse "$key is $value; a number from $least$upper is allowed"
	}
}
