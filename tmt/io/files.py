"""Opening input: local files and pyarrow file-system URIs, plain and gzip, with errors of one line."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from tmt.errors import InputError
from tmt.io.atomic import file_system, is_uri
from tmt.io.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

_GZIP_MAGIC = b"\x1f\x8b"
_HEAD_BYTES = 4096


def open_input(path: str) -> BinaryIO:
    """Open `path` for reading, decompressed if it ends in ``.gz``; the file can seek unless it is gzip.

    Raises
    ------
    InputError
        When there is no such file, it is empty, or its ending and its first bytes disagree about gzip.
    """
    try:
        file = _open_uri(path) if is_uri(path) else Path(path).open("rb")  # noqa: SIM115 (the reader closes it)
        magic = file.read(2)
        file.seek(0)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(path, f"cannot be read: {reason.splitlines()[0]}") from error
    zipped = path.lower().endswith(".gz")
    try:
        if not magic:
            raise InputError(path, refusal("empty_file"))
        if zipped != (magic == _GZIP_MAGIC):
            raise InputError(path, refusal("not_gzip" if zipped else "gzip"))
    except InputError:
        file.close()
        raise
    return cast("BinaryIO", gzip.GzipFile(fileobj=file)) if zipped else file


def open_output(part: Path) -> BinaryIO:
    """Open a local file for writing, compressed if it ends in ``.gz``: without a date in it."""
    if part.suffix == ".gz":
        return cast("BinaryIO", gzip.GzipFile(part, "wb", compresslevel=6, mtime=0))
    return part.open("wb")


def _open_uri(uri: str) -> BinaryIO:
    system, path = file_system(uri)
    return cast("BinaryIO", system.open_input_file(path))


def reading(path: str, read: Callable[[], bytes], place: Callable[[], int | None] = lambda: None) -> bytes:
    """Return what `read` gives; what goes wrong in it becomes an `InputError` at `place`.

    Parameters
    ----------
    path
        The file, as the user named it.
    read
        Reads from a file that `open_input` opened.
    place
        Says which line is being read.
    """
    try:
        return read()
    except EOFError:
        raise InputError(path, refusal("gzip_cut"), place()) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(path, refusal("gzip_damaged"), place()) from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {os.strerror(error.errno or 0)}", place()) from error


def head_of(path: str) -> bytes:
    """Return the first bytes of `path`, decompressed."""
    with open_input(path) as file:
        return reading(path, lambda: file.read(_HEAD_BYTES))


def seekable(path: str, file: BinaryIO) -> BinaryIO:
    """Return `file` itself where seeking in it is cheap, else a temporary copy of its content."""
    if not isinstance(file, gzip.GzipFile):
        return file
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (the reader closes it)
    with file:
        reading(path, lambda: shutil.copyfileobj(file, copy, 1 << 20) or b"")
    copy.seek(0)
    return cast("BinaryIO", copy)
