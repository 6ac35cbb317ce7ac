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
from tmt.figures.vega import browser_bundle
from tmt.report.member_styles import scheme_styles, tcp_styles
from tmt.report.payload import payload
from tmt.report.report_sections import report_sections
from tmt.report.size_limit import fit
from tmt.report.wording import facts, findings, setup_tables, terms
from tmt.results.values import slug

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tmt.results.cells import Summary
    from tmt.results.dataset import Results

SCRIPTS = ("dom.js", "table.js", "choices.js", "marks.js", "charts.js", "main.js")

METHOD = (
    "Intervals are Student's t intervals at 95 % over the seeds of a cell. Differences are paired: both runs "
    "of a pair have the same seed and therefore the same channel. Holm's method corrects the p-values of all "
    "pairs of a group."
)


def render(results: Results, summary: Summary) -> str:
    """Return the page as text."""
    data = payload(results, summary, slug(results.title))
    left_out = fit(data)
    return fill_template(
        summary,
        data,
        kind="report",
        title=results.title,
        subtitle="TCP over link-layer schemes",
        description=results.description,
        facts=facts(results, summary),
        findings=findings(results, summary),
        warnings=[*results.warnings, *_cut(results, data), *left_out],
        sections=report_sections(results, data),
        failures=results.failures,
        setup=setup_tables(results, summary),
        setup_lead="Everything that a repetition needs: settings, programs and traces.",
        scenario_text=results.scenario_text,
        method=METHOD,
    )


def fill_template(summary: Summary, data: dict[str, Any], **texts: Any) -> str:
    """Return a campaign's page with the data of its charts and tables, and the template's texts."""
    return assemble(
        SCRIPTS,
        _colours(summary),
        data,
        has={"cells": bool(summary.cells)},
        terms=terms(summary),
        **texts,
    )


def assemble(scripts: Sequence[str], colours: str, data: dict[str, Any], **texts: Any) -> str:
    """Return a page: template, scripts, style with more `colours` as CSS, data and texts.

    Names from outside reach the page in two ways, both escaped: as text by the template, and as JSON in which
    no character can end its element.
    """
    style = _asset("style.css") + colours
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
        data=embedded_json(data),
        **texts,
    )


def embedded_json(data: Any) -> str:
    """Return JSON that may stand inside a script element: ``<``, ``>`` and ``&`` are written as escapes."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return resources.files("tmt.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _script(scripts: tuple[str, ...]) -> str:
    first, *others = scripts
    data = 'const DATA = JSON.parse(byId("data").textContent);\n'
    return "\n".join(['"use strict";\n(() => {', _asset(first), data, *map(_asset, others), "})();\n"])


def _colours(summary: Summary) -> str:
    """Return the colours of this page's variants and schemes as CSS, for light and dark pages."""
    styles = {"tcp": tcp_styles(summary.tcps), "scheme": scheme_styles(summary.schemes)}
    light, dark = (
        "".join(
            f"--{kind}-{i}:{style.dark_colour if is_dark else style.colour};"
            for kind, members in styles.items()
            for i, style in enumerate(members)
        )
        for is_dark in (False, True)
    )
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _cut(results: Results, data: dict[str, Any]) -> list[str]:
    """Return a warning when not all runs fit into the table."""
    shown = len(data["tables"]["runs"]["rows"])
    if shown == len(results.runs):
        return []
    return [
        f"The table of runs shows the first {shown} of {len(results.runs)} runs, for the page's size; "
        "charts and means count all of them, and the results hold every one."
    ]


def _hash(text: str) -> str:
    """Return the hash of an inline element, as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
