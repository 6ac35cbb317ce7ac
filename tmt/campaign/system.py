"""The operating system's part in a campaign: locks that end with their process, SQLite's files, free space.

A `Store` reaches them through a `System`. The simulation (tests/simulation) passes another one, which can
stop an engine between any two statements.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tmt.campaign import database
from tmt.core.errors import OutputError

if TYPE_CHECKING:
    import sqlite3

WHOLE_FILE = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
"""``struct flock`` of a lock on a whole file, for fcntl on 64-bit Linux."""

HELD = (errno.EAGAIN, errno.EACCES)

NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""Error numbers of file systems without hard links, such as exFAT."""


def check_locks(folder: Path) -> None:
    """Refuse a folder whose file system has no locks, or grants the same lock twice (OutputError).

    Engines detect each other by locks of whole files (flock); SQLite uses locks of ranges (fcntl).
    """
    probe = folder / f"lock-{secrets.token_hex(8)}"
    try:
        descriptors = [os.open(probe, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for _ in range(2)]
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
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


def publish(staged: Path, path: Path) -> None:
    """Give a finished file its final name; FileExistsError if another file has it."""
    try:
        path.hardlink_to(staged)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
            staged.rename(path)
        finally:
            os.close(folder)


def _lock_file(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
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


class System:
    """The machine that this process runs on."""

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open a database for writing."""
        return database.connect(path)

    def hold(self, path: Path) -> BinaryIO:
        """Create a file and hold its lock until the returned file is closed or this process ends."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        # Engines of other users check the lock, too.
        file = os.fdopen(os.open(path, flags, 0o644), "r+b", buffering=0)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def is_held(self, path: Path) -> bool:
        """Whether a living process holds a file's lock."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            # Without the file, or with something else in its place, no TMT engine is running.
            if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}:
                return False
            raise
        try:
            return not _lock_file(descriptor, fcntl.LOCK_SH)
        finally:
            with suppress(OSError):
                os.close(descriptor)

    def machine(self) -> tuple[str, str]:
        """Return this machine's name, and the identity of its present boot."""
        return os.uname().nodename, Path("/proc/sys/kernel/random/boot_id").read_text().strip()

    def free_bytes(self, folder: Path) -> int:
        """Return the free space of the folder's disk."""
        return shutil.disk_usage(folder).free
