"""One HTML page that needs nothing but itself: template, style, script and data in one file."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

from tmt import __version__
from tmt.report.looks import scheme_looks, tcp_looks
from tmt.report.payload import payload
from tmt.report.room import fit
from tmt.report.wording import facts, findings, sections, setup_tables, terms
from tmt.results.values import slug

if TYPE_CHECKING:
    from tmt.results.cells import Summary
    from tmt.results.dataset import Results

SCRIPTS = ("dom.js", "chart.js", "plots.js", "table.js", "choices.js", "figure.js", "views.js", "main.js")

METHOD = (
    "Intervals are Student's t intervals at 95 % over the seeds of a cell. Differences are paired: both runs "
    "of a pair have the same seed, hence the same channel. Within a group, the p-values of all pairs are "
    "corrected by Holm's method."
)


def render(results: Results, summary: Summary) -> str:
    """Return the page as text.

    Names from outside reach the page in two ways only, both escaped: as text by the template, and as JSON in
    which no character can end the element that holds it.
    """
    data = payload(results, summary, slug(results.title))
    left_out = fit(data)
    style = _asset("style.css") + _colours(summary)
    script = _script()
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    return page.from_string(_asset("page.html")).render(
        version=__version__,
        title=results.title,
        description=results.description,
        facts=facts(results, summary),
        findings=findings(results, summary),
        warnings=[*results.warnings, *_cut(results, data), *left_out],
        sections=sections(results, summary, data),
        has={"cells": bool(summary.cells)},
        failures=results.failures,
        setup=setup_tables(results, summary),
        scenario_text=results.scenario_text,
        terms=terms(summary),
        method=METHOD,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=embedded_json(data),
    )


def embedded_json(data: Any) -> str:
    """Return JSON that may stand inside a script element: ``<``, ``>`` and ``&`` are written as escapes."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return resources.files("tmt.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    first, *others = SCRIPTS
    data = 'const DATA = JSON.parse(byId("data").textContent);\n'
    return "\n".join(['"use strict";\n(() => {', _asset(first), data, *map(_asset, others), "})();\n"])


def _colours(summary: Summary) -> str:
    """Return the colours of this page's variants and schemes as CSS, paler where the page is dark."""
    looks = {"tcp": tcp_looks(summary.tcps), "scheme": scheme_looks(summary.schemes)}
    rules = [
        f"--{kind}-{i}:color-mix(in srgb,{look.colour} var(--strength),white);"
        for kind, members in looks.items()
        for i, look in enumerate(members)
    ]
    return f":root{{{''.join(rules)}}}\n"


def _cut(results: Results, data: dict[str, Any]) -> list[str]:
    """Return a warning when the page has no room for all runs."""
    shown = len(data["runs"]["rows"])
    if shown == len(results.runs):
        return []
    return [
        f"The table of runs shows the first {shown} of {len(results.runs)} runs, for the page's size; "
        "pictures and means are made from all of them, and the results hold every one."
    ]


def _hash(text: str) -> str:
    """Return what a content security policy calls an inline element's hash."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
