"""The one door to numba: every kernel is compiled by the decorator below, in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numba
from numba.np import linalg

if TYPE_CHECKING:
    from collections.abc import Callable

# While numba loads its array functions, it imports all of scipy.linalg to learn whether BLAS is there: a
# fifth of a short command's time. Unasked here, it still does so for a kernel that multiplies matrices.
_ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
import numba.np.arraymath  # noqa: E402

linalg.ensure_blas = _ensure_blas

Function = TypeVar("Function", bound="Callable[..., object]")


def kernel(function: Function) -> Function:
    """Compile `function` to machine code that is kept on disk and runs without the interpreter's lock.

    The machine code lies beside the source, or in the user's cache directory where the source cannot be
    written, so that whoever types a command pays for compilation once. Floating point stays as written (no
    `fastmath`). With ``NUMBA_DISABLE_JIT=1`` the function itself comes back and runs as plain Python.
    """
    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    return compiled  # type: ignore[no-any-return]


def part_of_kernel(function: Function) -> Function:
    """Compile `function` as if it stood where it is called: a real call costs more than a block of ten."""
    compiled: Any = numba.njit(cache=True, nogil=True, inline="always")(function)
    return compiled  # type: ignore[no-any-return]
