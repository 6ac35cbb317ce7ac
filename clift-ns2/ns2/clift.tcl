# Defaults of CLIFT's classes, and the traces of packets that Queue/Clift loses.

Queue/Clift set lldu_bytes_ 1500
Queue/Clift set in_order_ 0
Queue/Clift set hold_ 0
Queue/Clift set loop_ 0
Queue/Clift set begin_ 0
Queue/Clift set length_ 0
Queue/Clift set offset_ 0
Queue/Clift set rtt_offset_ 0
Queue/Clift set overtaking_ 0
Queue/Clift set packed_ 0
Queue/Clift set limit_bytes_ 0
Queue/Clift set limit_time_ 0
Queue/Clift set limit_counts_sending_ 1

# Ten errors at one point: losses are independent until a script sets the length of clusters.
ErrorModel/NeymanA set errors_per_cluster_ 10
ErrorModel/NeymanA set cluster_packets_ 0
ErrorModel/NeymanA set packet_bytes_ 1500

Clift/Tap set debug_ false
Clift/SendWindow set debug_ false
Clift/ProxyPort set debug_ false
Clift/RandomLoss set debug_ false
Clift/AckFilter set debug_ false
Clift/AckSpacing set debug_ false
Agent/TCP/Modern set srtt_s_ 0
Agent/TCP/Modern set ca_state_ 0
Agent/TCP/Modern set pacing_bps_ 0
Agent/TCP/Modern set pushes_ 1
Agent/TCP/Fectcp set srtt_s_ 0
Agent/TCP/Fectcp set ca_state_ 0
Agent/TCP/Fectcp set pacing_bps_ 0
Agent/TCP/Fectcp set alpha_ 0.875
Agent/TCP/Fectcp set block_segments_ 256
Agent/TCPSink/Modern set delayed_acks_ 0
Agent/TCPSink/Modern set dctcp_echo_ 0

# Refuses numbers that are infinite, nan or too large for a variable: they end ns-2 in an arithmetic exception. `digits`
# has no unit such as ms. ns-2 reads a time that is nan as 0.
proc clift-check-number { class name value } {
	set digits [string trimright $value "bBkKmMgGsnup"]
	foreach number [list $value $digits] {
		if { ![string is double -strict $number] } { continue }
		if { [catch { expr { abs($number) <= 1e300 } } is_allowed] || !$is_allowed } {
			puts stderr "$class: $name is $value; allowed is a number from -1e300 to 1e300"
			exit 2
		}
	}
}

foreach clift_class { Queue/Clift Agent/TCP/Modern Agent/TCP/Fectcp Agent/TCPSink/Modern Agent/TCPSink/Fectcp } {
	# The variables of a new object have the values of its classes. `next` needs the class that OTcl keeps in `class`.
	$clift_class instproc init args {
		set made [$self info class]
		if { [catch { Simulator instance }] } {
			puts stderr "$made: there is no simulator; make one first: set ns \[new Simulator\]"
			exit 2
		}
		foreach one [concat $made [$made info heritage]] {
			foreach name [$one info vars] {
				if { ![$one array exists $name] } { clift-check-number $made $name [$one set $name] }
			}
		}
		eval [list $self next] $args
	}
	$clift_class instproc set { name args } {
		foreach value $args { clift-check-number [$self info class] $name $value }
		eval [list $self next $name] $args
	}
}
unset clift_class

# Called when the far receiver has the whole transfer; scripts redefine it. OTcl takes `{} {}` for a removal.
Clift/Proxy instproc done {} { }

# A packet lost on the link is no queue drop ("d"): its line begins with "l", and that of an unsettled packet with "u".
Class Trace/LinkLost -superclass Trace
Trace/LinkLost instproc init {} { $self next "l" }

Class Trace/LinkUnsettled -superclass Trace
Trace/LinkUnsettled instproc init {} { $self next "u" }

# Called by `SimpleLink trace`, that is by trace-queue and trace-all.
Queue/Clift instproc trace-link-losses { ns file from to op } {
	foreach { type command } { LinkLost lost-target LinkUnsettled unsettled-target } {
		set trace [$ns create-trace $type $file $from $to $op]
		$trace target [$ns set nullAgent_]
		$self $command $trace
	}
}
