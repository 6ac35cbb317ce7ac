# Forks a process for each run that is asked for: tmt/run/ns2/fork_server.py.
Clift/ForkServer serve [lindex $argv 0]
