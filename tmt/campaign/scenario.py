"""Scenario files: the comparison of a campaign in TOML, checked before anything runs.

Any value in a table but ``[grid]`` may be a list: each of its members is then one more point of the grid.
Times are seconds.
"""

from __future__ import annotations

import csv
import math
import re
import tomllib
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from tmt.campaign.columns import PUBLISHED_COLUMNS
from tmt.campaign.domain_objects import try_out
from tmt.campaign.scenario_checks import check_together
from tmt.campaign.scenario_errors import Key, Refused, locate, refuse, show, spell
from tmt.campaign.sections import (
    CHANNEL_SECTIONS,
    SCHEME_SECTIONS,
    Grid,
    Link,
    ProxySection,
    Scenario,
    TraceFile,
    Traffic,
    Wired,
)
from tmt.core.errors import InputError, UsageError
from tmt.core.words.refusals import shown
from tmt.spec.settings import MAX_SEED

if TYPE_CHECKING:
    from os import PathLike


def load(path: str | PathLike[str]) -> Scenario:
    """Read and check a scenario file.

    Raises
    ------
    InputError
        When it cannot be read, or a key or value is not allowed: one line that names file, line, key, value
        and the allowed values.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except IsADirectoryError as error:
        raise InputError(path, "this is a folder; name a scenario file (.toml)") from error
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is no text in UTF-8; name a scenario file (.toml)") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Scenario:
    """Check the text of a scenario; paths in it are relative to the folder of `path`.

    Raises
    ------
    InputError
        As `load`.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise InputError(path, f"is no TOML: {reason}", int(found[1]) if found else None) from error
    except ValueError as error:  # Python's bound on the digits of a whole number
        raise InputError(path, "is no scenario: a number in it has thousands of digits") from error
    except RecursionError as error:
        raise InputError(path, "is no scenario: its values are nested too deeply") from error
    try:
        return _checked(path, content)
    except RecursionError as error:
        raise InputError(path, "is no scenario: its values are nested too deeply") from error
    except Refused as refused:
        raise InputError(path, str(refused), locate(text, refused.key)) from None


MAX_RUNS = 1_000_000
"""Most runs of a grid that does not say `max_runs`."""

_KEYS = (
    *("title", "description", "published", "grid", "trace", "scheme", "link", "wired", "proxy", "traffic"),
    "tune",
)


def _checked(path: Path, content: dict[str, Any]) -> Scenario:
    for key in content:
        if key not in _KEYS:
            raise Refused((key,), "is not known", ", ".join(_KEYS))
    for key in ("title", "description", "published"):
        if not isinstance(content.get(key, ""), str):
            raise Refused((key,), f"{show(content[key])} is not allowed", "text")
    grid = dict(_table(content, "grid"))
    _check_size(content, grid)
    seeds = grid.get("seeds", [])
    if type(seeds) is int and 1 <= seeds <= MAX_SEED:
        grid["seeds"] = list(range(1, seeds + 1))
    elif not isinstance(seeds, list):
        allowed = f"the number of seeds, from 1 to {MAX_SEED}, or a list of seeds"
        raise Refused(("grid", "seeds"), f"value {show(seeds)} is not allowed", allowed)
    scenario = Scenario(
        path=path,
        title=content.get("title", path.stem),
        description=content.get("description", ""),
        published=_published(path, content),
        grid=_validated(Grid, grid, ("grid",), {}),
        traces=_sections(content, "trace", _trace_model),
        schemes=_sections(content, "scheme", _scheme_model),
        links=_sections(content, "link", lambda *_: Link),
        traffics=_sections(content, "traffic", lambda *_: Traffic),
        wireds=_sections(content, "wired", lambda *_: Wired) if "wired" in content else (),
        proxies=_sections(content, "proxy", lambda *_: ProxySection) if "proxy" in content else (),
        tune=_table(content, "tune") if "tune" in content else {},
    )
    check_together(scenario)
    return scenario


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long, or nobody may look there
        return False


def _published(path: Path, content: dict[str, Any]) -> Path | None:
    name = content.get("published")
    if name is None:
        return None
    allowed = "a CSV file, relative to the scenario's folder"
    file = path.parent / str(name)
    if Path(name).is_absolute() or not _is_file(file):
        raise Refused(("published",), f"{shown(repr(name), 120)} is no file", allowed)
    # The file is copied into the campaign's folder, which may be sent to others: no other file gets there.
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            header = next(csv.reader(lines), [])
    except (OSError, ValueError, csv.Error):
        header = []
    if not set(PUBLISHED_COLUMNS) <= set(header):
        needed = ", ".join(PUBLISHED_COLUMNS)
        raise Refused(("published",), f"{name!r} holds no published values (columns {needed})", allowed)
    return file


