"""Backends: programs that carry experiments out."""
