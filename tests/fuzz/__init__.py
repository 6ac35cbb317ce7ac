"""Random inputs for every reader; see `python -m tests.fuzz`."""
