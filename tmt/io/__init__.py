"""Trace files: one module per format, one registry, one set of checks."""
