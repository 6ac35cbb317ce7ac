"""One HTML page in one file: template, style, scripts and data; and the parts that all pages share."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import suppress
from functools import cache
from importlib import resources
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import vl_convert
from jinja2 import Environment, StrictUndefined

from tmt import __version__
from tmt.core.provenance import user_cache
from tmt.io.atomic import write_text
from tmt.results.measures import OF_PROGRAM
from tmt.results.values import COLUMNS
from tmt.show.charts.style import INKS, MARKER_PATHS, configuration

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from pathlib import Path

    from tmt.results.measures import Measure
    from tmt.results.values import Axis
    from tmt.show.charts.style import MemberStyle

Record = dict[str, Any]

Sections = dict[str, tuple[str, str]]
"""Title and introduction of each section by the elements that the page's script fills, such as
``delay-view``.

The first element gives the section its name, here ``delay``.
"""

CHARTS_LEAD = (
    "One measure at one point of the grid. Choose TCP variants, schemes and the measure above. "
    "The pointer shows details of a mark, and so do the arrow keys while the chart has the focus."
)


GROUPS_LEAD = (
    "Each group beside the others and alone. Share: of what all groups delivered while they were active "
    "together. Harm: the part of the measure alone that the other groups take (Ware and others, 2019)."
)


def page_record(style: MemberStyle) -> Record:
    """Return a style for a page's script."""
    path = MARKER_PATHS[style.marker]
    return {"label": style.label, "light": style.colour, "dark": style.dark_colour, "path": path}


def fact(label: str, value: object, *, alarm: bool = False) -> Record:
    """Return a number at the head of a page."""
    return {"label": label, "value": str(value), "alarm": alarm}


def finding(text: str, more: Sequence[str] = (), tail: str = "") -> Record:
    """Return a sentence; `more`, before the `tail`, opens on demand."""
    return {"text": text, "more": list(more), "tail": tail}


def term(column: str, label: str, unit: str) -> Record:
    """Return the meaning of a measure from the declaration of its column."""
    if column.startswith(OF_PROGRAM):
        meaning = "number that a program said, as the scenario's `measure` describes it"
        return {"label": label, "unit": unit, "meaning": meaning, "counts": "", "null": ""}
    declared = COLUMNS[column]
    told = {"meaning": declared.meaning, "counts": declared.counts, "null": declared.null}
    return {"label": label, "unit": unit} | told


def sections(possible: Sections, there: Container[str], *, failures: bool) -> list[Record]:
    """Return the sections that have an element, and those at the end of every page."""
    shown = [
        {"id": elements.partition("-")[0], "title": title, "lead": lead, "view": found}
        for elements, (title, lead) in possible.items()
        if (found := [element for element in elements.split() if element in there])
    ]
    last = {"failures": "Runs that failed"} if failures else {}
    last |= {"setup": "Settings and programs", "terms": "Meaning of the numbers"}
    return shown + [{"id": name, "title": title, "lead": "", "view": []} for name, title in last.items()]


def headed_tables(*tables: tuple[str, Sequence[str], Sequence[Sequence[Any]]]) -> list[Record]:
    """Return tables of text from caption, header and rows; those without rows are left out."""
    return [{"caption": caption, "header": header, "rows": rows} for caption, header, rows in tables if rows]


def columns(*heads: str | tuple[str, str]) -> list[Record]:
    """Return the columns of a table that sorts and filters, from their labels, some with meanings."""
    pairs = ((head, "") if isinstance(head, str) else head for head in heads)
    return [{"label": label, "meaning": meaning} for label, meaning in pairs]


def unit_columns(things: Iterable[Axis | Measure]) -> list[Record]:
    """Return the columns of axes or measures, with their labels and units."""
    return [{"label": one.label, "unit": one.unit} for one in things]


def columnar(rows: Sequence[Record]) -> Record:
    """Return records as names and rows of values, which takes a third of the space."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {"names": names, "rows": [[row.get(name) for name in names] for row in rows]}


def titled(label: str, unit: str) -> str:
    """Return a label with its unit, if it has one."""
    return f"{label} ({unit})" if unit else label


FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'


def assemble(scripts: Sequence[str], data: Record, **texts: Any) -> str:
    """Return a page: template, scripts, style, the scripts' data and texts.

    Names from outside are escaped on both ways into the page: as text by the template, and as JSON without a
    character that could end its element.
    """
    style = _asset("style.css") + _colours(data["members"])
    themes = {theme: configuration(font=FONT, scheme=theme) for theme in ("light", "dark")}
    script, bundle = _script(tuple(scripts)), browser_bundle().replace("</script", "<\\/script")
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    return page.from_string(_asset("page.html")).render(
        version=__version__,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        bundle=bundle,
        licence=_asset("vega-licence.txt"),
        bundle_hash=_hash(bundle),
        data=embedded_json(data | {"inks": INKS, "configurations": themes}),
        **texts,
    )


def embedded_json(data: Any) -> str:
    """Return JSON for a script element: ``<``, ``>`` and ``&`` are written as escapes."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return resources.files("tmt.show.page").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _script(scripts: tuple[str, ...]) -> str:
    first, *others = scripts
    data = 'const DATA = JSON.parse(byId("data").textContent);\n'
    return "\n".join(['"use strict";\n(() => {', _asset(first), data, *map(_asset, others), "})();\n"])


def _colours(members: dict[str, list[Record]]) -> str:
    """Return the colours of this page's members as CSS, for light and dark pages."""
    light, dark = (
        "".join(
            f"--{kind}-{i}:{member[theme]};"
            for kind, records in members.items()
            for i, member in enumerate(records)
        )
        for theme in ("light", "dark")
    )
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _hash(text: str) -> str:
    """Return the hash of an inline element, as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def browser_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that defines `vegaEmbed`.

    Bundling takes seconds, so the user's cache folder keeps the result and its hash for each version.
    """
    snippet = "window.vegaEmbed = vegaEmbed;"
    name = f"vega-{version('vl-convert-python')}.js"
    folder = user_cache()
    kept = None if folder is None else _read_checked(folder / name)
    if kept is not None:
        return kept
    bundle: str = vl_convert.javascript_bundle(snippet)
    if folder is not None:
        with suppress(OSError):  # without a cache the next report bundles again
            folder.mkdir(parents=True, exist_ok=True)
            write_text(folder / name, f"{_sha256(bundle)}\n{bundle}")
    return bundle


def _read_checked(path: Path) -> str | None:
    """Return the cached script, None when it is missing or its hash is wrong."""
    try:
        digest, _, script = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    return script if digest == _sha256(script) else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
