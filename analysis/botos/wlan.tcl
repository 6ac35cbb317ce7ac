# Clients of an IEEE 802.11 access point, and a server beyond it: the scenario of Botos, Polgar and Bota.
#
#   ns wlan.tcl KEY VALUE ...      (keys and their meaning: docs/wlan.md)
#
# The server sends each flow to its own client, over a wire to the access point and a wireless LAN. Segments are lost in
# front of the client's transport, after its MAC has acknowledged them. Prints lines NAME<tab>NUMBER.

set clift_tcl [file join [file dirname [info script]] .. .. clift-ns2 tcl]
foreach part { settings tcp } { source [file join $clift_tcl $part.tcl] }

set known {
	flows              list        newreno
	stack              {choice {2009 modern}} 2009
	start_s            list        0
	transfer_bytes     {real 0}    0
	duration_s         {real 0}    100
	sample_s           {real 0}    0
	loss               {real 0}    0
	errors_per_cluster {real more} 10
	cluster_packets    {real 0}    0
	delay_s            {real 0}    0.02
	wire_rate_bps      {real 1}    10e6
	wlan_rate_bps      {real 1}    1e6
	queue_packets      {int 1}   50
	window_packets     {int 1}   1000
	packet_bytes       {int 53 65535} 1500
	udp_rate_bps       {real 1}    160e3
	overhead           text        5%
	block_segments     {int 1}   10000
	seed               {int 1 1000000} 1
}

# The names of flows with either stack, besides fectcp and udp; newreno and sack are ns-2's own agents here.
array set names {
	2009 { newreno sack reno westwood hybla cubic compound }
	modern { reno westwood hybla cubic compound bbr bbr3 }
}

proc check_flows {} {
	global setting names
	if { $setting(loss) >= 1 } { refuse "loss is $setting(loss); a number from 0 to below 1 is allowed" }
	if { [llength $setting(flows)] == 0 } { refuse "flows is empty; one flow or more is allowed" }
	set allowed [concat $names($setting(stack)) fectcp udp]
	foreach name $setting(flows) {
		if { $name ni $allowed } {
			refuse "flows has $name; with stack $setting(stack) allowed are [join $allowed {, }]"
		}
	}
	if { [llength $setting(start_s)] > [llength $setting(flows)] } {
		refuse "start_s is $setting(start_s); one number for each of $setting(flows) is allowed"
	}
	foreach start $setting(start_s) { check_setting start_s $start real 0 }
}

read_settings $known $argv
check_flows

# Traffic starts when routes and addresses are known: DSDV needs its first updates, ARP a datagram each way.
set settled_s 30

remove-all-packet-headers
add-packet-header IP TCP Flags RTP LL Mac ARP
set ns [new Simulator]
use_seed $setting(seed)
# A generator of its own, so that the MAC's draws do not move the losses.
set loss_numbers [use_seed $setting(seed) [new RNG]]

# ---- nodes

# Builds the global nodes server, access_point and client(0..n-1): a wired domain, and a wireless one.
proc build_nodes { clients } {
	global ns setting server access_point client
	$ns node-config -addressType hierarchical
	AddrParams set domain_num_ 2
	AddrParams set cluster_num_ { 1 1 }
	AddrParams set nodes_num_ [list 1 [expr { $clients + 1 }]]
	set server [$ns node 0.0.0]

	Mac/802_11 set dataRate_ $setting(wlan_rate_bps)
	Mac/802_11 set basicRate_ 1e6
	Mac/802_11 set RTSThreshold_ 3000
	set ground [new Topography]
	$ground load_flatgrid 100 100
	create-god [expr { $clients + 1 }]
	$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
		-ifqLen $setting(queue_packets) -antType Antenna/OmniAntenna -propInstance [new Propagation/TwoRayGround] \
		-phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $ground \
		-agentTrace OFF -routerTrace OFF -macTrace OFF -wiredRouting ON
	$ns trace-all [open /dev/null w]  ;# a wireless node needs a trace file
	set access_point [$ns node 1.0.0]
	place $access_point 50 50
	$ns node-config -wiredRouting OFF
	for { set i 0 } { $i < $clients } { incr i } {
		set client($i) [$ns node 1.0.[expr { $i + 1 }]]
		$client($i) base-station [AddrParams addr2id [$access_point node-addr]]
		set angle [expr { 6.283 * $i / $clients }]
		place $client($i) [expr { 50 + 10 * cos($angle) }] [expr { 50 + 10 * sin($angle) }]
	}
	$ns unset traceAllFile_
	$ns duplex-link $server $access_point $setting(wire_rate_bps) $setting(delay_s) DropTail
	$ns queue-limit $server $access_point 1000
	$ns queue-limit $access_point $server 1000
}

proc place { node x y } {
	$node random-motion 0
	$node set X_ $x
	$node set Y_ $y
	$node set Z_ 0
}

