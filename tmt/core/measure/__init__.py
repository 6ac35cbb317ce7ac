"""Figures of merit of traces and runs, and their confidence intervals."""
