"""Slow twins: each scheme once more, in plain Python, written from its definition and not from its kernel."""
