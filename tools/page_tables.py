"""Tables in Markdown, and their places in pages whose other text is written by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pandas as pd

from tmt.io.atomic import write_text
from tmt.results.statistics import Interval


def mean_and_half(found: Interval, spec: str = ".0f") -> tuple[str, str]:
    """Return a mean and half of its interval, such as ``178`` and ``20``; with spec ``.1%`` in per cent."""
    scale = 100 if spec.endswith("%") else 1
    spec = spec.replace("%", "f")
    return f"{scale * found.mean:{spec}}", f"{scale * found.half_width:{spec.lstrip('+')}}"


def plus_minus(found: Interval, spec: str = ".0f") -> str:
    """Return a mean and half of its interval, such as ``178 ± 20``; with spec ``+.1%`` ``+1.5 ± 0.2 %``."""
    return " ± ".join(mean_and_half(found, spec)) + (" %" if spec.endswith("%") else "")


def two_columns(name: str, found: Interval, spec: str = ".0f") -> dict[str, str]:
    """Return the cells of a mean and of half of its 95 % interval in a CSV file."""
    return dict(zip((name, f"{name}_95"), mean_and_half(found, spec), strict=True))


def markdown_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    heads = list(heads)
    return "\n".join(map(markdown_row, (heads, ["---"] * len(heads), *rows)))


def cross_table(cells: pd.DataFrame, row: str, column: str, text: Callable[[pd.Series], str]) -> str:
    """Return a table in Markdown: a row per value of one column, a column per value of another."""
    shown = {(cell[row], cell[column]): text(cell) for _, cell in cells.iterrows()}
    rows, heads = cells[row].unique(), cells[column].unique()
    lines = ([name, *(shown.get((name, head), "") for head in heads)] for name in rows)
    return markdown_table([row.replace("_", " "), *heads], lines)


def markdown_row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with each table where its name says: between ``<!-- NAME -->`` and ``<!-- end -->``."""
    for name, table in tables.items():
        begin = f"<!-- {name} -->\n"
        pattern = re.compile(f"{begin}.*?<!-- end -->", re.DOTALL)
        page, count = pattern.subn(f"{begin}\n{table}\n\n<!-- end -->".replace("\\", r"\\"), page)
        if count != 1:
            raise ValueError(f"the page has {count} places for the table {name}, must have 1")
    return page


def fill_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Put tables into their places in a page; see `filled`."""
    write_text(page, filled(page.read_text(encoding="utf-8"), tables))
