"""The candidates of a search: every scheme of a scenario with every path that its [link] lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tmt.campaign.grid import scheme_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tmt.campaign.sections import Scenario

SCHEME = "scheme"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scheme with its parameters on a path.

    Attributes
    ----------
    scheme, link
        Sections of the scenario (`tmt.campaign.sections`).
    settings
        Name of the scheme and the parameters that vary in the space, by scenario key.
    name
        Its name in tables; no two candidates share one.
    """

    scheme: Any
    link: Any
    settings: dict[str, Value]
    name: str


def candidates_of(scenario: Scenario) -> list[Candidate]:
    """Return the candidates in the order of the scenario's tables."""
    labels = scheme_labels(scenario)
    by_scheme: dict[str, list[dict[str, Value]]] = {}
    for section in scenario.schemes:
        by_scheme.setdefault(section.name, []).append(section.model_dump())
    link_keys = _varying(link.model_dump() for link in scenario.links)
    found = []
    for section in scenario.schemes:
        keys = _varying(by_scheme[section.name])
        own = {key: getattr(section, key) for key in keys}
        for link in scenario.links:
            of_link = {key: getattr(link, key) for key in link_keys}
            name = ", ".join([labels[section], *(_spelled(key, value) for key, value in of_link.items())])
            found.append(Candidate(section, link, {SCHEME: section.name} | own | of_link, name))
    return found


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


def _varying(tables: Iterable[dict[str, Value]]) -> list[str]:
    kept = list(tables)
    return [key for key in kept[0] if len({table[key] for table in kept}) > 1]


def _spelled(key: str, value: Value) -> str:
    if key == "in_order":
        return "in order" if value else "any order"
    words = key.replace("_", " ")
    if value is None:
        return f"no {words}"
    return f"{words} {value:g}" if isinstance(value, float) else f"{words} {value}"


def _order(value: Value) -> tuple[int, float, str]:
    """Numbers in their order, then words, then None."""
    if value is None:
        return 2, 0.0, ""
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value), "")
