"""Channel models, seeded sources of erasures.

A channel decides which slots are erased; `tmt.core.generate` applies it to a line of slots or to a trace.
"""
