"""Parameters: a class declares each of its fields once, and refuses values outside their bounds.

A `Spec` is a frozen data class. The annotation of a field holds its meaning (a text) and a `Param` with unit,
bounds and the meaning of None. Files, options, columns and reference pages are views of these declarations
and check nothing again.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from tmt.core.problems import Place, Problem, Refused, number
from tmt.core.units import MAX_TIME_NS, NS_PER_S, seconds_to_ns

Rules = Iterator[tuple[str | Place, str | tuple[str, ...]] | tuple[str | Place, str | tuple[str, ...], str]]
"""Fields, or paths to them, that conflict; what would be allowed; and, where needed, why."""

NONE = "none"
"""Stands for None in tables and on the command line."""


@dataclass(frozen=True)
class Param:
    """A note in the annotation of a field.

    Attributes
    ----------
    unit : symbol, such as ``s``, ``bit/s``, ``byte``, ``packets``, ``dB``
        Round times to whole nanoseconds, so that ``0.1 + 0.2`` is ``0.3``.
    least, most : inclusive bounds of a number
    absent : meaning of None
    label : title of an axis, if that is not the field's name
    counts : layer and bytes, packets or LLDUs that the number counts
    null : when the result column is empty
    is_path : whether a text is the path of a file, which is kept in one spelling
    is_axis : whether the members of a tuple are points of a grid, each described by a table of its own
    """

    unit: str = ""
    least: float = -math.inf
    most: float = math.inf
    absent: str = ""
    label: str = ""
    counts: str = ""
    null: str = ""
    is_path: bool = False
    is_axis: bool = False


MAX_TIME_S = MAX_TIME_NS // NS_PER_S

Seconds = Annotated[float, Param("s", 0, MAX_TIME_S)]
PositiveSeconds = Annotated[float, Param("s", 1 / NS_PER_S, MAX_TIME_S)]
Count = Annotated[int, Param("", 1, 2**31 - 1)]
Number = Annotated[int, Param("", 0, 2**31 - 1)]
Probability = Annotated[float, Param("", 0, 1)]
Rate = Annotated[float, Param("bit/s", 1, 1e12)]


def ns(seconds: float) -> int:
    """Return a time in whole nanoseconds, exactly: 0.1 means one tenth."""
    return seconds_to_ns(seconds)


@dataclass(frozen=True)
class Field:
    """A declared parameter, as the views see it.

    `kind` is bool, int, float, str or a `Spec`; `default` is `MISSING` where the parameter is required.
    `choices` are the allowed words; of a number, the words that may replace it; if it `is_open`, the usual
    words, beside which any text is allowed. None is allowed if it `is_optional`; the value is a tuple if it
    `is_many`; a single value is accepted as a tuple if it `takes_one`.
    """

    name: str
    kind: type[Any]
    meaning: str
    param: Param
    default: Any
    choices: tuple[str, ...]
    is_optional: bool
    is_many: bool
    takes_one: bool
    is_open: bool

    @property
    def is_nested(self) -> bool:
        """Whether the value is an object with parameters of its own."""
        return issubclass(self.kind, Spec)

    @property
    def is_required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is MISSING

    @cached_property
    def allowed(self) -> str | tuple[str, ...]:
        """The allowed values: a phrase, or words to choose from."""
        if self.choices and self.kind is str:
            return self.choices
        least, most, unit = self.param.least, self.param.most, self.param.unit
        bounds = "" if math.isinf(least) else f" from {number(least)}"
        bounds += "" if math.isinf(most) else f" to {number(most)}"
        words = {bool: "true or false", str: "text"}
        words |= {int: f"a whole number{bounds}", float: f"a number{bounds}"}
        text = words.get(self.kind, "a table") + (f" {unit}" if unit and self.kind is not bool else "")
        text += "".join(f', or "{word}"' for word in self.choices)
        if self.is_many:
            several = "one or more tables" if self.is_nested else f"a list, each {text}"
            text = f"{text}, or a list" if self.takes_one else several
        return text + (f', or "none": {self.param.absent}' if self.is_optional and self.param.absent else "")

    def take(self, value: Any) -> Any:
        """Return a value in the form that the class stores (Refused)."""
        if value is None and self.is_optional:
            return None
        if self.is_many and self.kind is str and isinstance(value, str) and not self.takes_one:
            value = (value,)  # one text becomes a list of one
        if self.is_many and isinstance(value, list | tuple):
            return self._many(value)
        if self.is_many and not self.takes_one:
            raise Refused([Problem((), value, "type", self.allowed)])
        return self._one(value)

    def _many(self, values: list[Any] | tuple[Any, ...]) -> tuple[Any, ...]:
        problems: list[Problem] = []
        taken, of_one = [], replace(self, is_many=False, is_optional=False)
        for place, member in enumerate(values):
            try:
                taken.append(of_one.take(member))
            except Refused as refused:
                problems += [one.within(place) for one in refused.problems]
        if problems or (not values and (self.is_required or self.takes_one)):
            raise Refused(problems or [Problem((), values, "range", "a list with at least one value")])
        return tuple(taken)

    def _one(self, value: Any) -> Any:
        if self.kind is str and isinstance(value, PathLike):
            value = fspath(value)
        if isinstance(value, str) and value in self.choices:
            return value
        if self.is_nested:
            if isinstance(value, self.kind):
                return value
            raise Refused([Problem((), value, "type", f"{self.kind.__name__}(...)")])
        is_bool = type(value).__name__ in ("bool", "bool_")  # NumPy's, too
        kinds: dict[type[Any], Any] = {bool: bool, int: Integral, float: Real, str: str}
        if is_bool != (self.kind is bool) or not (is_bool or isinstance(value, kinds[self.kind])):
            raise Refused([Problem((), value, "type", self.allowed)])
        if self.kind is str:
            if self.choices and not self.is_open:
                raise Refused([Problem((), value, "choice", self.allowed)])
            if not value or not is_text(value) or (self.is_optional and value == NONE):
                allowed = "text that is not empty" if not value else "text without control characters"
                allowed = f'text other than "{NONE}"' if value == NONE else allowed
                raise Refused([Problem((), value, "range", allowed)])
            return canonical(value) if self.param.is_path else value
        # written so that NaN is refused as well
        if self.kind is not bool and not self.param.least <= value <= self.param.most:
            raise Refused([Problem((), value, "range", self.allowed)])
        return ns(value) / NS_PER_S if self.param.unit == "s" else self.kind(value)


def canonical(path: str) -> str:
    """Return a path in one spelling: relative if it is below the current folder, else absolute."""
    if "://" in path:
        return path
    absolute = os.path.normpath(Path.cwd() / path)
    relative = os.path.relpath(absolute)
    return absolute if relative.startswith(os.pardir) else relative


def is_text(text: str) -> bool:
    """Whether all characters are allowed in XML 1.0, so that pages, charts and terminals can show them."""
    return all(
        letter in "\t\n\r" or " " <= letter <= "\ud7ff" or "\ue000" <= letter <= "\ufffd" or letter > "\uffff"
        for letter in text
    )


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Spec:
    """Base of all declarations: subclasses are frozen data classes whose values are checked."""

    name: ClassVar[str] = ""
    """The name that chooses this class among several."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        for one in declared(type(self)).values():
            value = self.filled(one.name, getattr(self, one.name))
            if value is None and not one.is_optional:
                problems.append(Problem((one.name,), None, "missing", one.allowed))
                continue
            try:
                object.__setattr__(self, one.name, one.take(value))
            except Refused as refused:
                problems += [problem.within(one.name) for problem in refused.problems]
        problems = problems or [
            Problem(
                place,
                value_at(self, place),
                "choice" if isinstance(allowed, tuple) else "rule",
                allowed,
                *reason,
            )
            for key, allowed, *reason in self.rules()
            for place in [(key,) if isinstance(key, str) else key]
        ]
        if problems:
            raise Refused(problems)

    def __repr__(self) -> str:
        said = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.said())
        return f"{type(self).__name__}({said})"

    def filled(self, key: str, value: Any) -> Any:
        """Return the value of a field before it is checked; a class may fill in missing values."""
        del key
        return value

    def usual(self, key: str) -> Any:
        """Return the default of a field; `MISSING` where it is required."""
        return declared(type(self))[key].default

    def said(self) -> list[str]:
        """Return the fields whose values differ from the defaults."""
        return [key for key in declared(type(self)) if getattr(self, key) != self.usual(key)]

    def rules(self) -> Rules:
        """Yield each field (or the path to one) that conflicts with others.

        The allowed values follow it, and the reason if they do not explain it. The command line shows a path
        between backticks, such as `wired.rate`, as its option.
        """
        return iter(())

    @classmethod
    def choose_from(cls, *kinds: type[Self]) -> dict[str, type[Self]]:
        """Declare the classes to choose from; return them by name."""
        _KINDS[cls] = {one.name: one for one in kinds}
        return dict(_KINDS[cls])

    @classmethod
    def kinds(cls) -> dict[str, type[Self]]:
        """Return the classes to choose from by name; only this class, without a name, where there is no
        choice.
        """
        return _KINDS.get(cls) or {cls.name: cls}


