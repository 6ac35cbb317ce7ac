"""Scenarios from TOML files; a refusal names file, line and key."""

from __future__ import annotations

import re
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from tmt.core.channels.snr import Snr
from tmt.core.declaration import Spec, canonical, declared
from tmt.core.errors import InputError
from tmt.core.modes import Adaptation
from tmt.core.problems import Place, Problem, Refused, spelled
from tmt.spec import hints
from tmt.spec.files import with_an_end
from tmt.spec.old_form import is_old, renewed, renewed_lines
from tmt.spec.path import Path
from tmt.spec.points import Places, as_list, in_table, placed_one, plain, size_of
from tmt.spec.programs import Program, SecondPath
from tmt.spec.scenario import AXES, LOADS, MAX_RUNS, Scenario
from tmt.spec.trace import Trace
from tmt.spec.traffic import MAX_SEED, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATHS = {
    key: (*one.choices, "none")
    for kind in (Scenario, Trace, Snr, Adaptation, Path, Program, SecondPath)
    for key, one in declared(kind).items()
    if one.param.is_path
}
"""Keys whose values are files, relative to the scenario's folder, and the words that may replace a file."""

LISTED = {key for kind in (Traffic, Program) for key, one in declared(kind).items() if one.is_many}
"""Keys of loads whose value is a list: several points need a list of lists."""


class ScenarioError(InputError):
    """A scenario file that describes no scenario: a line for each wrong key."""

    def __init__(self, path: File, lines: dict[Place, int], problems: tuple[Problem, ...]) -> None:
        self._lines, self.problems = lines, problems
        told = [(line_of(lines, one.place), _told(one)) for one in hints.independent(problems)]
        more = [f"{path}:{line}: {text}" if line else f"{path}: {text}" for line, text in told[1:]]
        super().__init__(path, "\n".join([told[0][1], *more]), told[0][0])

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild from the arguments, because worker processes return errors by pickle."""
        return type(self), (File(self.path), self._lines, self.problems)


def _told(problem: Problem) -> str:
    text = hints.told(problem, "several stand in a list: [{names}]")
    return f"key {spelled(problem.place)}: {text}" if problem.place else text


@dataclass(frozen=True)
class Document:
    """A scenario with the file that describes it; `notes` are for the user, such as one on an old form."""

    path: File
    text: str
    scenario: Scenario
    places: Places
    notes: tuple[str, ...] = ()

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name the file in refusals of the scenario's value, and the key in errors of files that it names."""
        try:
            yield
        except Refused as refused:
            problems = tuple(in_table(one, self.places) for one in refused.problems)
            raise ScenarioError(self.path, _lines_of_today(self.text), problems) from None
        except InputError as error:
            table = tomllib.loads(self.text)
            for place, name in _files_in(renewed(table) if is_old(table) else table):
                if canonical(_beside(self.path, name)) == canonical(error.path):
                    line = line_of(_lines_of_today(self.text), place)
                    raise InputError(self.path, f"key {spelled(place)}: {error}", line) from error
            raise


def read(path: File, max_runs: int | None = None) -> Document:
    """Return the scenario that a file describes (InputError when it cannot be read or describes none).

    `max_runs` is the user's limit; without it the file's applies, and only up to `MAX_RUNS`.
    """
    try:
        text = File(with_an_end(str(path))).read_text(encoding="utf-8")
    except IsADirectoryError as error:
        raise InputError(path, "this is a folder; name a scenario file (.toml)") from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        inside = "; a pack holds campaign/scenario.toml" if str(path).endswith(".zip") else ""
        raise InputError(path, f"is not text in UTF-8; name a scenario file (.toml){inside}") from error
    return parse(text, path, max_runs)


