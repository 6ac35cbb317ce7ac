"""The one door to numba: every kernel is compiled by the decorator below, in the same way."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np import linalg

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

# While numba loads its array functions, it imports all of scipy.linalg to learn whether BLAS is there: a
# fifth of a short command's time. Unasked here, it still does so for a kernel that multiplies matrices.
_ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
import numba.np.arraymath  # noqa: E402

linalg.ensure_blas = _ensure_blas

# Numba compiles a kernel anew when its own file has changed. It holds parts of others as well.
_SOURCES = tuple(
    (path.name, path.stat().st_mtime_ns, path.stat().st_size)
    for path in sorted(Path(__file__).parent.glob("*.py"))
)

Function = TypeVar("Function", bound="Callable[..., object]")


def kernel(function: Function) -> Function:
    """Compile `function` to machine code that is kept on disk and runs without the interpreter's lock.

    The machine code lies beside the source, or in the user's cache directory where the source cannot be
    written, so that whoever types a command pays for compilation once; where neither can be, each time.
    Floating point stays as written (no fast-math). With ``NUMBA_DISABLE_JIT=1`` the function itself comes
    back and runs as plain Python.

    A kernel makes no arrays. Those it is given belong to its caller, so that nobody counts references to
    them: for a dozen of arrays that would cost a call from kernel to kernel as much as 50 slots.
    """
    return _compiled(function, _nrt=False)


def kernel_with_arrays(function: Function) -> Function:
    """Compile a kernel that makes arrays of its own."""
    return _compiled(function, _nrt=True)


def part_of_kernel(function: Function) -> Function:
    """Compile `function` as if it stood where it is called: a real call costs more than a block of ten."""
    return _compiled(function, inline="always")


def _compiled(function: Function, **options: str | bool) -> Function:
    compiled: Any
    try:
        compiled = numba.njit(cache=True, nogil=True, **options)(function)
        if not numba.config.DISABLE_JIT:
            cache = compiled._cache._cache_file
            cache._source_stamp = (cache._source_stamp, _SOURCES)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        from multiprocessing import parent_process  # noqa: PLC0415  (rarely needed)

        if parent_process() is None:  # workers would say so again
            warnings.warn(
                "compiled code can be kept neither beside the program nor in the home folder, so that every "
                "call compiles anew; NUMBA_CACHE_DIR names another folder",
                stacklevel=1,
            )
        compiled = numba.njit(nogil=True, **options)(function)
    return compiled  # type: ignore[no-any-return]


def fetch_ahead(array: npt.NDArray[Any], index: np.uintp) -> None:
    """Ask the processor to bring `array[index]`, which may lie beyond the end, into its cache.

    It does so by itself where a loop goes straight on; not where other loops come between, or branches that
    cannot be predicted.
    """


@intrinsic  # type: ignore[untyped-decorator]
def _fetch_ahead(_: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        # To be read; needed more than once; data, not code.
        how = [ir.Constant(ir.IntType(32), value) for value in (0, 3, 1)]
        kind = ir.FunctionType(ir.VoidType(), [place.type, *(value.type for value in how)])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(prefetch, [place, *how])
        return context.get_dummy_value()

    return types.void(array, index), generate


@overload(fetch_ahead, inline="always", strict=False)  # type: ignore[untyped-decorator]
def _compiled_fetch_ahead(array: Any, index: Any) -> Callable[[Any, Any], None]:
    return lambda array, index: _fetch_ahead(array, index)  # noqa: PLW0108  (numba takes no less)
