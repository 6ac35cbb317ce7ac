"""Columns and conditions on them, as people type them: ``NAME:UNIT``, ``NAME=VALUE,NAME=VALUE``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from tmt.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FLAGS = {"true": "1", "false": "0"}


@dataclass(frozen=True, slots=True)
class Field:
    """A column with its unit, typed as ``NAME`` or ``NAME:UNIT``."""

    name: str
    unit: str

    @classmethod
    def parse(cls, flag: str, text: str, units: Iterable[str]) -> Field:
        """Parse ``NAME:UNIT``; the first unit is the default. A colon in a name needs a unit behind it."""
        name, _, unit = text.rpartition(":")
        allowed = list(units)
        if name and unit in allowed:
            return cls(name, unit)
        if name and unit not in allowed and unit.isalpha():
            raise UsageError(f"{flag} is {text}; allowed units are {', '.join(allowed)}")
        return cls(text, allowed[0])


@dataclass(frozen=True, slots=True)
class Condition:
    """Columns and the values of each that are meant, typed as ``NAME=VALUE,NAME=VALUE``."""

    values: dict[str, frozenset[str]]

    @classmethod
    def parse(cls, flag: str, text: str | None) -> Condition:
        """Parse conditions; a name may stand several times, with one value each."""
        found: dict[str, set[str]] = {}
        for part in text.split(",") if text else ():
            name, sign, value = part.rpartition("=")
            if not (sign and name.strip()):
                raise UsageError(f"{flag} is {text}; needed is NAME=VALUE, or several with commas between")
            found.setdefault(name.strip(), set()).add(canonical(value))
        return cls({name: frozenset(values) for name, values in found.items()})

    def holds(self, row: Mapping[str, str]) -> bool:
        """Whether every column has one of its values."""
        return all(canonical(row[name]) in values for name, values in self.values.items())


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return one spelling for equal values: numbers, flags, words in any case."""
    word = text.strip().lower()
    try:
        value = Decimal(_FLAGS.get(word, word)).normalize()
    except ArithmeticError:
        return word
    return str(value or 0) if value.is_finite() else word
