"""Kernels: loops over slots, compiled by numba. Arrays and numbers in, preallocated arrays out."""
