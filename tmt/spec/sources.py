"""Sources of a campaign, as BibTeX: the papers, standards, programs and data that a scenario uses.

`sources.bib` holds every entry, `sources.toml` the entries for each name in a scenario.
"""

from __future__ import annotations

import csv
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tmt.core.channels.base import Channel
from tmt.core.declaration import Spec, declared
from tmt.core.errors import InputError
from tmt.core.schema import PHY_TRACE
from tmt.core.schemes.scheme import Scheme
from tmt.io import open_trace
from tmt.spec.queue import Discipline
from tmt.spec.stacks import FECTCP
from tmt.spec.traffic import DEFAULT_CODE, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tmt.core.trace import Metadata
    from tmt.spec.scenario import Scenario

FAMILIES: dict[str, type[Spec]] = {"scheme": Scheme, "channel": Channel, "queue": Discipline}
"""Tables of `sources.toml` for classes that are chosen by name; other tables have the names of keys."""


class Sources(NamedTuple):
    """Keys of BibTeX entries, in the order of `sources.bib`, and a note for each unknown source."""

    keys: tuple[str, ...]
    notes: tuple[str, ...]


TRACES = ("file", "return_trace", "trace")
"""Keys whose files are traces, which hold their own provenance."""


@cache
def known() -> dict[str, dict[str, list[str]]]:
    """Return the keys of entries by table and name, as `sources.toml` holds them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def entries() -> dict[str, str]:
    """Return every BibTeX entry by its key."""
    text = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8")
    found = re.finditer(r"^@\w+\{([\w-]+),\n(?:  .*\n)+\}$", text, re.MULTILINE)
    return {one[1]: one[0] for one in found}


def bibtex(keys: tuple[str, ...]) -> str:
    """Return the entries of some keys as the text of a BibTeX file."""
    return "\n\n".join(entries()[key] for key in keys)


def sources_of(scenario: Scenario) -> Sources:
    """Return what a scenario uses: schemes, channels, TCP, queues, programs, traces, published values.

    InputError when a trace or the published values cannot be read.
    """
    found = _Found()
    found.add("when", "always")
    found.add("scenario", scenario.title, is_known=False)
    if any(len(point.seeds) > 1 for point in scenario.points()):
        found.add("when", "several seeds")
    found.visit(scenario)
    if scenario.published is not None:
        for source in _published(Path(scenario.published), scenario.title):
            found.add_published(scenario.published, source)
    return Sources(tuple(key for key in entries() if key in found.keys), tuple(dict.fromkeys(found.notes)))


class _Found:
    """The sources found so far."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.notes: list[str] = []

    def add(self, table: str, name: str, *, is_known: bool = True) -> None:
        """Add the sources of a name; it may be unknown to a table unless `is_known`."""
        self.keys.update(known()[table][name] if is_known else known()[table].get(name, ()))

    def visit(self, value: Spec) -> None:
        """Add the sources of a value, and of all values that it contains."""
        for table, family in FAMILIES.items():
            if isinstance(value, family):
                self.add(table, value.name)
        self.add("part", type(value).__name__.lower(), is_known=False)
        if isinstance(value, Traffic):
            self._add_traffic(value)
        for key in declared(type(value)):
            member = getattr(value, key)
            for one in member if isinstance(member, tuple) else (member,):
                if isinstance(one, Spec):
                    self.visit(one)
                elif isinstance(one, str) and key in TRACES:
                    self._add_trace(one)
                elif isinstance(one, str) and key == "tcp" and one not in known()["tcp"]:
                    self.notes.append(f"the congestion control {one} has no entry here: cite its source, too")
                elif isinstance(one, str):
                    self.keys.update(known().get(key, {}).get(one, ()))

    def _add_traffic(self, traffic: Traffic) -> None:
        self.add("backend", traffic.carrier)
        if traffic.tcp == FECTCP and traffic.code is None:
            self.add("code", DEFAULT_CODE)
        if traffic.flows + traffic.return_flows > 1 or traffic.flow:
            self.add("when", "several flows")

    def _add_trace(self, file: str) -> None:
        with open_trace(file, PHY_TRACE) as reader:
            metadata = reader.metadata
        generator, importer = metadata.get("generator"), metadata.get("importer")
        if isinstance(generator, dict):
            self.add("channel", str(generator.get("channel")), is_known=False)
        self.add("importer", str(importer), is_known=False)
        inputs = list(_inputs(metadata))
        for name, sha256 in inputs:
            self.add("measurement", sha256, is_known=False)
            if sha256 not in known()["measurement"]:
                self.notes.append(f"{file} is made of {name}, which has no entry here: cite its source, too")
        if generator is None and not inputs:
            self.notes.append(f"{file} does not say what it is made of: cite its source, too")

    def add_published(self, file: str, source: str) -> None:
        """Add the source of published values, as their file names it."""
        keys = [keys for start, keys in known()["published"].items() if source.startswith(start)]
        self.keys.update(*keys)
        if not keys:
            self.notes.append(f"{file}: the source {source!r} has no entry here: cite it, too")


def _inputs(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Return name and SHA-256 of each file from which a trace was made."""
    for value in metadata.values():
        if isinstance(value, dict):
            if {"name", "sha256"} <= value.keys():
                yield str(value["name"]), str(value["sha256"])
            yield from _inputs(value)


def _published(path: Path, title: str) -> Iterator[str]:
    """Return the sources of the published values that belong to a scenario (InputError)."""
    try:
        rows: list[dict[str, Any]] = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(path, f"cannot be read: {reason}") from error
    for row in rows:
        if row.get("source") and (row.get("scenario") or title) == title:
            yield str(row["source"])
