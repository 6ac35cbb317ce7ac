"""Figures of merit of traces and runs, and how sure they are."""
