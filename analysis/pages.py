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


def fill_in_docs(page: str, tables: Mapping[str, str]) -> None:
    """Put tables into their places on a page of docs/."""
    path = DOCS / page
    text = filled(path.read_text(encoding="utf-8"), tables)
    with staged(path) as part:
        part.write_text(text, encoding="utf-8")
