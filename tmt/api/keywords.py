"""Keyword arguments of Python: times in seconds, names without the unit of the field that they set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from tmt.campaign.engine import default_jobs
from tmt.errors import UsageError
from tmt.units import seconds_to_ns


def domain_values(whose: str, known: dict[str, bool], given: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments in domain units; names of times lose ``_ns`` in Python's.

    Numbers and arrays of NumPy become Python's.

    Parameters
    ----------
    whose
        Their owner, for messages.
    known
        Names of the arguments, and whether each is required.

    Raises
    ------
    UsageError
        When a name is not known, or one is missing.
    """
    names = {name.removesuffix("_ns"): name for name in known}
    for name in given:
        if name not in names:
            raise UsageError(f"{name} is no parameter of {whose}; there are {', '.join(names) or 'none'}")
    for name, full in names.items():
        if known[full] and name not in given:
            raise UsageError(f"{name} is missing: {whose} needs it")
    return {
        names[name]: seconds_to_ns(value) if names[name].endswith("_ns") and value is not None else value
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


def processes_of(jobs: int | None) -> int:
    """Return the number of simulations at a time: by default one for each processor (UsageError)."""
    jobs = plain(jobs)
    if jobs is None:
        return default_jobs()
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise UsageError(f"jobs is {jobs!r}; it must be a whole number of 1 or more")
    return jobs


def required_fields(kind: type[Any]) -> dict[str, bool]:
    """Return the fields of a class of parameters, and whether each is required."""
    return {
        field.name: field.default is MISSING and field.default_factory is MISSING for field in fields(kind)
    }


def named(what: str, name: str, kinds: dict[str, Any]) -> Any:
    """Return the entry called `name` (UsageError when there is none)."""
    if name not in kinds:
        raise UsageError(f"{what} is {name!r}; allowed are {', '.join(kinds)}")
    return kinds[name]
