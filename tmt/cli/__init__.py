"""The command line `tmt`."""
