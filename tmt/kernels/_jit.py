"""The one door to numba: the decorator below compiles every kernel, in the same way."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., object]")


def kernel(function: Function) -> Function:
    """Compile `function` to machine code that is cached on disk and runs without the interpreter's lock.

    The cache lies beside the source, or in the user's cache directory where the source folder is read-only.
    Numba compiles a kernel again when the kernel's own file has changed, and looks at no other file.
    Therefore a kernel calls kernels of its own file only, and imports no constant of another module.

    Floating point stays as written (no fast-math). With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python.
    """
    compiled: Any
    try:
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
