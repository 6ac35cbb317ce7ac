"""`python -m analysis.stale_pages [--list | --same PAGE...]`: makes pages and figures older than their code.

`pages.toml` beside this file lists every page, figure and table that a program writes. Each has an identity:
the hash of the program's file or folder, of the files that programs of `analysis` share, of the core, of
what it imports from `PACKAGES`, of its inputs, and of the backends that carry out its runs.
`docs/identities.json` holds the identities with which the pages were made. A page whose identity has changed
is stale.

Stale pages are made in the order of their cost. A program that was stopped goes on where it stopped, and the
failure of one does not end the others; the exit status is then 1.

  --list          only list the stale pages; the exit status is 1 if there are any
  --same PAGE...  take these as made: `tools/same_results.py` found no result that differs
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import grimp

from tmt.core.errors import SimulatorError
from tmt.core.identity import MODELS, WORDS, core_places, source_hash
from tmt.io.atomic import write_text
from tmt.run.experiment import programs_of

ROOT = Path(__file__).resolve().parents[1]
PAGES = Path(__file__).with_name("pages.toml")
IDENTITIES = ROOT / "docs" / "identities.json"
FOLDERS = (
    *(place.relative_to(ROOT).as_posix() for place in core_places()),
    *(f"tmt/{place}" for place in (*MODELS, WORDS)),
    "tools/page_tables.py",
)
"""Folders and files that decide what every page says."""

PACKAGES = ("tmt.theory", "tmt.results", "tmt.show")
"""Packages of which those modules decide what a page says that its program imports, directly or not."""


@dataclass(frozen=True, slots=True)
class Page:
    """The files that one program writes for the documentation; see `pages.toml`."""

    program: str
    files: tuple[str, ...]
    minutes: float
    inputs: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Page:
        """Return the page of an entry of `pages.toml`."""
        return cls(
            **{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
        )

    @property
    def name(self) -> str:
        """The program without its options."""
        return self.program.removeprefix("-m ").split()[0]

    @property
    def place(self) -> Path:
        """The program's file; its folder where it has one of its own."""
        parts = self.name.removesuffix(".py").replace("/", ".").split(".")
        folder = ROOT.joinpath(*parts[:2])
        return folder if folder.is_dir() else ROOT.joinpath(*parts).with_suffix(".py")

    def identity(self) -> str:
        """Return the hash of all that decides what the program writes; SimulatorError without a backend."""
        commands = (f"tmt.cli.{command}_command" for command in self.commands)
        folders = (*FOLDERS, *self.folders, *reached(self.name, *commands))
        places = [self.place, *_shared(), *(ROOT / one for one in folders)]
        digest = hashlib.sha256(source_hash(*places, root=ROOT).encode())
        for pattern in self.inputs:
            for path in sorted(ROOT.glob(pattern)):
                digest.update(_content(path))
        for backend in self.backends:
            digest.update(" ".join(programs_of(backend)).encode())
        return digest.hexdigest()


def _content(path: Path) -> bytes:
    """Return the content of an input; of a notebook only its code, because its outputs are written."""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    cells = json.loads(path.read_bytes())["cells"]
    return json.dumps([cell["source"] for cell in cells if cell["cell_type"] == "code"]).encode()


@cache
def _imports() -> grimp.ImportGraph:
    return grimp.build_graph("tmt", "analysis", "benchmarks")


@cache
def reached(*programs: str) -> list[str]:
    """Return the files of `PACKAGES` that the imports of modules reach; all for a program of `tools`.

    Imports within functions count, and those for type checkers, as the names of `tmt` are imported late.
    """
    graph, found, todo = _imports(), set[str](), set(programs)
    if not todo <= graph.modules:
        return [package.replace(".", "/") for package in PACKAGES]
    todo |= {module for program in programs for module in graph.find_descendants(program)}
    while todo:
        module = todo.pop()
        found.add(module)
        package = {module.rpartition(".")[0]} & graph.modules
        todo |= (graph.find_modules_directly_imported_by(module) | package) - found
    names = [module.replace(".", "/") for module in sorted(found) if module.startswith(PACKAGES)]
    return [f"{one}/__init__.py" if (ROOT / one).is_dir() else f"{one}.py" for one in names]


def _shared() -> list[Path]:
    """Return the files of `analysis` that are neither programs of pages nor this one."""
    programs = {page.place for page in read_pages()} | {Path(__file__)}
    return [path for path in sorted(ROOT.glob("analysis/*.py")) if path not in programs]


def read_pages() -> list[Page]:
    """Return every page that a program writes, the cheapest first."""
    entries = tomllib.loads(PAGES.read_text(encoding="utf-8"))["page"]
    return sorted(map(Page.of, entries), key=lambda page: page.minutes)


def read_identities() -> dict[str, str]:
    """Return the identity with which each page was made, by its program's name."""
    return json.loads(IDENTITIES.read_text(encoding="utf-8")) if IDENTITIES.is_file() else {}


def is_stale(page: Page, recorded: dict[str, str]) -> bool:
    """Whether a page was not made with its present identity; one whose backend is missing is."""
    try:
        return recorded.get(page.name) != page.identity()
    except SimulatorError:
        return True


def make(page: Page) -> str | None:
    """Run a page's program and record the identity that it began with; return why that failed, or None."""
    try:
        identity = page.identity()
    except SimulatorError as error:
        return str(error)
    done = subprocess.run([sys.executable, *page.program.split()], cwd=ROOT, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}"
    record({page.name: identity})
    return None


def record(identities: dict[str, str]) -> None:
    """Write the identities with which pages were made."""
    write_text(IDENTITIES, json.dumps(read_identities() | identities, indent=1, sort_keys=True) + "\n")


def main(arguments: list[str]) -> int:
    """List, take as made, or make stale pages; return the exit status."""
    pages = read_pages()
    parser = argparse.ArgumentParser(prog="python -m analysis.stale_pages")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--list", action="store_true")
    chosen.add_argument("--same", nargs="+", metavar="PAGE", choices=[page.name for page in pages])
    asked = parser.parse_args(arguments)
    if asked.same:
        record({page.name: page.identity() for page in pages if page.name in asked.same})
        return 0
    recorded = read_identities()
    todo = [page for page in pages if is_stale(page, recorded)]
    for page in todo:
        print(f"stale: {page.name}, at most {page.minutes:g} min: {', '.join(page.files)}")
    print(f"{len(todo)} of {len(pages)} programs, at most {sum(page.minutes for page in todo):g} min")
    if asked.list:
        return 1 if todo else 0
    failures = []
    for number, page in enumerate(todo, start=1):
        print(f"\n[{number}/{len(todo)}] {page.name}, at most {page.minutes:g} min", flush=True)
        began = time.monotonic()
        failure = make(page)
        if failure:
            failures.append(f"{page.name}: {failure}")
        print(f"{page.name}: {failure or 'made'}, {(time.monotonic() - began) / 60:.1f} min", flush=True)
    print("\n".join(["", *(f"FAILED {failure}" for failure in failures)]).rstrip())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
