"""Everything that decides numbers: traces, schemes, channels, kernels, conversion, generation and
measurement.
"""
