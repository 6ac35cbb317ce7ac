"""Whole comparisons: a scenario becomes a grid of runs, of which only the missing ones are executed."""
