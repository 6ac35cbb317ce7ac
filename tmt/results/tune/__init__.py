"""The best link-layer scheme and parameters for a trace and a transport; see docs/tune.md."""
