"""Pages that recipes write: a template is filled, and page and figures are copied to the documentation."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tmt.io.atomic import staged
from tools.page_tables import filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DOCS = Path(__file__).resolve().parents[1] / "docs"


def render(template: Path, **values: object) -> str:
    """Return a page of Markdown: the template with `values`, among which every name in it must be."""
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # Markdown needs none
    )
    return environment.get_template(template.name).render(values)


def copy_to_docs(folder: Path, files: Iterable[str], figures: Iterable[str]) -> None:
    """Copy files of `folder`, and figures of its `images` by their names, to their places in docs/."""
    for file in (*files, *(f"images/{name}.png" for name in figures)):
        shutil.copyfile(folder / file, DOCS / file)


def write_page(path: Path, template: Path, **values: object) -> None:
    """Write a page: the template filled with `values`."""
    with staged(path) as part:
        part.write_text(render(template, **values), encoding="utf-8")


def write_tables(folder: Path, page: str, tables: Mapping[str, str]) -> str:
    """Write the tables of a page of docs/ into files of `folder`; return them as text."""
    for name, table in tables.items():
        with staged(_table_file(folder, page, name)) as part:
            part.write_text(table + "\n", encoding="utf-8")
    return "\n\n".join(f"{name}:\n\n{table}" for name, table in tables.items())


def tables_to_docs(folder: Path, page: str, names: Iterable[str]) -> None:
    """Put tables that `write_tables` wrote into their places on the page of docs/."""
    tables = {name: _table_file(folder, page, name).read_text(encoding="utf-8").rstrip() for name in names}
    fill_in_docs(page, tables)


def _table_file(folder: Path, page: str, name: str) -> Path:
    return folder / f"{page.removesuffix('.md')}-{name}.md"


def fill_in_docs(page: str, tables: Mapping[str, str]) -> None:
    """Put tables into their places on a page of docs/."""
    path = DOCS / page
    text = filled(path.read_text(encoding="utf-8"), tables)
    with staged(path) as part:
        part.write_text(text, encoding="utf-8")
