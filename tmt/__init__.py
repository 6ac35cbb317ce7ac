"""TMT, the Trace Manager Tool: from PHY traces to link traces, and from those to TCP in ns-2 (CLIFT)."""

__version__ = "0.1.0"