_KINDS: dict[type[Any], dict[str, type[Any]]] = {}


def value_at(value: Any, place: Place) -> Any:
    """Return the part of an object at a path."""
    for part in place:
        value = value[part] if isinstance(part, int) else getattr(value, part)
    return value


_DECLARED: dict[type[Any], dict[str, Field]] = {}


def declared(kind: type[Any]) -> dict[str, Field]:
    """Return the parameters of a class by name, in the order of its signature."""
    if kind not in _DECLARED:
        hints = get_type_hints(kind, include_extras=True)
        own = sorted(fields(kind), key=lambda one: bool(one.kw_only))
        _DECLARED[kind] = {one.name: _field(one.name, one.default, hints[one.name]) for one in own}
    return _DECLARED[kind]


def in_nanoseconds(value: Spec, but: str) -> dict[str, Any]:
    """Return the parameters except one by name, as in metadata: times in nanoseconds, as ``..._ns``."""
    found: dict[str, Any] = {}
    for key, one in declared(type(value)).items():
        own = getattr(value, key)
        if one.param.unit == "s":
            found[f"{key}_ns"] = None if own is None else ns(own)
        elif key != but:
            found[key] = own
    return found


def taken(name: str, hint: Any, value: Any) -> Any:
    """Return an argument of a function as a field of this type would store it (Refused)."""
    try:
        return _field(name, MISSING, hint).take(value)
    except Refused as refused:
        raise Refused(one.within(name) for one in refused.problems) from None


