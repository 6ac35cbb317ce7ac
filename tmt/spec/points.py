"""Objects from tables; a list in a table stands for several objects, one for each combination.

A table comes from TOML, keyword arguments or options: a mapping of keys to plain values, lists and tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from tmt.core.declaration import NONE, Field, Spec, declared, value_at
from tmt.core.problems import Place, Problem, Refused, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SpecT = TypeVar("SpecT", bound=Spec)
T = TypeVar("T")
Places = dict[str, "Place | list[tuple[Place, Places]]"]
"""Places of an object's values in the lists of its table; for an axis, those of each point and its table."""

Way = tuple["Place | list[tuple[Place, Places]]", Any]
"""A possible value of a key, and its place in the key's list."""


def one_of(family: type[SpecT], table: Any) -> SpecT:
    """Return the object that a table without lists of values describes; Refused names every wrong key."""
    return placed_one(family, table)[1]


def placed_one(family: type[SpecT], table: Any) -> tuple[Places, SpecT]:
    """Return the one object that a table describes, with the places of its values (Refused as `one_of`)."""
    found = placed_points(family, table)
    if len(found) > 1:
        listed = [key for key, place in found[0][0].items() if place and isinstance(place, tuple)]
        several = [key for key in listed if isinstance(table[key], list) and len(table[key]) > 1]
        raise Refused(
            [Problem((key,), table[key], "type", "one value") for key in several]
            or [Problem((), None, "type", "one value for each key, no lists")]
        )
    return found[0]


def points(family: type[SpecT], table: Any) -> list[SpecT]:
    """Return the objects that a table describes (Refused as `one_of`)."""
    return [value for _, value in placed_points(family, table)]


def placed_points(family: type[SpecT], table: Any) -> list[tuple[Places, SpecT]]:
    """Return the objects that a table describes, each with the places of its values (Refused)."""
    if isinstance(table, family):
        return [({}, table)]
    table = _named(family, table)
    if not isinstance(table, Mapping):
        raise Refused([Problem((), table, "type", "a table")])
    kinds = family.kinds()
    if list(kinds) == [""]:
        return _points(kinds[""], dict(table))
    names, rest = table.get("name"), {key: value for key, value in table.items() if key != "name"}
    found: list[tuple[Places, SpecT]] = []
    problems: list[Problem] = []
    for place, name in enumerate(names) if isinstance(names, list) else [(None, names)]:
        if not isinstance(name, str) or name not in kinds:
            where: Place = ("name",) if place is None else ("name", place)
            problems.append(Problem(where, name, "missing" if name is None else "choice", tuple(kinds)))
            continue
        try:
            found += _points(kinds[name], rest)
        except Refused as refused:
            problems += refused.problems
    if problems or not found:
        raise Refused(problems or [Problem(("name",), names, "range", tuple(kinds))])
    return found


def _named(family: type[Spec], raw: Any) -> Any:
    """Return the table for the bare name of a class; anything else unchanged."""
    return {"name": raw} if isinstance(raw, str) and raw and raw in family.kinds() else raw


def _points(kind: type[SpecT], table: dict[str, Any]) -> list[tuple[Places, SpecT]]:
    known, problems = declared(kind), list[Problem]()
    ways: dict[str, list[Way]] = {}
    keys = (("name",) if kind.name else ()) + tuple(known)
    for key, raw in table.items():
        if key not in known:
            problems.append(Problem((key,), raw, "unknown", keys))
            continue
        try:
            ways[key] = _ways(known[key], raw)
        except Refused as refused:
            problems += [one.within(key) for one in refused.problems]
    missing = [one for one in known.values() if one.is_required and one.name not in table]
    problems += [Problem((one.name,), None, "missing", one.allowed) for one in missing]
    if problems:
        raise Refused(problems)
    found = []
    for picked in product(*ways.values()):
        chosen = dict(zip(ways, picked, strict=True))
        places = {key: place for key, (place, _) in chosen.items()}
        try:
            found.append((places, kind(**{key: value for key, (_, value) in chosen.items()})))
        except Refused as refused:
            raise Refused(in_table(one, places) for one in refused.problems) from None
    return found


def in_table(problem: Problem, places: Places) -> Problem:
    """Return a problem of an object, with places in the table that described it."""
    if not problem.place:
        return problem
    key, *rest = problem.place
    within = places.get(str(key), ())
    if not isinstance(within, list):
        return replace(problem, place=(key, *within, *rest))
    if not rest:
        return problem
    table, inner = within[int(rest[0])]
    return in_table(replace(problem, place=tuple(rest[1:])), inner).within(key, *table)


