"""Vectors: sixteen slots or rows at once.

The compiler makes vectors of loops by itself, but has so much to check before each loop that a block of a
dozen slots goes through it one by one. In Python a vector is an array of sixteen numbers or conditions; in
kernels it is a value in registers, and each function below one instruction or a few. A vector may begin
anywhere in an array, and lies in it as a whole even where only the first of the sixteen count.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.core.registry import cpu_target
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model, type_callable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Vector = npt.NDArray[Any]
    Index = int | np.uintp

WIDTH = 16

PACKS_IN_REGISTER: bool = "+avx512f" in cpu_target.target_context.codegen().magic_tuple()[2]
"""Whether `pack` is an instruction of this processor; where not, slots are better taken one by one."""


def load(array: npt.NDArray[Any], start: Index) -> Vector:
    """Return the elements from `start` on."""
    return array[start : int(start) + WIDTH].copy()


def store(vector: Vector, array: npt.NDArray[Any], start: Index) -> None:
    """Write a vector to the elements from `start` on."""
    array[start : int(start) + WIDTH] = vector


def pack(conditions: Vector, vector: Vector, array: npt.NDArray[np.int64], start: Index) -> None:
    """Write the numbers for which the condition holds side by side; as many as do not are written behind."""
    store(np.concatenate([vector[conditions], vector[~conditions]]), array, start)


def each(value: int | bool) -> Vector:
    """Return the same for each."""
    return np.full(WIDTH, value)


def first(count: int) -> Vector:
    """Return the condition to be among the first `count`."""
    return np.arange(WIDTH) < count


def choose(conditions: Vector, if_true: Vector, if_false: Vector) -> Vector:
    """Return numbers of one vector where the condition holds, and of another where not."""
    return np.where(conditions, if_true, if_false)


def how_many(conditions: Vector) -> int:
    """Return how many conditions hold."""
    return int(np.count_nonzero(conditions))


def counted(conditions: Vector) -> Vector:
    """Return how many conditions hold up to each, itself included."""
    return np.cumsum(conditions)


def total(vector: Vector) -> int:
    """Return the sum of the numbers."""
    return int(vector.sum())


class _Vector(types.Type):
    """Type of a vector in kernels."""

    def __init__(self, name: str, bits: int) -> None:
        self.llvm = ir.VectorType(ir.IntType(bits), WIDTH)
        super().__init__(name)


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, vector: _Vector) -> None:
        super().__init__(manager, vector, vector.llvm)


_NUMBERS, _CONDITIONS = _Vector("int64 vector", 64), _Vector("bool vector", 1)
_INT64, _BITS = ir.IntType(64), ir.IntType(WIDTH)


def _numbers(values: Iterable[int]) -> Any:
    return ir.Constant(_NUMBERS.llvm, list(values))


def _each(builder: Any, value: Any) -> Any:
    vector = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
    vector = builder.insert_element(vector, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(
        vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    )


def _call(builder: Any, name: str, result: Any, vector: Any) -> Any:
    kind = ir.FunctionType(result, [vector.type])
    return builder.call(builder.module.declare_intrinsic(f"{name}.v{WIDTH}i64", (), kind), [vector])


def _counted(builder: Any, conditions: Any) -> Any:
    bits = builder.zext(builder.bitcast(conditions, _BITS), _INT64)
    up_to = builder.and_(_each(builder, bits), _numbers((2 << i) - 1 for i in range(WIDTH)))
    return _call(builder, "llvm.ctpop", _NUMBERS.llvm, up_to)


def _total(builder: Any, vector: Any) -> Any:
    return _call(builder, "llvm.vector.reduce.add", _INT64, vector)


def _first(builder: Any, count: Any) -> Any:
    return builder.icmp_signed("<", _numbers(range(WIDTH)), _each(builder, count))


def _how_many(builder: Any, conditions: Any) -> Any:
    return builder.zext(builder.ctpop(builder.bitcast(conditions, _BITS)), _INT64)


# Of each function: its result, its arguments, and what writes it.
_COMPILED: list[tuple[Any, Any, tuple[Any, ...], Callable[..., Any]]] = [
    (operator.add, _NUMBERS, (_NUMBERS, _NUMBERS), lambda builder, a, b: builder.add(a, b)),
    (operator.sub, _NUMBERS, (_NUMBERS, _NUMBERS), lambda builder, a, b: builder.sub(a, b)),
    (operator.gt, _CONDITIONS, (_NUMBERS, _NUMBERS), lambda builder, a, b: builder.icmp_signed(">", a, b)),
    (operator.eq, _CONDITIONS, (_NUMBERS, _NUMBERS), lambda builder, a, b: builder.icmp_signed("==", a, b)),
    (operator.and_, _CONDITIONS, (_CONDITIONS, _CONDITIONS), lambda builder, a, b: builder.and_(a, b)),
    (operator.or_, _CONDITIONS, (_CONDITIONS, _CONDITIONS), lambda builder, a, b: builder.or_(a, b)),
    (operator.invert, _CONDITIONS, (_CONDITIONS,), lambda builder, a: builder.not_(a)),
    (each, _CONDITIONS, (types.boolean,), _each),
    (each, _NUMBERS, (types.int64,), _each),
    (first, _CONDITIONS, (types.int64,), _first),
    (choose, _NUMBERS, (_CONDITIONS, _NUMBERS, _NUMBERS), lambda builder, c, a, b: builder.select(c, a, b)),
    (how_many, types.int64, (_CONDITIONS,), _how_many),
    (counted, _NUMBERS, (_CONDITIONS,), _counted),
    (total, types.int64, (_NUMBERS,), _total),
]


def _lower(function: Any, arguments: tuple[Any, ...], write: Callable[..., Any]) -> None:
    @lower_builtin(function, *arguments)  # type: ignore[untyped-decorator]
    def _(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return write(builder, *values)


_cases: dict[Any, list[Any]] = {}
for _function, _result, _arguments, _write in _COMPILED:
    _cases.setdefault(_function, []).append(signature(_result, *_arguments))
    _lower(_function, _arguments, _write)
for _function, _signatures in _cases.items():
    infer_global(_function)(type("_Cases", (ConcreteTemplate,), {"cases": _signatures}))


@type_callable(load)  # type: ignore[untyped-decorator]
def _load(_: Any) -> Callable[[Any, Any], Any]:
    return lambda array, start: _CONDITIONS if array.dtype == types.boolean else _NUMBERS


@type_callable(store)  # type: ignore[untyped-decorator]
def _store(_: Any) -> Callable[[Any, Any, Any], Any]:
    return lambda vector, array, start: types.void


def _place(context: Any, builder: Any, array_type: Any, array: Any, start: Any) -> tuple[Any, Any, int]:
    """Return a pointer to as many elements, their type and how many bytes each has."""
    data = context.make_array(array_type)(context, builder, array).data
    vector = ir.VectorType(data.type.pointee, WIDTH)
    return builder.bitcast(builder.gep(data, [start]), vector.as_pointer()), vector, vector.element.width // 8


@lower_builtin(load, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _write_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer, kind, width = _place(context, builder, signature.args[0], *arguments)
    vector = builder.load(pointer, align=width)
    if signature.return_type == _CONDITIONS:
        return builder.icmp_unsigned("!=", vector, ir.Constant(kind, [0] * WIDTH))
    return vector if width == 8 else builder.zext(vector, _NUMBERS.llvm)


@lower_builtin(store, _Vector, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _write_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    vector, array, start = arguments
    pointer, kind, width = _place(context, builder, signature.args[1], array, start)
    if signature.args[0] == _CONDITIONS:
        vector = builder.zext(vector, kind)
    elif width < 8:
        vector = builder.trunc(vector, kind)
    builder.store(vector, pointer, align=width)
    return context.get_dummy_value()


@type_callable(pack)  # type: ignore[untyped-decorator]
def _pack(_: Any) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda conditions, vector, array, start: types.void


@lower_builtin(pack, _CONDITIONS, _NUMBERS, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _write_pack(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    conditions, numbers, array, start = arguments
    data = context.make_array(signature.args[2])(context, builder, array).data
    # Half a vector is what processors pack in a register.
    half = ir.VectorType(_INT64, WIDTH // 2)
    kind = ir.FunctionType(half, [half, ir.VectorType(ir.IntType(1), half.count), half])
    name = f"llvm.experimental.vector.compress.v{half.count}i64"
    compress = builder.module.declare_intrinsic(name, (), kind)
    for offset in (0, half.count):
        where = ir.Constant(
            ir.VectorType(ir.IntType(32), half.count), list(range(offset, offset + half.count))
        )
        chosen = builder.shuffle_vector(conditions, conditions, where)
        values = builder.shuffle_vector(numbers, numbers, where)
        packed = builder.call(compress, [values, chosen, half(ir.Undefined)])
        builder.store(packed, builder.bitcast(builder.gep(data, [start]), half.as_pointer()), align=8)
        count = builder.ctpop(builder.bitcast(chosen, ir.IntType(half.count)))
        start = builder.add(start, builder.zext(count, start.type))
    return context.get_dummy_value()
