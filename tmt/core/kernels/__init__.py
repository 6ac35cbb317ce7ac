"""Kernels: loops over slots, compiled by numba. Arrays and numbers in, preallocated arrays out.

`kernel` compiles every kernel in the same way; nothing else imports numba. Some indices are written
``np.uintp(i)``: numba then omits the test for a negative index. The schemes' kernels are twice as fast
without it.

A scheme's kernel takes `tx_time_ns` and `decode_time_ns` of the next slots, [n], int64, ns; the number of
`rows` that began earlier; and `out`, the rows, with room for n more. It returns how many rows have begun.
Rows whose fate is open have the delay -1. Its state between calls is in arrays, which it updates.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt

from tmt.core.provenance import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Records = npt.NDArray[np.void]
Rows = tuple[Int64Array, Int64Array, BoolArray, npt.NDArray[np.uint8]]
"""Columns of a link trace: `tx_time_ns`, `delay_ns`, `delivered`, `transmissions`."""

Function = TypeVar("Function", bound="Callable[..., object]")

SOURCES = sorted(Path(__file__).parents[1].rglob("*.py"))


def _versions() -> list[tuple[int, int]]:
    """Return the size and the time of change of each source."""
    return [(status.st_size, status.st_ctime_ns) for status in map(os.stat, SOURCES)]


VERSIONS = _versions()
SOURCES_HASH = hashlib.sha256(b"\0".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]


def kernel(function: Function) -> Function:
    """Compile `function` to machine code that is cached on disk and runs without the interpreter's lock.

    Numba recompiles a kernel when the kernel's own file changes, but not when a kernel that it calls changes
    in another file. Therefore each version of all kernels has a separate cache folder: beside the source, in
    ``NUMBA_CACHE_DIR``, or in the user's cache directory if the source folder is read-only.

    A kernel is not cached if a source has changed since the hash of all sources was taken.

    The setting of the folder in numba's configuration file is ignored: that file may come from the current
    folder, and compiled code from a stranger's folder is not safe.

    Floating point stays as written (no fast-math). With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python.
    """
    usual = numba.config.CACHE_DIR
    folder = _cache_folder() if _versions() == VERSIONS else None
    try:
        numba.config.CACHE_DIR = folder or ""
        compiled: Any = numba.njit(cache=folder is not None, nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = usual
    return compiled  # type: ignore[no-any-return]


@cache
def _cache_folder() -> str | None:
    """Return the folder of this version of the kernels in the first writable place, or None."""
    given, own = os.environ.get("NUMBA_CACHE_DIR"), user_cache()
    places = [Path(given)] if given else []
    places += [Path(__file__).with_name("__pycache__"), *([own / "kernels"] if own else [])]
    for place in places:
        folder = place / SOURCES_HASH
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    if parent_process() is None:  # the workers of a campaign do not repeat the warning
        warnings.warn(
            "compiled code can be kept neither beside the program nor in the home folder, so that every "
            "call compiles anew; NUMBA_CACHE_DIR names another folder",
            stacklevel=1,
        )
    return None
