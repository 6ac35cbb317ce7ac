"""Files appear whole or not at all: they are written beside their final name and renamed."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from tmt.core.errors import OutputError, TmtError, UsageError, first_line, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyarrow.fs import FileSystem


@contextmanager
def staged(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` if the block succeeds, and is removed otherwise.

    It has the ending of `path`. A kill may leave a hidden ``.part-...`` file, never a half-written `path`; a
    power cut may, because data are not forced to the disk (no fsync). A pyarrow file-system URI is written to
    a local temporary file first. Errors are those of `check_place`; any `OSError` of the block becomes an
    OutputError.
    """
    name = os.fspath(path)
    with _as_output_error(name):
        if is_uri(name):
            with tempfile.TemporaryDirectory(prefix="tmt-") as folder:
                part = Path(folder, name.rsplit("/", 1)[-1])
                yield part
                _upload(part, name)
            return
        check_place(name)
        final = Path(os.path.realpath(name))
        part = final.with_name(f".part-{secrets.token_hex(4)}-{final.name}")
        try:
            yield part
            part.replace(final)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8; errors as for `staged`."""
    with staged(path) as part:
        part.write_text(text, encoding="utf-8")


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no file can have, before long work.

    UsageError when its folder is missing, or something other than a file has its name.
    """
    final = Path(os.path.realpath(path))
    if not final.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: there is no folder {Path(path).parent}")
    if final.exists() and not final.is_file():
        raise UsageError(f"{path}: cannot be written: this is not a regular file")


def check_not_source(path: str | os.PathLike[str], *sources: str | os.PathLike[str]) -> None:
    """Refuse to overwrite a file that is read, under any name: there is no second copy (UsageError)."""
    for source in sources:
        with suppress(OSError):  # one of them is missing or unreachable; the reader or writer reports it
            if Path(path).samefile(source):
                raise UsageError(f"{path}: this is {source} itself, which would be overwritten")


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder and its parents, if missing.

    UsageError when something other than a folder has its name; OutputError when it cannot be created.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(f"{folder}: cannot be made: a file is in its place or on the way to it") from error
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


@contextmanager
def made_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Create a folder as `make_folder` does; a new one is removed if the block fails and leaves it empty."""
    is_new = not Path(path).exists()
    folder = make_folder(path)
    try:
        yield folder
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def folded(name: str) -> str:
    """Return a name as seen by file systems that ignore case or Unicode forms."""
    return normalize("NFC", name.casefold())


def own_folder(path: str | os.PathLike[str], owner: str) -> Path:
    """Create a folder for `owner`, or take an empty one, and return its absolute path; else UsageError."""
    folder = make_folder(path)
    with _as_output_error(str(folder)):
        if any(folder.iterdir()):
            raise UsageError(f"{folder}: is not empty; {owner} needs a folder of its own")
    return folder.absolute()


@contextmanager
def _as_output_error(name: str) -> Iterator[None]:
    try:
        yield
    except TmtError:
        raise
    except OSError as error:
        raise OutputError(f"{full_cache(error) or name}: cannot be written: {reason_of(error)}") from error


def full_cache(error: OSError) -> str | None:
    """Return the folder of compiled code, if numba failed to write there, because its error names no file."""
    numba = sys.modules.get("numba")
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if numba is None or not any(Path(file).is_relative_to(numba.__path__[0]) for file in files):
        return None
    from tmt.core.kernels.rows import begin_row  # noqa: PLC0415  (numba takes long to import)

    compiled: Any = begin_row  # one folder holds all kernels, a subfolder per folder of sources
    return str(Path(compiled.stats.cache_path).parent)


def is_uri(name: str) -> bool:
    """Whether `name` addresses a pyarrow file system (``file:///a``, ``s3://bucket/a``), not a local path."""
    return "://" in name


def file_system(uri: str) -> tuple[FileSystem, str]:
    """Return the file system that `uri` names and the path in it (ValueError when there is none)."""
    from pyarrow import ArrowException  # noqa: PLC0415  (pyarrow.fs takes long to import; few need it)
    from pyarrow.fs import FileSystem  # noqa: PLC0415

    try:
        system, path = FileSystem.from_uri(uri)
    except (ArrowException, ValueError) as error:
        raise ValueError(first_line(error)) from error
    return system, path


def _upload(part: Path, uri: str) -> None:
    """Copy a finished local file to `uri`: under a temporary name, then moved."""
    try:
        system, path = file_system(uri)
    except ValueError as error:
        raise OutputError(f"{uri}: cannot be written: {error}") from error
    folder, _, name = path.rpartition("/")
    beside = f"{folder}/.part-{secrets.token_hex(4)}-{name}"
    try:
        with part.open("rb") as source, system.open_output_stream(beside, compression=None) as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
        system.move(beside, path)
    except BaseException:
        with suppress(OSError):
            system.delete_file(beside)
        raise
