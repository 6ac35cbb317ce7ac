"""The one door to numba: the decorator below compiles every kernel, in the same way."""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Function = TypeVar("Function", bound="Callable[..., object]")

SOURCES = sorted(Path(__file__).parents[1].rglob("*.py"))


def _versions() -> list[tuple[int, int]]:
    """Return the size and the time of change of each source."""
    return [(status.st_size, status.st_ctime_ns) for status in map(os.stat, SOURCES)]


VERSIONS = _versions()
SOURCES_HASH = hashlib.sha256(b"\0".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]


def kernel(function: Function) -> Function:
    """Compile `function` to machine code that is cached on disk and runs without the interpreter's lock.

    Numba compiles a kernel again when the kernel's own file has changed, but not when a kernel of another
    file has that it calls. Therefore each version of all kernels has a cache folder of its own: beside the
    source, in ``NUMBA_CACHE_DIR``, or in the user's cache directory where the source folder is read-only.

    A source that has changed since the hash of all sources was taken may be part of the kernel, which is then
    not cached.

    Floating point stays as written (no fast-math). With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python.
    """
    compiled: Any
    if _versions() != VERSIONS:
        compiled = numba.njit(nogil=True)(function)
        return compiled  # type: ignore[no-any-return]
    try:
        with _cache_folder():
            compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        from multiprocessing import parent_process  # noqa: PLC0415  (rarely needed)

        if parent_process() is None:  # the workers of a campaign do not repeat the warning
            warnings.warn(
                "compiled code can be kept neither beside the program nor in the home folder, so that every "
                "call compiles anew; NUMBA_CACHE_DIR names another folder",
                stacklevel=1,
            )
        compiled = numba.njit(nogil=True)(function)
    return compiled  # type: ignore[no-any-return]


@contextmanager
def _cache_folder() -> Iterator[None]:
    """Let numba cache what is decorated inside in the folder of this version of the kernels.

    Numba itself would fall back to a folder of the user that all versions share.
    """
    given = numba.config.CACHE_DIR
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    places = [Path(given)] if given else []
    places += [Path(__file__).with_name("__pycache__"), home / "tmt" / "kernels"]
    numba.config.CACHE_DIR = str(next(filter(_is_writable, places), places[0]) / SOURCES_HASH)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = given


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