def _ways(field: Field, raw: Any) -> list[Way]:
    if field.is_optional and raw == NONE and NONE not in field.choices:
        return [((), None)]
    if field.param.is_axis:
        members = _axis(field, raw)
        return [(list(members.values()), tuple(members))]
    is_value = field.is_many and isinstance(raw, list) and not any(isinstance(one, list) for one in raw)
    if field.is_nested and field.is_many and (is_value or isinstance(raw, Mapping)):
        return _groups(field, raw)
    if isinstance(raw, list) and not is_value:
        if not raw:
            raise Refused([Problem((), raw, "range", "a value, or a list with at least one")])
        return _listed(field, raw)
    if field.is_nested and not field.is_many:
        raw = _named(field.kind, raw)
        if isinstance(raw, Mapping):
            return [((), value) for value in points(field.kind, raw)]
        if not isinstance(raw, Spec):
            kinds = tuple(field.kind.kinds())
            if isinstance(raw, str) and kinds != ("",):
                raise Refused([Problem((), raw, "choice", kinds)])
            names = ", ".join(kinds)
            keys = f"name ({names}) and its keys" if names else ", ".join(declared(field.kind))
            allowed = str(field.allowed).replace("a table", f"a table of {keys}", 1)
            raise Refused([Problem((), raw, "type", allowed)])
    return [((), field.take(raw))]


def _each(raw: Any, made: Callable[[Any], T], problems: list[Problem]) -> Iterator[tuple[Place, T]]:
    """Yield the object made from each member of a list, or from a single value, with its place; collect
    problems.
    """
    for number, member in enumerate(raw) if isinstance(raw, list) else [(None, raw)]:
        place: Place = () if number is None else (number,)
        try:
            found = made(member)
        except Refused as refused:
            problems += [one.within(*place) for one in refused.problems]
        else:
            yield place, found


def _groups(field: Field, raw: Any) -> list[Way]:
    """Return every tuple of objects that a list of tables describes, one object for each table."""
    problems: list[Problem] = []
    tables = _each(raw, partial(placed_points, field.kind), problems)
    members = [[(place, places, value) for places, value in own] for place, own in tables]
    if problems:
        raise Refused(problems)
    return [
        ([(place, places) for place, places, _ in picked], tuple(value for *_, value in picked))
        for picked in product(*members)
    ]


def _listed(field: Field, raw: list[Any]) -> list[Way]:
    found: dict[Any, Way] = {}
    problems: list[Problem] = []
    for at, ways in _each(raw, partial(_ways, field), problems):
        for place, value in ways:
            if value in found:
                problems.append(Problem(at, value_at(raw, at), "repeated", "each value once"))
            found[value] = (*at, *(place if isinstance(place, tuple) else ())), value
    if problems:
        raise Refused(problems)
    return list(found.values())


def _axis(field: Field, raw: Any) -> dict[Any, tuple[Place, Places]]:
    """Return the points of all tables of an axis, each with the places of its table and of its values."""
    found: dict[Any, tuple[Place, Places]] = {}
    problems: list[Problem] = []
    for place, own in _each(raw, partial(placed_points, field.kind), problems):
        for places, point in own:
            if point in found:
                said = spelled((field.name, *found[point][0]))
                allowed, reason = "each point of the grid once", f"describes a point that {said} has, too"
                problems.append(Problem(place, None, "rule", allowed, reason))
                break
            found[point] = place, places
    if problems:
        raise Refused(problems)
    return found


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and a value alone as a list of one."""
    return value if isinstance(value, list) else [value]


def size_of(raw: Any) -> int:
    """Return an upper bound on the number of objects that a table describes, without making them."""
    if isinstance(raw, Mapping):
        return prod(size_of(one) for one in raw.values())
    return sum(size_of(one) for one in raw) if isinstance(raw, list) else 1


def plain(value: Any, keep: frozenset[str] = frozenset()) -> Any:
    """Return an object as a table; defaults are left out, except those in `keep`."""
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if not isinstance(value, Spec):
        return NONE if value is None else value
    said = value.said()
    table = {key: plain(getattr(value, key)) for key in declared(type(value)) if key in said or key in keep}
    return ({"name": value.name} if value.name else {}) | table


def leaves(value: Spec, prefix: str = "") -> Iterator[tuple[str, Field, Any]]:
    """Yield every parameter of an object and of its parts: dotted name, declaration, value."""
    for key, field in declared(type(value)).items():
        own = getattr(value, key)
        if isinstance(own, Spec):
            yield from leaves(own, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", field, own
