"""Imported only by the process that forks workers.

If a fork is refused, this process ends without a traceback. It is killed when its engine dies. The kernel
then kills workers that are still starting, for example one whose import of a library hangs, and continues
stopped ones: they find their pipes closed, and end with their simulations.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""For prctl(2): the signal that the kernel sends when the parent dies. A fork does not inherit it."""

sys.excepthook = lambda kind, error, trace: (
    None if issubclass(kind, OSError) else sys.__excepthook__(kind, error, trace)
)
_libc = ctypes.CDLL(None)


def _when_the_parent_dies(number: int) -> None:
    _libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def continue_when_the_parent_dies() -> None:
    """Let this worker end in order, now that it waits for its engine."""
    _when_the_parent_dies(signal.SIGCONT)


_when_the_parent_dies(signal.SIGKILL)
os.register_at_fork(after_in_child=lambda: _when_the_parent_dies(signal.SIGKILL))
