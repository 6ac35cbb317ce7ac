"""Imported only by the process that forks the workers, so that a refused fork ends it without a traceback.

The engine notices that it has ended, and says so in one line (`tmt.campaign.local_workers`).
"""

import sys

sys.excepthook = lambda kind, error, trace: (
    None if issubclass(kind, OSError) else sys.__excepthook__(kind, error, trace)
)
