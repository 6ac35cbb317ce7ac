"""Imported only by the process that forks workers, so that a refused fork ends it without a traceback."""

import sys

sys.excepthook = lambda kind, error, trace: (
    None if issubclass(kind, OSError) else sys.__excepthook__(kind, error, trace)
)
