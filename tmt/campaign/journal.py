"""A file of rows that survives being cut short at any byte: one checksummed line of JSON for each row.

Lines are only appended. Each reads ``CRC JSON``, CRC being the CRC-32 of the JSON, eight hexadecimal digits.
A line without its end or with another checksum was being written when the writer was killed, and is no row.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from typing import TYPE_CHECKING, Any

from tmt.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]

SYNC_INTERVAL_S = 1.0
"""Longest time for which rows lie in the system's cache alone: a power cut takes so much, a kill nothing."""


class JournalWriter:
    """Appends rows to a journal of its own, which stays locked while the writer lives.

    The lock says to others that rows may still come; the system lets go of it however the writer ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        self._length = os.fstat(self._descriptor).st_size
        self._synced_at = time.monotonic()
        self.rows = 0

    def append(self, row: Row) -> None:
        """Write one row.

        Raises
        ------
        OutputError
            When it cannot be written whole; what was written of it is taken back.
        """
        line = encode(row)
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):
                written += os.write(self._descriptor, line[written:])
            self._length += written
            self.rows += 1
            if time.monotonic() - self._synced_at > SYNC_INTERVAL_S:
                self.sync()
        except OSError as error:
            os.ftruncate(self._descriptor, self._length)
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def sync(self) -> None:
        """Have the system put on the disk what was appended."""
        os.fsync(self._descriptor)
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Let go of the journal; no row will come any more."""
        self.sync()
        os.close(self._descriptor)


class JournalReader:
    """Reads the rows of a journal that may still grow, each once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0

    def new_rows(self) -> Iterator[Row]:
        """Give the rows appended since the last call.

        Raises
        ------
        FileNotFoundError
            When the journal is gone, its rows having moved into the results.
        """
        if self.path.stat().st_size == self.offset:
            return
        with self.path.open("rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self.offset += len(line)
                row = decode(line)
                if row is not None:
                    yield row


def encode(row: Row) -> bytes:
    """Return the line of a row."""
    text = json.dumps(row, separators=(",", ":"), allow_nan=True).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def decode(line: bytes) -> Row | None:
    """Return the row of a line, or None when the line is torn."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    row: Row = json.loads(text)
    return row


def is_live(path: Path) -> bool:
    """Whether the journal's writer still lives."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
