# Written by clift-ns2/make_variants.py.

# TCP stacks, and the class of each one's senders.
set stacks { 2009 2009-as-shipped modern }
array set stack_senders { 2009 Agent/TCP/Linux 2009-as-shipped Agent/TCP/Linux modern Agent/TCP/Modern }

# TCP variants of each stack, and the names of their congestion controls: modules of TCP-Linux in
# 2009, classes of core/tcp/congestion in modern. A control may be given by its own name, too.
array set variants {
	2009 {
		newreno reno
		westwood westwood
		hybla hybla
		cubic cubic
		compound compound
		fectcp fectcp
		reno reno
	}
	2009-as-shipped {
		newreno reno
		westwood westwood
		hybla hybla
		cubic cubic
		compound compound
		fectcp fectcp
		reno reno
	}
	modern {
		newreno reno
		westwood westwood
		hybla hybla
		cubic cubic
		compound compound
		bbr bbr
		bbr3 bbr3
		dctcp dctcp
		prague prague
		fectcp fectcp
		reno reno
	}
}
