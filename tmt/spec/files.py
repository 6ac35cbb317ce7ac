"""Files that people name."""

import stat
from pathlib import Path

from tmt.core.errors import InputError


def with_an_end(name: str) -> str:
    """Return the name of a file; a device, which may be endless, is refused (InputError)."""
    try:
        is_device = stat.S_ISCHR(Path(name).stat().st_mode)
    except (OSError, ValueError):  # the reader of the file reports what is wrong with its name
        return name
    if is_device:
        raise InputError(name, "this is not a regular file; write its content into a file first")
    return name
