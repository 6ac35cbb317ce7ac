"""Files that programs see, identified by content: a folder, or a tar file that is unpacked once."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import tarfile
from functools import lru_cache
from pathlib import Path
from tempfile import gettempdir

from tmt.core.errors import InputError, first_line
from tmt.core.provenance import file_sha256, file_version, user_cache


def root_folder(name: str) -> Path:
    """Return the folder of a root: itself, or the folder into which its tar file is unpacked (InputError).

    A tar file is unpacked into the user's cache, under the hash of its content, without owners.
    """
    path = Path(name).absolute()
    if path.is_dir():
        return path
    folder = (user_cache() or Path(gettempdir(), "tmt")) / "roots" / content_hash(name)
    if folder.is_dir():
        return folder
    part = folder.with_name(f".part-{secrets.token_hex(4)}")
    try:
        part.mkdir(parents=True)
        with tarfile.open(path) as archive:
            archive.extractall(part, filter=_without_owner)
        part.rename(folder)
    except (tarfile.TarError, EOFError) as error:
        reason = first_line(error).rstrip(":")
        raise InputError(name, f"is neither a folder nor a tar file: {reason}") from error
    except OSError as error:
        if not folder.is_dir():  # otherwise another run was first
            raise InputError(name, f"cannot be unpacked: {error.strerror or error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _without_owner(member: tarfile.TarInfo, place: str) -> tarfile.TarInfo | None:
    found = tarfile.tar_filter(member, place)
    return found.replace(uid=None, gid=None, uname=None, gname=None, deep=False)  # type: ignore[arg-type]


def content_hash(name: str) -> str:
    """Return the hash of a file, or of a folder's files: names, contents, links, permission to execute.

    Each version is read once in a process. InputError when one cannot be read.
    """
    try:
        if not Path(name).is_dir():
            return _file_hash(name, file_version(name))
        return _folder_hash(name, tuple(_versions(name)))
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=4096)
def _file_hash(name: str, _version: object) -> str:
    return file_sha256(name)


def _walk(folder: str) -> list[str]:
    found = []
    for place, folders, files in os.walk(folder):
        found += [f"{place}/{one}" for one in (*folders, *files)]
    return sorted(found)


def _versions(folder: str) -> list[object]:
    return [(one, os.lstat(one).st_mtime_ns, os.lstat(one).st_ctime_ns) for one in _walk(folder)]


@lru_cache(maxsize=16)
def _folder_hash(folder: str, _versions: object) -> str:
    digest = hashlib.sha256()
    for name in _walk(folder):
        path, place = Path(name), os.path.relpath(name, folder)
        if path.is_symlink():
            said = f"link {path.readlink()}"
        elif path.is_file():
            said = f"file {os.access(path, os.X_OK):d} {file_sha256(name)}"
        else:
            said = "folder" if path.is_dir() else "other"
        digest.update(f"{place}\0{said}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
