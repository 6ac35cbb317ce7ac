"""The command line of recipes, ``python -m analysis.NAME [FOLDER] [--docs]``, and the pages that they write.

Templates and tables are filled, and files are copied to the documentation. FOLDER keeps the runs.
"""

from __future__ import annotations

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tmt.core.errors import InputError, TmtError
from tmt.io.atomic import write_text
from tools.page_tables import fill_tables, listed

DOCS = Path(__file__).resolve().parents[1] / "docs"

TABLES = "tables"
"""Folder, beside pages and images, of the tables of pages whose other text is written by hand."""


def render(template: Path, **values: object) -> str:
    """Return a page of Markdown: the template with `values`, among which every name in it must be."""
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # Markdown needs none
    )
    environment.filters["listed"] = listed
    return environment.get_template(template.name).render(values)


def to_docs(folder: Path, patterns: Iterable[str]) -> None:
    """Copy files of `folder` to their places in docs/; fill in the tables of ``PAGE`` or ``PAGE#TABLE``.

    InputError when the folder has no such files or tables.
    """
    for pattern in patterns:
        for file in (files := sorted(folder.glob(pattern))):
            shutil.copyfile(file, DOCS / file.relative_to(folder))
        page, _, name = pattern.partition("#")
        tables = sorted((folder / TABLES / page).glob(f"{name or '*'}.md"))
        if tables:
            fill_tables(
                DOCS / page, {table.stem: table.read_text(encoding="utf-8").rstrip() for table in tables}
            )
        elif not files:
            raise InputError(folder, f"holds no {pattern}")


def write_page(path: Path, template: Path, **values: object) -> None:
    """Write a page: the template filled with `values`."""
    write_text(path, render(template, **values))


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a whole table beside its page."""
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def write_tables(folder: Path, page: str, tables: Mapping[str, str]) -> str:
    """Write the tables of a page of docs/ into `folder`, instead of earlier ones; return them as text."""
    place = folder / TABLES / page
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name, table in tables.items():
        write_text(place / f"{name}.md", table + "\n")
    return "\n\n".join(f"{name}:\n\n{table}" for name, table in tables.items())


def start(main: Callable[..., str], *docs: str, default: str = "out/reproduce", **switches: str) -> None:
    """Run a recipe in the given folder, and print its findings; an error that a user can mend is one line.

    `main` takes the folder, `default` where none is named, and each of `switches`, flags with their
    meanings, by its name. `docs` are pages and patterns of files that ``--docs`` copies; see `to_docs`.
    """
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    for name, meaning in switches.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=meaning)
    if docs:
        parser.add_argument("--docs", action="store_true", help="copy what was written to docs/")
    given = parser.parse_args()
    (given.folder / "images").mkdir(parents=True, exist_ok=True)
    try:
        print(main(given.folder, **{name: getattr(given, name) for name in switches}))
        if docs and given.docs:
            to_docs(given.folder, docs)
    except TmtError as error:
        sys.exit(str(error))