# Puts an error model in front of the agent that receives a flow.
proc lose_segments { flow sink } {
	global setting client loss_numbers errors
	set uniform [new RandomVariable/Uniform]
	$uniform use-rng $loss_numbers
	set errors($flow) [new ErrorModel/NeymanA]
	$errors($flow) ranvar $uniform
	$errors($flow) set rate_ $setting(loss)
	$errors($flow) set errors_per_cluster_ $setting(errors_per_cluster)
	$errors($flow) set cluster_packets_ $setting(cluster_packets)
	$errors($flow) target $sink
	$errors($flow) drop-target [new Agent/Null]
	[$client($flow) demux] install [$sink set agent_port_] $errors($flow)
}

# ---- flows

# ns-2's own classes of sender and receiver.
array set native { newreno {Newreno Agent/TCPSink} sack {Sack1 Agent/TCPSink/Sack1} }

# Returns sender and receiver of a TCP variant, FECTCP included.
proc connection { name } {
	global setting native
	set class {}
	if { $name eq "fectcp" } {
		set kind fectcp
	} elseif { $setting(stack) eq "2009" && [info exists native($name)] } {
		lassign $native($name) kind class
	} else {
		set kind $setting(stack)
	}
	set tcp [new_tcp $kind $setting(packet_bytes) $setting(window_packets) $name]
	# The published results of the modern stack are without timestamps.
	if { $kind eq "modern" } { $tcp set timestamps_ false }
	set sink [new_tcp_sink $kind 0 $class]
	if { $kind eq "fectcp" } {
		$tcp set block_segments_ $setting(block_segments)
		$tcp overhead $setting(overhead)
		$sink overhead $setting(overhead)
	}
	return [list $tcp $sink]
}

# The first transfer to end ends the run.
proc build_tcp { flow name start } {
	global setting server client tcp_of
	lassign [connection $name] tcp sink
	join_agents $server $tcp $client($flow) $sink
	lose_segments $flow $sink
	set tcp_of($flow) $tcp
	start_tcp $tcp $start [expr { int(ceil(double($setting(transfer_bytes)) / [$tcp set packetSize_])) }] finish
}

proc build_udp { flow start } {
	global ns setting server client
	set udp [new Agent/UDP]
	$udp set packetSize_ $setting(packet_bytes)
	set null [new Agent/Null]
	join_agents $server $udp $client($flow) $null
	lose_segments $flow $null
	set cbr [new Application/Traffic/CBR]
	$cbr set packetSize_ $setting(packet_bytes)
	$cbr set rate_ $setting(udp_rate_bps)
	$cbr attach-agent $udp
	$ns at $start "$cbr start"
}

# A datagram each way lets both ends of the wireless hop learn each other's address; ARP keeps one packet only.
proc greet { from to time } {
	global ns
	set udp [new Agent/UDP]
	join_agents $from $udp $to [new Agent/Null]
	$ns at $time "$udp send 20"
}

# ---- results

# Prints the bytes of IP packets that have reached each client's transport so far.
proc sample {} {
	global ns setting errors begin
	set time [expr { round(([$ns now] - $begin) * 1000) }]
	foreach flow [lsort [array names errors]] {
		puts "flow_${flow}_bytes_at_${time}_ms\t[dict get [$errors($flow) counters] bytes_passed]"
	}
	$ns at [expr { [$ns now] + $setting(sample_s) }] sample
}

# A transfer lasts until the sender has received the last acknowledgement.
proc finish {} {
	global ns setting errors tcp_of begin
	set elapsed [expr { [$ns now] - $begin }]
	puts "elapsed_s\t$elapsed"
	foreach flow [lsort [array names errors]] {
		foreach { name value } [$errors($flow) counters] {
			puts "flow_${flow}_$name\t$value"
		}
	}
	foreach flow [lsort [array names tcp_of]] {
		puts "flow_${flow}_payload_bytes\t[$tcp_of($flow) set packetSize_]"
		puts "flow_${flow}_acknowledged\t[$tcp_of($flow) set ack_]"  ;# segment 0 opens the connection
	}
	$ns halt
}

set begin $settled_s
build_nodes [llength $setting(flows)]
for { set flow 0 } { $flow < [llength $setting(flows)] } { incr flow } {
	greet $server $client($flow) [expr { $settled_s - 5 + 0.1 * $flow }]
	greet $client($flow) $server [expr { $settled_s - 3 + 0.1 * $flow }]
	set late [lindex $setting(start_s) $flow]
	set start [expr { $begin + ($late eq "" ? 0 : $late) }]
	set name [lindex $setting(flows) $flow]
	if { $name eq "udp" } { build_udp $flow $start } else { build_tcp $flow $name $start }
}
if { $setting(sample_s) > 0 } { $ns at $begin sample }
$ns at [expr { $begin + $setting(duration_s) }] finish
$ns run
exit 0