def _check_size(content: dict[str, Any], grid: dict[str, Any]) -> None:
    """Refuse a grid of more runs than `[grid] max_runs`, before any of them is made."""
    count = 1
    for key in ("trace", "scheme", "link", "wired", "proxy", "traffic"):
        tables = content.get(key)
        points = [
            math.prod(len(value) for value in table.values() if isinstance(value, list))
            for table in (tables if isinstance(tables, list) else [tables])
            if isinstance(table, dict)
        ]
        count *= sum(points) or 1
    for key in ("tcp", "seeds"):
        value = grid.get(key)
        count *= len(value) if isinstance(value, list) else value if type(value) is int else 1
    limit = grid.get("max_runs", MAX_RUNS)
    if type(limit) is int and count > limit:
        raise Refused(
            ("grid",), f"has up to {count:,} runs", f"up to {limit:,}; a higher limit is max_runs in [grid]"
        )


def _table(content: dict[str, Any], key: str) -> dict[str, Any]:
    table = content.get(key)
    if table is None:
        raise Refused((key,), "is missing", f"a table [{key}]")
    if not isinstance(table, dict):
        raise Refused((key,), f"{table!r} is not allowed", f"a table [{key}]")
    return table


def _sections(content: dict[str, Any], key: str, model: Any) -> tuple[Any, ...]:
    """Return the sections of one kind, one for each combination of their lists' members."""
    tables = content.get(key)
    if tables is None or tables == []:
        raise Refused((key,), "is missing", f"one or more tables [[{key}]]")
    single = isinstance(tables, dict)
    tables = [tables] if single else tables
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise Refused((key,), f"{tables!r} is not allowed", f"tables [[{key}]]")
    sections: dict[Any, tuple[Key, dict[str, int]]] = {}
    for number, table in enumerate(tables):
        place: Key = (key,) if single else (key, number)
        choices = {name: value if isinstance(value, list) else [value] for name, value in table.items()}
        for name, values in choices.items():
            if not values:
                raise Refused((*place, name), "[] is not allowed", "a value, or a list with at least one")
        for picked in product(*(range(len(values)) for values in choices.values())):
            index = dict(zip(choices, picked, strict=True))
            one = {name: choices[name][at] for name, at in index.items()}
            listed = {name: at for name, at in index.items() if isinstance(table[name], list)}
            section = _validated(model(one, place), one, place, listed)
            if section in sections:
                raise _repeated(one, place, index, *sections[section])
            sections[section] = place, index
    return tuple(sections)


def _repeated(
    table: dict[str, Any], place: Key, index: dict[str, int], earlier: Key, members: dict[str, int]
) -> Refused:
    """Return the refusal of a point that an `earlier` table has already, with those members of its lists."""
    if earlier != place:
        return Refused(place, f"says again what {spell(earlier)} says", "each point of the grid once")
    name = next(name for name, at in index.items() if at != members[name])
    return Refused((*place, name), f"{show(table[name])} is listed twice", "each value once")


def _trace_model(table: dict[str, Any], place: Key) -> type[BaseModel]:
    if "file" in table and "channel" in table:
        raise Refused((*place, "channel"), "cannot stand beside file", "file, or channel (with over)")
    if "channel" not in table:
        return TraceFile
    return _by_name(CHANNEL_SECTIONS, table["channel"], (*place, "channel"))


def _scheme_model(table: dict[str, Any], place: Key) -> type[BaseModel]:
    if "name" not in table:
        raise Refused((*place, "name"), "is missing", ", ".join(SCHEME_SECTIONS))
    return _by_name(SCHEME_SECTIONS, table["name"], (*place, "name"))


def _by_name(models: dict[str, type[BaseModel]], name: Any, key: Key) -> type[BaseModel]:
    if not isinstance(name, str) or name not in models:
        raise Refused(key, f"{name!r} is not allowed", ", ".join(models))
    return models[name]


def _validated(model: type[BaseModel], table: dict[str, Any], place: Key, listed: dict[str, int]) -> Any:
    try:
        section = model.model_validate(table)
    except ValidationError as error:
        raise refuse(error, model, place, listed) from None
    try:
        try_out(section)
    except UsageError as error:
        names = [name for name in table if re.match(rf"{name}(_ns)?\b", str(error))]
        raise Refused((*place, *names[:1]), str(error), "") from None
    return section
