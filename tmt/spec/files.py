"""Files that people name."""

from pathlib import Path

from tmt.core.errors import InputError


def with_an_end(name: str) -> str:
    """Return the name of a file; a device, which may have no end, is refused (InputError)."""
    if Path(name).is_char_device():
        raise InputError(name, "this is not a regular file; write its content into a file first")
    return name
