"""The candidates of a search: every scheme of a scenario with every path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.spec.points import leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.core.declaration import Spec
    from tmt.core.schemes.scheme import Scheme
    from tmt.spec.path import Path
    from tmt.spec.scenario import Scenario

SCHEME = "scheme"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scheme with its parameters on a path.

    Attributes
    ----------
    settings
        Name of the scheme and the parameters that vary in the space, by scenario key.
    name
        Its name in tables; no two candidates share one.
    """

    scheme: Scheme
    path: Path
    settings: dict[str, Value]
    name: str


def candidates_of(scenario: Scenario) -> list[Candidate]:
    """Return the candidates in the order of the scenario's tables."""
    labels = scenario.labels()
    by_scheme: dict[str, list[dict[str, Value]]] = {}
    for scheme in scenario.scheme:
        by_scheme.setdefault(scheme.full_name, []).append(_table(scheme))
    path_keys = _varying([_table(path) for path in scenario.path])
    found = []
    for scheme in scenario.scheme:
        own = {key: _table(scheme)[key] for key in _varying(by_scheme[scheme.full_name])}
        for path in scenario.path:
            of_path = {key: _table(path).get(key) for key in path_keys}
            name = ", ".join([labels[scheme], *(_spelled(key, value) for key, value in of_path.items())])
            found.append(Candidate(scheme, path, {SCHEME: scheme.full_name} | own | of_path, name))
    return found


def _table(value: Spec) -> dict[str, Value]:
    """Return the parameters of an object and of its parts, by dotted names."""
    return {key: own for key, _, own in leaves(value)}


def levels_of(candidates: Sequence[Candidate], key: str) -> list[Value]:
    """Return the values of a parameter in the space, numbers in order."""
    values = dict.fromkeys(one.settings[key] for one in candidates if key in one.settings)
    return sorted(values, key=_order)


def neighbours(candidates: Sequence[Candidate], of: Candidate, key: str) -> list[int]:
    """Return the candidates that differ from one in this parameter only, itself included."""
    rest = {name: value for name, value in of.settings.items() if name != key}
    return [
        number
        for number, one in enumerate(candidates)
        if one.settings.keys() == of.settings.keys()
        and all(one.settings[name] == value for name, value in rest.items())
    ]


def _varying(tables: Sequence[dict[str, Value]]) -> list[str]:
    keys = dict.fromkeys(key for table in tables for key in table)
    return [key for key in keys if len({table.get(key) for table in tables}) > 1]


def _spelled(key: str, value: Value) -> str:
    if key == "in_order":
        return "in order" if value else "any order"
    words = key.replace("_", " ").replace(".", " ")
    if value is None:
        return f"no {words}"
    return f"{words} {value:g}" if isinstance(value, float) else f"{words} {value}"


def _order(value: Value) -> tuple[int, float, str]:
    """Numbers in their order, then words, then None."""
    if value is None:
        return 2, 0.0, ""
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")
