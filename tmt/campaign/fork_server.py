"""Imported only by the process that forks the workers, which ends without a traceback if a fork is refused.

Python's fork server does not expect that the system refuses a fork. The engine notices that the server has
ended, and says so in one line (`tmt.campaign.local_workers`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


def _end(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if not issubclass(kind, OSError):
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = _end
