"""Parts that the pages of reports, comparisons and searches share: facts, findings, sections, table heads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record = dict[str, Any]

Section = tuple[str, str, str, tuple[str, ...]]
"""Name, title and lead of a section, and the elements that the page's script fills."""

CHARTS_LEAD = (
    "One measure at one point of the grid. Choose TCP variants, schemes and the measure above. "
    "The pointer shows details of a mark, and so do the arrow keys while the chart has the focus."
)


def fact(label: str, value: object, *, alarm: bool = False) -> Record:
    """Return a number at the head of a page."""
    return {"label": label, "value": str(value), "alarm": alarm}


def finding(text: str, more: Sequence[str] = (), tail: str = "") -> Record:
    """Return a sentence; `more` opens on demand before the `tail`."""
    return {"text": text, "more": list(more), "tail": tail}


def sections(shown: Iterable[Section], *, failures: bool) -> list[Record]:
    """Return the sections of a page, and those that every page has at its end."""
    last = (
        *((("failures", "Runs that failed", "", ()),) if failures else ()),
        ("setup", "Settings and programs", "", ()),
        ("terms", "Meaning of the numbers", "", ()),
    )
    return [
        {"id": name, "title": title, "lead": lead, "view": list(view)}
        for name, title, lead, view in (*shown, *last)
    ]


def headed_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Record:
    """Return a table of text."""
    return {"caption": caption, "header": list(header), "rows": [list(row) for row in rows]}


def columns(heads: Iterable[tuple[str, str]]) -> list[Record]:
    """Return the columns of a table that sorts and filters, from their labels and meanings."""
    return [{"label": label, "meaning": meaning} for label, meaning in heads]


def columnar(rows: Sequence[Record]) -> Record:
    """Return records as names and rows of values, which takes a third of the room."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {"names": names, "rows": [[row.get(name) for name in names] for row in rows]}


def titled(label: str, unit: str) -> str:
    """Return a label with its unit, if it has one."""
    return f"{label} ({unit})" if unit else label
