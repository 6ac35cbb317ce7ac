"""Queueing delay and goodput of six disciplines before four links: which one copes with what."""
