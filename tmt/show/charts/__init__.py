"""Charts: they receive numbers, draw them, and compute none."""
