"""Command-line options of declared classes, and the objects that the options describe.

The field ``max_transmissions`` becomes the option ``--max-transmissions``; in a part ``below`` it becomes
``--below-max-transmissions``. Among several classes, an option chooses one (``--scheme harq``, ``--below
arq``); only the options of the chosen class are shown and accepted. `tmt.cli.values` makes commands from
them.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from tmt.core.declaration import NONE, Field, Spec, declared
from tmt.core.problems import Place, Problem, Refused, number, spelled
from tmt.spec import hints
from tmt.spec.option_types import TableText, Text, ValueOption, keys_of, placeholder
from tmt.spec.points import one_of, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Chosen = dict[str, list[str]]
"""The words after each option of a command line; those after ``--scheme`` choose classes."""

MOST_BESIDE = 40
"""Length of a list of words that is shown after an option; a longer list is in the option's help."""


@dataclass(frozen=True)
class Part:
    """An object that a command takes, or a part of one.

    `place` is the path to it, from the name of the command's argument. `usual` is the object without options:
    `MISSING` if options must describe one, None if they may. `hidden` are fields without an option, here and
    in parts, and the values that the command gives them; `MISSING` keeps the default. The classes to choose
    from are those `among` the family, or all. `meaning` is the help for the choice; the default is the first
    sentence of the family's docstring.
    """

    place: Place
    family: type[Spec]
    usual: Any = field(default_factory=lambda: MISSING)  # MISSING itself would mean: no default
    is_many: bool = False
    hidden: Mapping[str, Any] = field(default_factory=dict)
    among: Mapping[str, type[Spec]] | None = None
    meaning: str = ""

    @classmethod
    def of(cls, key: str, hint: Any) -> Part:
        """Return the part for which ``Class``, ``Class | None`` or ``tuple[Class, ...]`` stands."""
        (family,) = (one for one in get_args(hint) or (hint,) if one not in (NoneType, Ellipsis))
        usual = None if NoneType in get_args(hint) else MISSING
        return cls((key,), family, usual, get_origin(hint) is tuple)

    @property
    def flag(self) -> str:
        """The option that chooses the class, or creates the object."""
        return flag_of(self.place)

    @property
    def is_choice(self) -> bool:
        """Whether the class is one of several."""
        return not self.family.name and "" not in self.family.kinds()

    @property
    def choices(self) -> Mapping[str, type[Spec]]:
        """The classes to choose from by name."""
        return self.among or self.family.kinds()

    def kinds(self, chosen: Chosen) -> list[type[Spec]]:
        """Return the classes that the command line chooses (Refused, with the path from the whole object)."""
        kinds = self.choices
        if not self.is_choice:
            return list(kinds.values())
        words = chosen.get(self.flag, []) if self.is_many else chosen.get(self.flag, [])[-1:]
        if not words and isinstance(self.usual, Spec):
            return [type(self.usual)]
        for word in words:
            if word not in kinds and not (word == NONE and self.usual is None):
                raise Refused([Problem((*self.place[1:], "name"), word, "choice", tuple(kinds))])
        return [kinds[word] for word in words if word in kinds]

    def options(self, chosen: Chosen) -> Iterator[ValueOption]:
        """Yield the option that chooses a class, and those of the chosen classes, each once (Refused)."""
        kinds = self.kinds(chosen)
        if self.is_choice:
            yield self._choice(is_made=bool(kinds))
        having: dict[str, list[type[Spec]]] = {}
        for kind in kinds:
            for key in self._shown(kind):
                having.setdefault(key, []).append(kind)
        fields = {key: self._shown(owners[0])[key] for key, owners in having.items()}
        for key, one in fields.items():
            if not one.is_nested or one.is_many:
                yield self._option(having[key], key, one)
        for key, one in fields.items():
            if one.is_nested and not one.is_many:
                inner = self._within(having[key][0], key, one)
                needs_options = any(field.is_required for field in declared(inner.family).values())
                if inner.usual is None and not inner.is_choice and not needs_options:
                    heading, said = inner.heading(inner.family), sentence(one.meaning)
                    yield ValueOption(inner.place, heading, inner.flag, is_flag=True, help=said)
                yield from inner.options(chosen)

    def _shown(self, kind: type[Spec]) -> dict[str, Field]:
        known = declared(kind).items()
        return {key: one for key, one in known if key not in self.hidden and not one.param.is_axis}

    def value(self, given: Mapping[Place, Any], chosen: Chosen) -> Any:
        """Return the object, or the objects, that the options describe (Refused)."""
        tables = [self._table(kind, given, chosen) for kind in self.kinds(chosen)]
        if self.usual is None and not any(tables):
            return None
        if self.is_choice and not tables:
            raise Refused([Problem(("name",), None, "missing", tuple(self.choices))])
        fixed = {key: value for key, value in self.hidden.items() if value is not MISSING}
        made = tuple(one_of(self.family, table | fixed) for table in tables)
        return made if self.is_many else made[0]

    def every(self, outer: tuple[type[Spec], ...] = ()) -> Iterator[tuple[str, Part, str]]:
        """Yield each option of every class: its name, the part that has it, and the name of its class."""
        families = [one for one in self.family.__mro__ if issubclass(one, Spec) and len(one.kinds()) > 1]
        for kind in (self.among or (families[0] if families else self.family).kinds()).values():
            for key, one in self._shown(kind).items():
                if not one.is_nested or one.is_many:
                    yield flag_of((*self.place, key)), self, kind.name
                elif one.kind not in outer:
                    yield from self._within(kind, key, one).every((*outer, one.kind))

    def complaints(self, problems: Iterable[Problem], chosen: Chosen) -> list[str]:
        """Return the lines about problems of the object: one line for all missing options of a part."""
        lines, missing, problems = list[str](), dict[Place, list[Problem]](), tuple(problems)
        for one in problems:
            if one.kind == "missing":
                missing.setdefault(one.place[:-1], []).append(one)
        for one in problems:
            together = missing.get(one.place[:-1], []) if one.kind == "missing" else []
            if len(together) < 2:
                lines.append(self.complaint(one, chosen))
            elif one is together[0]:
                *flags, last = (flag_of((*self.place, *other.place)) for other in together)
                lines.append(f"{', '.join(flags)} and {last}: are missing")
        return lines

    def complaint(self, problem: Problem, chosen: Chosen) -> str:
        """Return the line about a problem of the object."""
        flag = flag_of((*self.place, *problem.place))
        if problem.kind == "missing" and len(problem.place) == 1 and problem.place != ("name",):
            names = [kind.name for kind in self.kinds(chosen) if kind.name]
            allowed = problem.allowed if isinstance(problem.allowed, str) else listed(problem.allowed)
            field = declared(self.kinds(chosen)[0])[str(problem.place[0])]
            if field.kind is str and allowed == field.allowed:
                allowed = field.meaning.partition(";")[0]
            typed = next((option for option, *_ in self.every() if option in chosen), "")
            needed = f"needed with {typed} is" if self.usual is None and typed else "needed is"
            return f"{flag}: is missing; {f'{listed(names)} needs' if names else needed} {allowed}"
        text = hints.told(problem)
        said = re.sub("`([a-z_.]+)`", lambda key: flag_of((*self.place, *key[1].split("."))), text)
        return f"{flag}: {said}"

    def heading(self, kind: type[Spec]) -> str:
        """Return the heading of a class's options."""
        words = dict.fromkeys((str(self.place[-1]).replace("_", " "), kind.name))
        return " ".join(words).strip().capitalize()

    def _usual(self, kind: type[Spec], key: str, field: Field) -> Any:
        return getattr(self.usual, key) if type(self.usual) is kind else field.default

    def _within(self, kind: type[Spec], key: str, field: Field) -> Part:
        place, usual = (*self.place, key), self._usual(kind, key, field)
        among = self.among if field.kind is self.family else None
        hidden, meaning = dict.fromkeys(self.hidden, MISSING), sentence(field.meaning)
        return Part(place, field.kind, usual, hidden=hidden, among=among, meaning=meaning)

    def _table(self, kind: type[Spec], given: Mapping[Place, Any], chosen: Chosen) -> dict[str, Any]:
        table: dict[str, Any] = plain(self.usual) if type(self.usual) is kind else {}
        table |= {"name": kind.name} if kind.name else {}
        for key, one in self._shown(kind).items():
            value = given.get((*self.place, key))
            if not one.is_nested or one.is_many:
                table |= {} if value is None else {key: value}
            else:
                inner = self._within(kind, key, one)
                found = [inner._table(one, given, chosen) for one in inner.kinds(chosen)]
                unsaid = inner._table(type(inner.usual), {}, {}) if isinstance(inner.usual, Spec) else {}
                table |= {key: found[0]} if found and (found[0] != unsaid or value) else {}
        return table

    def _choice(self, *, is_made: bool) -> ValueOption:
        words = tuple(self.choices)
        more = f"NAME is {listed(words)}." if is_made else f"{self.flag} NAME --help shows its options."
        end = f"  [default: {self.usual.name}]" if isinstance(self.usual, Spec) else ""
        end = "  [required]" if self.usual is MISSING else end
        return ValueOption(
            *((*self.place, "name"), self.heading(self.family), self.flag),
            type=Text("NAME", words),
            multiple=self.is_many,
            help=f"{self.meaning or first_line(self.family)} {more}{end}",
        )

    def _option(self, kinds: list[type[Spec]], key: str, field: Field) -> ValueOption:
        place, usual = (*self.place, key), self._usual(kinds[0], key, field)
        is_same = all(self._usual(kind, key, declared(kind)[key]) == usual for kind in kinds)
        flags, said = flag_of(place), sentence(field.meaning)
        absent = field.param.absent if field.is_optional else "the profile's"
        default = absent if usual is None else _spelled(usual)
        attributes: dict[str, Any] = {"is_flag": True}
        if field.is_nested:
            words = tuple(keys_of(field.kind))
            said = f"{said[:-1]}; may be given several times. KEY is {listed(words)}."
            attributes = {"type": TableText("KEY=VALUE,...", words, field), "multiple": True}
            default = ""
        elif field.kind is bool:
            default = {True: flags.removeprefix("--"), False: ""}.get(usual, default)
            flags += "" if usual is False else f"/--no-{flags[2:]}"
        else:
            name = "|".join(field.choices) if field.kind is str and field.choices else placeholder(field)
            if len(name) > MOST_BESIDE:
                name, said = "NAME", f"{said} NAME is {', '.join(field.choices)}."
            attributes = {"type": Text(name, field.choices, field), "multiple": field.is_many}
        if usual is MISSING:
            said += "" if self.usual is None and not self.is_choice else "  [required]"
        elif default and is_same:
            said += f"  [default: {default}]"
        heading = self.heading(kinds[0] if len(kinds) == 1 else self.family)
        return ValueOption(place, heading, flags, help=said, **attributes)


def flag_of(place: Place) -> str:
    """Return the option of a place: the name of a class is chosen by the option of its part.

    In one of several tables after an option it is the option and the path from there: ``--flow[1].tcp``.
    """
    tables = [at for at, part in enumerate(place[:-1]) if at > 1 and isinstance(part, int)]
    if tables:
        return flag_of(place[: tables[0]]) + spelled(place[tables[0] :])
    inner = [part for part in place[1:] if isinstance(part, str) and part != "name"] or [str(place[0])]
    return "--" + "-".join(part.rstrip("_").replace("_", "-") for part in inner)


def first_line(kind: type[Spec]) -> str:
    """Return the first line of a class's docstring."""
    return (kind.__doc__ or "").strip().partition("\n")[0]


def listed(names: Iterable[str]) -> str:
    """Return ``a, b or c``, each name once."""
    *others, last = dict.fromkeys(names)
    return f"{', '.join(others)} or {last}" if others else last


def sentence(meaning: str) -> str:
    """Return a declared meaning as a sentence."""
    return f"{meaning[:1].upper()}{meaning[1:]}" + ("" if meaning.endswith(".") else ".")


def _spelled(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_spelled, value))
    return number(value) if isinstance(value, float) else str(value)
