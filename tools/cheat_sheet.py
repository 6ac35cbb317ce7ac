"""Writes `docs/cheat-sheet.md` as a PDF of one page, `docs/_static/cheat-sheet.pdf`."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

import vl_convert

PAGE = Path(__file__).parents[1] / "docs" / "cheat-sheet.md"
PDF = PAGE.parent / "_static" / "cheat-sheet.pdf"

WIDTH, HEIGHT, MARGIN, COLUMNS = 842, 595, 24, 2
"""A4, landscape, in points."""
COLUMN = (WIDTH - (COLUMNS + 1) * MARGIN) / COLUMNS

SANS, MONO = "Liberation Sans, Arial, sans-serif", "Liberation Mono, monospace"
INK, GREY, BLUE = "#111111", "#666666", "#1f4e79"
MONO_EM = 0.6
"""Width of a letter of the fixed-width font, in its size."""


class Line(NamedTuple):
    """A line of text: size and space above in points."""

    text: str
    font: str = MONO
    size: float = 7.8
    colour: str = INK
    above: float = 3
    second: str = ""
    """Text that begins in the middle of the line, for a table."""


def lines_of(markdown: str) -> list[list[Line]]:
    """Return the lines of each section, its heading first."""
    found = []
    for section in markdown.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        lines = [Line(title, SANS, 12, BLUE, 12)]
        for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            for command in filter(None, block.replace(" \\\n", "\0").splitlines()):
                text, _, comment = command.partition(" #") if language == "sh" else (command, "", "")
                if comment:
                    lines.append(Line(comment.strip(), SANS, 8, GREY, 6))
                first, *others = text.rstrip().split("\0")
                lines += [Line(part) for part in (first + " \\" * bool(others), *others)]
        for word, meaning in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", body, re.MULTILINE)[1:]:
            if not word.startswith("---"):
                lines.append(Line(word, SANS, 8, INK, 5, meaning.replace("`", "")))
        found.append(lines)
    return found


def svg(markdown: str) -> str:
    """Return the page; ValueError when something does not fit."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(MARGIN, 36, Line("TMT + CLIFT: from a link's trace to TCP over it", SANS, 14, BLUE)),
    ]
    column, y = 0, 44.0
    for lines in lines_of(markdown):
        height = sum(line.size + line.above for line in lines)
        if y + height > HEIGHT - MARGIN / 2:
            column, y = column + 1, MARGIN / 2
        if column >= COLUMNS or y + height > HEIGHT - MARGIN / 2:
            raise ValueError(f"{lines[0].text}: the page is full")
        for line in lines:
            if line.font == MONO and len(line.text) * MONO_EM * line.size > COLUMN:
                raise ValueError(f"{line.text}: is too long for a column")
            y += line.size + line.above
            parts.append(_text(MARGIN + column * (COLUMN + MARGIN), y, line))
    return "\n".join([*parts, "</svg>\n"])


def _text(x: float, y: float, line: Line) -> str:
    style = f'font-family="{line.font}" font-size="{line.size}" xml:space="preserve"'
    found = f'<text x="{x:.1f}" y="{y:.1f}" fill="{line.colour}" {style}>{escape(line.text)}</text>'
    if line.second:
        found += f'<text x="{x + 60:.1f}" y="{y:.1f}" fill="{GREY}" {style}>{escape(line.second)}</text>'
    return found


if __name__ == "__main__":
    PDF.write_bytes(vl_convert.svg_to_pdf(svg(PAGE.read_text(encoding="utf-8"))))
