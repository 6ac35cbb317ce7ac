"""Speed of the tool, as ratios measured within one run: ``python -m benchmarks``, or ``make bench``."""
