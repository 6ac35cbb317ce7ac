"""Types of command-line options: text, numbers, and tables such as ``tcp=cubic,count=2``."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Any

import click
from click.shell_completion import CompletionItem

from tmt.core.declaration import Field, Param, Spec, declared
from tmt.core.errors import UsageError
from tmt.core.problems import Place, number
from tmt.spec.files import with_an_end

WITH_COMMAS = frozenset({"server", "client", "environment", "sysctls"})
"""Lists of texts that may contain commas: each option is one member."""


class ValueOption(click.Option):
    """The option of a field, or of the choice of a class; the help lists it below `heading`."""

    def __init__(self, place: Place, heading: str, flags: str, **attributes: Any) -> None:
        self.place, self.heading = place, heading
        name = "__".join(map(str, place)).replace("-", "_")
        super().__init__([flags, name], default=None, show_default=False, **attributes)

    @property
    def names_files(self) -> bool:
        """Whether a value is the name of a file."""
        return isinstance(self.type, Text) and self.type.field is not None and self.type.field.param.is_path

    def typed(self, value: Any) -> Any:
        """Return the typed value, None without one; lists may be typed in several pieces."""
        if not isinstance(self.type, Text) or self.type.field is None or not self.type.field.is_many:
            return value
        members = [member for piece in value or () for member in piece]
        return members[0] if self.type.field.takes_one and len(members) == 1 else members or None


class Text(click.ParamType[Any]):
    """Text after an option, made a number if its field takes numbers; the declaration checks it."""

    def __init__(self, name: str, words: tuple[str, ...], field: Field | None = None) -> None:
        self.name, self.words, self.field = name, words, field

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a text, a number, or a list of them; text that is not a number is kept, for later checks."""
        if self.field is None or not isinstance(value, str):
            return value
        if self.field.param.is_path:
            with_an_end(value)
        if not self.field.is_many:
            return typed(self.field, value)
        if self.field.name in WITH_COMMAS:
            return [value]
        return [typed(self.field, part.strip()) for part in value.split(",")]

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the placeholder."""
        return self.name

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete words and names of files."""
        if self.field is not None and self.field.param.is_path:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class TableText(Text):
    """A table after an option, such as ``tcp=cubic,count=2``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the table in a list, which may be given in several pieces (UsageError)."""
        assert self.field is not None
        known, table = keys_of(self.field.kind), dict[str, Any]()
        seen = set[str]()
        for part in value.split(","):
            key, equals, word = (one.strip() for one in part.partition("="))
            if not equals or key in seen:
                allowed = f"KEY=VALUE,..., each key once: {', '.join(known)}"
                raise UsageError(f"--{self.field.name}: {part!r} is not allowed; allowed: {allowed}")
            seen.add(key)
            outer, _, inner = key.partition(".")
            of = table.setdefault(outer, {}) if inner and key in known else table
            of[inner if of is not table else key] = _word(known[key], word) if key in known else word
        return [table]


def keys_of(kind: type[Spec]) -> dict[str, Field]:
    """Return the fields that a table after an option may have; of a part ``resume`` as ``resume.rtt``."""
    found = dict[str, Field]()
    for key, one in declared(kind).items():
        inner = (
            {f"{key}.{name}": field for name, field in declared(one.kind).items()} if one.is_nested else {}
        )
        found |= inner or {key: one}
    return found


def _word(field: Field, text: str) -> Any:
    is_flag = field.kind is bool and text in ("true", "false")
    return text == "true" if is_flag else typed(field, text)


def typed(field: Field, text: str) -> Any:
    """Return the number that a text spells, for a field that takes numbers."""
    return text if field.kind not in (int, float) or text in field.choices else number_in(text)


def number_in(text: str) -> int | float | str:
    """Return the number that a text such as ``0.1`` or ``1e3`` spells; otherwise the text itself."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if not value.is_finite() or value.adjusted() > 300:  # beyond floats; a longer integer takes long
        return text
    return int(value) if value == value.to_integral_value() else float(value)


def whole_numbers(text: str, mark: str) -> list[int]:
    """Return the whole numbers of a text such as ``1:20``, each of at most 9 digits; empty if one is not."""
    parts = text.split(mark)
    return [int(one) for one in parts] if all(re.fullmatch(r"\d{1,9}", one) for one in parts) else []


def placeholder(field: Field) -> str:
    """Return what stands behind the option of a field: its unit, the bounds of a number, or a word."""
    if field.param.is_path:
        return "FILE"
    unit = {"s": "SECONDS", "byte": "BYTES"}.get(field.param.unit, field.param.unit.upper())
    return unit or (number_within(field.param) if field.kind in (int, float) else "TEXT")


def number_within(param: Param) -> str:
    """Return the placeholder of a number without a unit: ``0..1``, or ``NUMBER`` if its bounds are large."""
    is_near = param.least > -math.inf and param.most < 2**31 - 1
    return f"{number(param.least)}..{number(param.most)}" if is_near else "NUMBER"