def _field(name: str, default: Any, hint: Any) -> Field:
    notes: list[Any] = []
    types: list[Any] = []
    choices: list[str] = []
    is_many, waiting = False, [hint]
    while waiting:
        now = waiting.pop(0)
        origin, parts = get_origin(now), get_args(now)
        if origin is Annotated:
            notes = [*now.__metadata__, *notes]
            waiting.insert(0, parts[0])
        elif origin in (Union, UnionType):
            waiting = [*parts, *waiting]
        elif origin is Literal:
            choices += parts
        elif origin is tuple:
            is_many = True
            waiting.insert(0, parts[0])
        else:
            types.append(now)
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    takes_one = is_many and get_origin(bare) in (Union, UnionType)
    kinds = [one for one in types if one is not NoneType] or [str]
    return Field(
        name,
        kinds[0],
        next((one for one in reversed(notes) if isinstance(one, str)), ""),
        _merged(one for one in notes if isinstance(one, Param)),
        default,
        tuple(choices),
        NoneType in types,
        is_many,
        takes_one,
        str in types,
    )


def _merged(notes: Iterable[Param]) -> Param:
    """Return one note; outer notes override inner ones."""
    found, plain = Param(), vars(Param())
    for note in notes:
        found = replace(found, **{key: value for key, value in vars(note).items() if value != plain[key]})
    return found
