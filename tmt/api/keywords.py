"""Arguments of Python: times in seconds, names without the unit of the field that they set, files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from tmt.campaign.local_workers import default_jobs
from tmt.core.errors import UsageError
from tmt.core.units import seconds_to_ns


def domain_values(whose: str, known: dict[str, bool], given: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in domain units; names of times lose ``_ns`` in Python's.

    Numbers and arrays of NumPy become Python's.

    Parameters
    ----------
    whose
        Their owner, for messages.
    known
        Names of the arguments, and whether each is required.
    given
        The arguments; times are seconds.

    Raises
    ------
    UsageError
        When a name is not known, an argument is missing, or a value is not a time.
    """
    names = {name.removesuffix("_ns"): name for name in known}
    for name in given:
        if name not in names:
            raise UsageError(f"{name} is no parameter of {whose}; there are {', '.join(names) or 'none'}")
    for name, full in names.items():
        if known[full] and name not in given:
            raise UsageError(f"{name} is missing: {whose} needs it")
    return {
        names[name]: time_ns(name, value) if names[name].endswith("_ns") and value is not None else value
        for name, value in plain(given).items()
    }


def plain(value: Any) -> Any:
    """Return a value with Python's numbers and lists in place of NumPy's, also inside lists and mappings."""
    match value:
        case np.generic() | np.ndarray():
            return value.tolist()
        case Mapping():
            return {key: plain(own) for key, own in value.items()}
        case list():
            return [plain(one) for one in value]
        case tuple():
            return tuple(plain(one) for one in value)
        case _:
            return value


def time_ns(name: str, seconds: Any) -> int:
    """Return a time in nanoseconds (UsageError unless `seconds` is a number of 0 or more)."""
    try:
        nanoseconds = seconds_to_ns(plain(seconds))
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    if nanoseconds < 0:
        raise UsageError(f"{name} is {seconds}; it must be a time of 0 s or more")
    return nanoseconds


def whole(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number of Python or NumPy (UsageError unless it is one, and at least `least`)."""
    number: int = plain(value)
    if not _fits(number, int) or number < least:
        raise UsageError(f"{name} is {number!r}; it must be a whole number of at least {least}")
    return number


_TIME = "a time in seconds"
_WORDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}


def check_types(kind: type[Any], values: Mapping[str, Any]) -> None:
    """Refuse values whose types are not those of a class's fields.

    Parameters
    ----------
    kind
        A data class of parameters.
    values
        Values by the names of its fields.

    Raises
    ------
    UsageError
        Naming the parameter, its value and what is allowed.
    """
    # Types of class variables have names that only type checkers import.
    hints = get_type_hints(kind, localns={"Mapping": Mapping, "Profile": object})
    for name, value in values.items():
        hint = hints[name]
        allowed = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        words = [_TIME] if name.endswith("_ns") else [_WORDS[one] for one in allowed if one in _WORDS]
        if words and not any(_fits(value, one) for one in allowed):
            shown = name.removesuffix("_ns")
            raise UsageError(f"{shown} is {value!r}; it must be {' or '.join(words)}")


def _fits(value: object, kind: object) -> bool:
    """Whether a value is of a type; whole numbers are numbers, and 0 and 1 may stand for False and True."""
    if kind is bool:
        return value in (False, True)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str if kind is str else NoneType)


def path_of(what: str, given: object) -> Path:
    """Return the path that an argument gives (UsageError when it is no text and no path)."""
    if not isinstance(given, str | os.PathLike):
        raise UsageError(f"{what} is of type {type(given).__name__}; the name of a file or a path is needed")
    return Path(given)


def processes_of(jobs: int | None) -> int:
    """Return the number of simulations at a time: by default one for each processor (UsageError)."""
    return default_jobs() if jobs is None else whole("jobs", jobs)


def required_fields(kind: type[Any]) -> dict[str, bool]:
    """Return the fields of a class of parameters, and whether each is required."""
    return {
        field.name: field.default is MISSING and field.default_factory is MISSING for field in fields(kind)
    }


def named(what: str, name: str, kinds: dict[str, Any]) -> Any:
    """Return the entry of `kinds` called `name` (UsageError when there is none); messages say `what`."""
    if not isinstance(name, str) or name not in kinds:
        raise UsageError(f"{what} is {name!r}; allowed are {', '.join(kinds)}")
    return kinds[name]
