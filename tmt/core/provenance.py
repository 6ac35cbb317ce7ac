"""Provenance of a file, as metadata in the file."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from os import fspath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

from tmt import __version__
from tmt.core.schema import FORMAT_VERSION

if TYPE_CHECKING:
    from io import BufferedReader
    from os import PathLike

    from tmt.core.trace import Metadata

FileVersion = tuple[int, int, int, int]
"""Inode, size in bytes, times in ns of modification and of change.

Nobody can set the latter, so another version of a file differs in one of them.
"""


def record(kind: str, **how: object) -> Metadata:
    """Return the metadata of a result: the program that made it, and `how`.

    It holds no date and no host, so that the same command makes the same file, byte for byte. `kind` is a
    `tmt.core.schema.Table.kind`. `how` is what this kind needs, as JSON types: ``lldu_bytes``, ``source``,
    the generator or the scheme with its parameters, ``seed``; times in nanoseconds, under names in ``_ns``.
    """
    return {
        "kind": kind,
        "format_version": FORMAT_VERSION,
        "program": f"tmt {__version__}",
        "argv": sys.argv[1:],
        **how,
    }


def inherited(metadata: Metadata) -> Metadata:
    """Return the entries of a trace's metadata that a trace made from it inherits: sizes, packing, extent."""
    more: Metadata = {key: metadata[key] for key in ("packing", "begin_ns", "length_ns") if key in metadata}
    return {"lldu_bytes": metadata.get("lldu_bytes"), **more}


def source(path: str | PathLike[str]) -> Metadata:
    """Return the identity of an input: its name without folders, and the SHA-256 of its content."""
    return {"name": PurePath(path).name, "sha256": file_sha256(path)}


def digest(*parts: Any) -> str:
    """Return a hash of JSON values."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def file_sha256(path: str | PathLike[str]) -> str:
    """Return the SHA-256 of a file or pyarrow file-system URI, in hexadecimal (OSError with its name)."""
    try:
        with opened(fspath(path)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), fspath(path)) from error


def file_version(path: str | PathLike[str]) -> FileVersion | None:
    """Return the version of a local file, as part of a cache's key; None without such a file."""
    try:
        status = os.stat(path)  # noqa: PTH116  (a Path takes twice as long)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def user_cache() -> Path | None:
    """Return the folder for this user's cached files; None without a home folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(home or Path.home() / ".cache") / "tmt"
    except RuntimeError:
        return None


def opened(name: str) -> BufferedReader:
    """Open a local file or a pyarrow file-system URI for reading."""
    if "://" not in name:
        return Path(name).open("rb")
    from pyarrow.fs import FileSystem  # noqa: PLC0415  (it takes long to import)

    system, path = FileSystem.from_uri(name)
    return cast("BufferedReader", system.open_input_stream(path, compression=None))
