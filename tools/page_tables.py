"""Tables in Markdown, and their places in pages whose other text is written by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tmt.results.statistics import Interval


def plus_minus(found: Interval, spec: str = ".0f") -> str:
    """Return a mean and half of its interval, such as ``178 ± 20``; with spec ``+.1%`` ``+1.5 ± 0.2 %``."""
    scale, unit = (100, " %") if spec.endswith("%") else (1, "")
    spec = spec.replace("%", "f")
    return f"{scale * found.mean:{spec}} ± {scale * found.half_width:{spec.lstrip('+')}}{unit}"


def markdown_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    heads = list(heads)
    return "\n".join(map(markdown_row, (heads, ["---"] * len(heads), *rows)))


def markdown_row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return the page with each table where its name says: between ``<!-- NAME -->`` and ``<!-- end -->``."""
    for name, table in tables.items():
        begin = f"<!-- {name} -->\n"
        pattern = re.compile(f"{begin}.*?<!-- end -->", re.DOTALL)
        page, count = pattern.subn(f"{begin}\n{table}\n\n<!-- end -->".replace("\\", r"\\"), page)
        if count != 1:
            raise ValueError(f"the page has {count} places for the table {name}, must have 1")
    return page
