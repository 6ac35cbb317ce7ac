"""Tables as files for papers and spreadsheets: LaTeX with booktabs and siunitx, and CSV.

The page's script (`templates/latex.js`) writes the same LaTeX.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from tmt.io.atomic import write_text
from tmt.show.page.page import titled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tmt.show.page.page import Record

LONGEST = 40
"""Most rows of a table on one page; a longer one may break."""

MISSING = "--"

_SPECIAL = {character: f"\\{character}" for character in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "→": r"$\to$",
}
_PLAIN = re.compile(r"-?(\d+)(?:\.(\d+))?")
_PLUS_MINUS = re.compile(r"([-+]?[\d.]+) ±([\d.]+)")
_BOUNDS = re.compile(r"([-+]?[\d.]+) \[([-\d.]+), ([-\d.]+)\]")

# A spreadsheet reads text that begins with one of these as a formula; an apostrophe keeps it text.
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def write_tables(tables: Mapping[str, Record | None], folder: Path) -> Iterator[Path]:
    """Write each table with rows as NAME.tex and NAME.csv; yield the paths as they are written.

    CSV has the heads and rows under `plain` if a table has them: numbers instead of texts.
    """
    for name, table in tables.items():
        if table is None or not table["rows"]:
            continue
        heads = [titled(column["label"], column.get("unit", "")) for column in table["columns"]]
        plain = table.get("plain", (heads, table["rows"]))
        for ending, text in (("tex", latex(heads, table["rows"])), ("csv", csv_text(*plain))):
            path = folder / f"{name}.{ending}"
            write_text(path, text)
            yield path


def csv_text(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as CSV with a header; text that looks like a formula stays text."""
    file = io.StringIO()
    writer = csv.writer(file)
    for row in (heads, *rows):
        writer.writerow([_FORMULA.sub(r"'\g<0>", one) if isinstance(one, str) else one for one in row])
    return file.getvalue()


def latex(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as a LaTeX table: numbers in siunitx's S columns, means with intervals as ``\\num``."""
    kinds, cells = zip(*(_column(values) for values in zip(*rows, strict=True)), strict=True)
    head = " & ".join(f"{{{_escaped(one)}}}" for one in heads) + r" \\"
    lines = [" & ".join(row) + r" \\" for row in zip(*cells, strict=True)]
    name, end_head, packages = "tabular", [], "booktabs,siunitx"
    if len(rows) > LONGEST:
        name, end_head, packages = "longtable", [r"\endhead"], "booktabs,longtable,siunitx"
    return "\n".join(
        [
            f"% \\usepackage{{{packages}}} \\sisetup{{separate-uncertainty}}",
            f"\\begin{{{name}}}{{{''.join(kinds)}}}",
            *(r"\toprule", head, r"\midrule", *end_head, *lines, r"\bottomrule"),
            f"\\end{{{name}}}",
            "",
        ]
    )


def _column(values: Sequence[Any]) -> tuple[str, list[str]]:
    """Return the kind of a column and its cells."""
    texts = [None if one is None else f"{one:.10g}" if isinstance(one, float) else str(one) for one in values]
    known = [one for one in texts if one is not None]
    numbers = [_PLAIN.fullmatch(one) for one in known]
    if known and not any(isinstance(one, str) for one in values) and all(numbers):
        whole, part = (max(len(found[i] or "") for found in numbers if found) for i in (1, 2))
        sign = "-" if any(one.startswith("-") for one in known) else ""
        form = f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
        return f"S[table-format={form}]", [f"{{{MISSING}}}" if one is None else one for one in texts]
    cells = [
        MISSING if text is None else _number(text) if not isinstance(one, str) else _interval(text)
        for one, text in zip(values, texts, strict=True)
    ]
    return ("r" if any(r"\num{" in one for one in cells) else "l"), cells


def _number(text: str) -> str:
    return f"\\num{{{text}}}"


def _interval(text: str) -> str:
    if found := _PLUS_MINUS.fullmatch(text):
        return _number(f"{found[1]} +- {found[2]}")
    if found := _BOUNDS.fullmatch(text):
        return f"{_number(found[1])} [{_number(found[2])}, {_number(found[3])}]"
    return _escaped(text)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
