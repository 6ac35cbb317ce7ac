"""Refusals of scenario files: key, value and the allowed values in one line, with the line's number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

Key = tuple[str | int, ...]


class Refused(Exception):  # noqa: N818  (it never leaves the package: `load` turns it into an InputError)
    """A key or a value that is not allowed."""

    def __init__(self, key: Key, reason: str, allowed: str) -> None:
        self.key = key
        super().__init__(f"key {spell(key)}: {reason}" + (f"; allowed: {allowed}" if allowed else ""))


def spell(key: Key) -> str:
    """Return ``scheme[1].data`` for ``("scheme", 1, "data")``."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def refuse(error: ValidationError, model: type[BaseModel], place: Key, listed: dict[str, int]) -> Refused:
    """Return the refusal for an error of pydantic, an unknown key first: it may be a missing key, misspelt.

    `listed` holds the index within its list of each key that was given as a list.
    """
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    name, *members = first["loc"] or ("",)
    # A value that may be of several kinds has an error for each of them, below the key.
    kinds = [one for one in error.errors() if one["loc"][:1] == (name,) and isinstance(one["loc"][-1], str)]
    if len(kinds) > 1:
        members = []
    key: Key = (*place, *first["loc"][:1], *members)
    if name in listed:
        key = (*place, name, listed[str(name)], *members)
    if first["type"] == "extra_forbidden":
        return Refused(key, "is not known", ", ".join(model.model_fields))
    if first["type"] == "missing":
        return Refused(key, "is missing", _KINDS.get(model.model_fields[str(key[-1])].annotation, "a list"))
    allowed = " or ".join(_allowed(one) for one in (kinds if len(kinds) > 1 else [first]))
    return Refused(key, f"value {show(first['input'])} is not allowed", allowed)


def _allowed(error: ErrorDetails) -> str:
    known = {
        "tuple_type": "a list",
        "too_short": "a list with at least one value",
        "string_too_short": "text that is not empty",
    }
    told = re.sub(r"^(Input|Value|Tuple) should (be|have) (a |an )?(valid )?", "", error["msg"])
    return known.get(error["type"], told)


_KINDS: dict[Any, str] = {float: "a number", int: "a whole number", str: "text"}
"""Names of the declared types of values; all other types are lists."""


def show(value: object) -> str:
    """Return a value as it is written in a scenario file."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def locate(text: str, key: Key) -> int | None:
    """Return the number, from 1, of the line of `key` in a TOML file, or else of its table."""
    names = [part for part in key if isinstance(part, str)]
    number = key[1] if len(key) > 1 and isinstance(key[1], int) else 0
    table, found = "", None
    seen: dict[str, int] = {}
    for line_number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\[?\s*([\w-]+)\s*\]?\]", line)
        if header:
            table = header[1]
            seen[table] = seen.get(table, -1) + 1
        in_table = table == names[0] and seen.get(table) == number
        if in_table and header:
            found = line_number
        assigned = re.match(r"\s*\"?([\w-]+)\"?\s*=", line)
        if assigned and (
            (in_table and assigned[1] == names[-1] and len(names) > 1)
            or (not table and assigned[1] == names[0])
        ):
            return line_number
    return found
