"""Links that adapt, move and are shared: what to set for TCP, in four answers."""