def parse(text: str, path: File, max_runs: int | None = None) -> Document:
    """Return the scenario that a text describes; see `read`. Paths in it are relative to that of `path`."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))  # Python 3.14 has attributes
        reason, line = re.sub(r" \(at .*\)$", "", str(error)), int(found[1]) if found else None
        hint = hints.toml_hint(text.split("\n")[int(found[1]) - 1], int(found[2])) if found else ""
        raise InputError(path, f"is not TOML: {reason}{hint and f'; {hint}'}", line) from error
    except ValueError as error:  # Python's limit on the digits of a whole number
        raise InputError(path, "is not a scenario: a number in it has thousands of digits") from error
    except RecursionError as error:
        raise InputError(path, "is not a scenario: its values are nested too deeply") from error
    if not table:
        raise InputError(path, "is empty; `tmt new` writes a scenario to start from")
    try:
        return _document(path, text, table, max_runs)
    except RecursionError as error:
        raise InputError(path, "is not a scenario: its values are nested too deeply") from error
    except Refused as refused:
        raise ScenarioError(path, _lines_of_today(text), refused.problems) from None


def _document(path: File, text: str, table: dict[str, Any], max_runs: int | None) -> Document:
    notes = [f"{path}: this form of scenarios is deprecated (docs/changes.md)"] if is_old(table) else []
    table = {"title": path.stem} | (renewed(table) if notes else table)
    table |= _limit(table, max_runs)
    places, scenario = placed_one(Scenario, mapped(table, lambda name: _beside(path, name)))
    return Document(path, text, scenario, places, tuple(notes))


def _limit(table: dict[str, Any], max_runs: int | None) -> dict[str, int]:
    """Refuse a grid of too many runs before any point of it is made; return a limit that the user raises."""
    seeds, said = table.get("seeds", 1), table.get("max_runs")
    own = said if type(said) is int else MAX_RUNS
    limit = min(own, MAX_RUNS) if max_runs is None else max_runs
    usual = seeds if type(seeds) is int and seeds > 0 else size_of(seeds)
    size = prod(size_of(table.get(key, 1)) for key in AXES if key not in LOADS)
    size *= sum(
        size_of({name: value for name, value in one.items() if name not in (*LISTED, "seeds")})
        * prod(_lists(value) for name, value in one.items() if name in LISTED)
        * (own if type(own) is int and 0 < own <= MAX_SEED else usual)
        for key in LOADS
        for one in as_list(table.get(key, []))
        if isinstance(one, dict)
        for own in as_list(one.get("seeds"))
    )
    if size > limit:
        higher = "max_runs" if max_runs is None and own < MAX_RUNS else "--max-runs of tmt run"
        allowed, reason = f"up to {limit:,} runs; a higher limit is {higher}", f"has up to {size:,} runs"
        raise Refused([Problem((), None, "rule", allowed, reason)])
    return {"max_runs": limit} if size > own else {}


def _lists(value: Any) -> int:
    """Return an upper bound on the lists that a value describes, for a key whose value is a list."""
    if not isinstance(value, list):
        return size_of(value)
    if any(isinstance(one, list) for one in value):
        return sum(map(_lists, value))
    return prod(map(size_of, value))


def mapped(value: Any, path_of: Callable[[str], str], key: str = "") -> Any:
    """Return the value of a key with files as `path_of` names them."""
    if isinstance(value, dict):
        return {name: mapped(one, path_of, name) for name, one in value.items()}
    if isinstance(value, list):
        return [mapped(one, path_of, key) for one in value]
    return path_of(value) if is_file(key, value) else value


def is_file(key: str, value: Any) -> bool:
    """Whether a key's value names a file, and is none of the words that may replace one."""
    return key in PATHS and isinstance(value, str) and value != "" and value not in PATHS[key]


def _files_in(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield every file that a table names, and its place."""
    if isinstance(value, dict | list):
        for at, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _files_in(one, (*place, at))
    elif is_file(next(str(at) for at in reversed(place) if isinstance(at, str)), value):
        yield place, value


def _beside(file: File, name: str) -> str:
    return name if "://" in name else with_an_end(str(file.parent / name))


def files_of(value: Spec) -> list[str]:
    """Return every file that a scenario, or a part of one, names, each once."""
    return list(dict.fromkeys(name for _, name in _files_in(plain(value))))


_QUOTED = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'')
_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)")
_KEY = re.compile(r'\s*"?([\w-]+)"?\s*=')


def lines_of(text: str) -> dict[Place, int]:
    """Return the line, from 1, of each table and key of a TOML file."""
    found: dict[Place, int] = {}
    number_of: dict[Place, int] = {}
    table: Place = ()
    outside = _QUOTED.sub(lambda many: "\n" * many[0].count("\n"), text)
    for number, line in enumerate(outside.splitlines(), start=1):
        if header := _HEADER.match(line):
            names = header[2].split(".")
            table = ()
            for depth, part in enumerate(names, 1):
                table = (*table, part)
                if header[1] == "[[" and depth == len(names):
                    number_of[table] = number_of.get(table, -1) + 1
                table += (number_of[table],) if table in number_of else ()
            found[table] = number
        elif key := _KEY.match(line):
            found.setdefault((*table, key[1]), number)
    return found


def _lines_of_today(text: str) -> dict[Place, int]:
    lines = lines_of(text)
    return renewed_lines(lines) if is_old(tomllib.loads(text)) else lines


def line_of(lines: dict[Place, int], place: Place) -> int | None:
    """Return the line of a place, or of the nearest enclosing place."""
    around = (one for depth in range(len(place), 0, -1) for one in (place[:depth], (*place[:depth], 0)))
    return next((lines[one] for one in around if one in lines), None)
