"""Files that callers name in Python."""

from __future__ import annotations

import os
from pathlib import Path

from tmt.errors import UsageError


def path_of(what: str, given: object) -> Path:
    """Return the path that an argument gives (UsageError when it is no text and no path)."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{what} is of type {type(given).__name__}; the name of a file or a path is needed")
    return Path(given)
