"""Failed system calls: every call of a command fails once, in turn; see `python -m tests.faults`."""
