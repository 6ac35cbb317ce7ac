"""One HTML page in one file: template, style, scripts and data."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

from tmt import __version__
from tmt.show.charts.vega import INKS, browser_bundle, configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.show.page.page_parts import Record

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'


def assemble(scripts: Sequence[str], data: Record, **texts: Any) -> str:
    """Return a page: template, scripts, style, the scripts' data and texts.

    Names from outside reach the page in two ways, both escaped: as text by the template, and as JSON in which
    no character can end its element.
    """
    style = _asset("style.css") + _colours(data["members"])
    themes = {theme: configuration([], [], font=FONT, scheme=theme) for theme in ("light", "dark")}
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
    """Return JSON that may stand inside a script element: ``<``, ``>`` and ``&`` are written as escapes."""
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
