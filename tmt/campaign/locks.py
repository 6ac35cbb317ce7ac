"""Locks that a process holds while it lives: proof that they work, and proof that an engine is alive."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from tmt.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
"""``struct flock`` of a lock on a whole file, as fcntl wants it on 64-bit Linux."""

HELD = (errno.EAGAIN, errno.EACCES)


def check_locks(folder: Path) -> None:
    """Refuse a folder whose file system has no locks, or grants the same lock twice.

    Locks of both kinds are tried: those of whole files (flock), by which engines see each other, and those of
    ranges (fcntl), by which SQLite works.

    Raises
    ------
    OutputError
        When locks fail or mean nothing there.
    """
    probe = folder / f"lock-{os.getpid()}"
    try:
        descriptors = [os.open(probe, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for _ in range(2)]
        try:
            for lock in (_lock_file, _lock_range):
                if not lock(descriptors[0]) or lock(descriptors[1]):
                    raise OutputError(
                        f"{folder}: this file system grants the same lock twice, so that two engines would "
                        "overwrite each other's results; name a folder on another one"
                    )
        finally:
            probe.unlink()
            for descriptor in descriptors:
                os.close(descriptor)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{folder}: files cannot be locked here: {error.strerror}") from error


def _lock_file(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_range(descriptor: int) -> bool:
    try:
        # Locks of open files: two descriptors of one process exclude each other.
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, WHOLE_FILE)
    except OSError as error:
        if error.errno in HELD:
            return False
        raise
    return True


def hold(path: Path) -> int:
    """Make a file and hold its lock until the returned descriptor is closed, or this process ends anyhow."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def is_held(path: Path) -> bool:
    """Whether a living process holds a file's lock."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        # Without the file, or with something else in its place, there is no engine of ours.
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}:
            return False
        raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        with suppress(OSError):
            os.close(descriptor)
    return False
