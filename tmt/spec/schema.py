"""The JSON Schema of scenario files, with which editors complete keys and mark errors.

A list of values may replace a value. Types are merged, and choices use ``if`` and ``then`` instead of
alternatives, so that an editor marks the value and not the table around it.
"""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

from tmt.core.declaration import NONE, declared
from tmt.core.problems import shown
from tmt.spec.options import first_line, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tmt.core.declaration import Field, Spec

Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest dialect that TOML editors support."""

_TYPES: dict[type[Any], str] = {bool: "boolean", int: "integer", float: "number", str: "string"}


def schema_of(kind: type[Spec]) -> Schema:
    """Return the JSON Schema of files that describe an object."""
    definitions: Schema = {}
    _define(kind, definitions)
    return {"$schema": DIALECT, "$ref": f"#/definitions/{kind.__name__}", "definitions": definitions}


def _define(family: type[Spec], definitions: Schema) -> Schema:
    """Return a reference to the schema of a table, or of a list of tables."""
    reference = {"$ref": f"#/definitions/{family.__name__}"}
    if family.__name__ not in definitions:
        definitions[family.__name__] = {}  # a part may be of the same family
        kinds = {name: _table(kind, definitions) for name, kind in family.kinds().items()}
        member = {"if": {"type": "string"}, "then": {"enum": _words([NONE], kinds)}, "else": reference}
        found = {"type": ["object", "array"], "items": member}
        definitions[family.__name__] = found | (kinds[""] if "" in kinds else _choice(kinds))
    return reference


def _words(words: Iterable[str], kinds: Iterable[str]) -> list[str]:
    """Return words, and the names of classes that may replace a table without other keys, each once."""
    return [word for word in dict.fromkeys([*words, *kinds]) if word]


def _choice(kinds: dict[str, Schema]) -> Schema:
    """Return the schema of a table whose name decides its keys; with several names, the keys of all."""
    words = list(kinds)
    name = {"type": ["string", "array"], "if": {"type": "string"}, "then": {"enum": words}}
    every: Schema = {key: {} for table in kinds.values() for key in table["properties"]}
    each = [{"if": _named({"const": word}), "then": table} for word, table in kinds.items()]
    several = {"if": _named({"type": "array"}), "then": {"properties": every, "additionalProperties": False}}
    properties = {"name": name | {"items": {"enum": words}}}
    return {"required": ["name"], "properties": properties, "allOf": [*each, several]}


def _named(name: Schema) -> Schema:
    return {"type": "object", "properties": {"name": name}, "required": ["name"]}


def _table(kind: type[Spec], definitions: Schema) -> Schema:
    known = declared(kind)
    properties = {
        key: _value(field, definitions) | {"description": _meaning(field)} for key, field in known.items()
    }
    if kind.name:
        properties = {"name": {"description": first_line(kind)}} | properties
    needed = [key for key, field in known.items() if field.is_required]
    return {
        "description": first_line(kind),
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def _value(field: Field, definitions: Schema) -> Schema:
    """Return the schema of a value or of a list of values; bounds apply to numbers only."""
    words = [*field.choices, *([NONE] if field.is_optional else [])]
    if field.is_nested:
        inner = _define(field.kind, definitions)
        words = _words(words, field.kind.kinds())
        chosen = {"if": {"type": "string"}, "then": {"enum": words}, "else": inner}
        return chosen if words else {"allOf": [inner]}
    one: Schema = {"type": [_TYPES[field.kind], *(["string"] if words and field.kind is not str else [])]}
    if field.kind in (int, float):
        least, most = field.param.least, field.param.most
        one |= ({} if isinf(least) else {"minimum": least}) | ({} if isinf(most) else {"maximum": most})
    if words and not (field.kind is str and (field.is_open or not field.choices)):
        one |= {"if": {"type": "string"}, "then": {"enum": words}}
    several: Schema = one | {"type": [*one["type"], "array"]}
    several["items"] = dict(several)
    return several | ({} if field.is_many else {"minItems": 1})


def _meaning(field: Field) -> str:
    unit = f" in {field.param.unit}" if field.param.unit else ""
    default = field.param.absent if field.default is None else shown(field.default)
    is_said = not (field.is_required or field.is_nested or not default)
    return sentence(f"{field.meaning}{unit}") + (f" Default: {default}." if is_said else "")
