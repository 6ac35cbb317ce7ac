"""Simulated trouble: real engines, stores and pools in a simulated world, whose faults a seed decides.

Real: the engine, the pool, the store with SQLite and its locks, the checks of the cache, the moving
of records.
Simulated: time, processes and their ends, workers and their answers, messages, the room on the disk.
A crash drops an engine's process: its open transaction, its locks and its own workers. The files stay.
"""
