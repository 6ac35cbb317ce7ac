"""Drawings: they get numbers and draw them, and compute none."""
