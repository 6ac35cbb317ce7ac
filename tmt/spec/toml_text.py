"""Scenarios as TOML files that read as equal scenarios."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from tmt.core.declaration import declared
from tmt.spec.goals import Tune
from tmt.spec.points import as_list, plain, points
from tmt.spec.scenario import AXES, Scenario
from tmt.spec.toml import mapped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tmt.core.declaration import Field, Spec


def relative_to(folder: Path) -> Callable[[str], str]:
    """Return a function that gives a path relative to a folder, and a file's URI unchanged."""
    return lambda name: name if "://" in name else os.path.relpath(name, folder)


def text_of(scenario: Scenario, path_of: Callable[[str], str], *, explained: bool = False) -> str:
    """Return a scenario as TOML with files as named by `path_of`; a comment may explain each key.

    Points that differ in one key only share a table, if that reads as the same points in the same order.
    """
    table = {"title": scenario.title} | mapped(plain(scenario), path_of)
    head = {key: value for key, value in table.items() if key not in (*AXES, "tune")}
    out = _lines(Scenario, head, explained=explained)
    if "tune" in table:
        out += ["", "[tune]", *_lines(Tune, table["tune"], explained=explained)]
    for key in AXES:
        kind, members = declared(Scenario)[key].kind, getattr(scenario, key)
        used = frozenset(name for one in table.get(key, ()) for name in one)
        folded = [_said(kind, one) for one in _folded([plain(one, used) for one in members])]
        again = [one for each in folded for one in points(kind, each)]
        for each in mapped(folded, path_of) if again == list(members) else table.get(key, ()):
            out += ["", f"[[{key}]]", *_lines(kind, each, explained=explained)]
    return "\n".join(out) + "\n"


def _known(family: type[Spec], table: dict[str, Any]) -> dict[str, Field]:
    """Return the parameters of the class that a table describes."""
    return declared(family.kinds().get(str(table.get("name", "")), family))


def _said(family: type[Spec], table: dict[str, Any]) -> dict[str, Any]:
    known = _known(family, table)
    return {
        key: value
        for key, value in table.items()
        if key not in known or known[key].is_required or value != plain(known[key].default)
    }


def _lines(family: type[Spec], table: dict[str, Any], *, explained: bool) -> list[str]:
    known = _known(family, table)
    found = []
    for key, value in table.items():
        text = f"{key} = {value_text(value)}"
        if explained and key in known and known[key].meaning:
            unit = known[key].param.unit
            text += f"  # {known[key].meaning}{f' ({unit})' if unit else ''}"
        found.append(text)
    return found


def _folded(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tables in which neighbours that differ in one key are merged into one table with a list."""
    for key in dict.fromkeys(name for table in reversed(tables) for name in reversed(table)):
        out: list[dict[str, Any]] = []
        for table in tables:
            last = out[-1] if out else {}
            is_alike = list(last) == list(table) and _without(last, key) == _without(table, key)
            joined = _joined(last[key], table[key]) if is_alike and key in table else None
            if joined is None:
                out.append(table)
            else:
                out[-1] = last | {key: joined}
        tables = out
    return tables


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def _joined(first: Any, second: Any) -> Any:
    """Return the list of both values; for tables that differ in one key, a table with the list; else None."""
    if isinstance(first, dict) and isinstance(second, dict):
        differing = [key for key in first if first[key] != second.get(key)]
        if list(first) != list(second) or len(differing) != 1:
            return None
        inner = _joined(first[differing[0]], second[differing[0]])
        return None if inner is None else first | {differing[0]: inner}
    if any(isinstance(one, dict) for value in (first, second) for one in as_list(value)):
        return None
    return [*as_list(first), *as_list(second)]


def value_text(value: Any) -> str:
    """Return a value in TOML: JSON spells text, numbers, flags and lists alike."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {value_text(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, str) and "\n" in value:
        return '"""\n' + "\n".join(_quoted(line)[1:-1] for line in value.split("\n")) + '"""'
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _quoted(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
