"""Vega: configuration of the charts, files for print, and the programs that draw the charts in a page."""

from __future__ import annotations

import hashlib
import os
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from tmt.io.atomic import staged, write_text
from tmt.show.charts.style import check_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Spec = dict[str, Any]

MARKER_PATHS = {
    "o": "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
    "s": "M-.9,-.9H.9V.9H-.9Z",
    "^": "M0,-1.1L1.1,.85H-1.1Z",
    "v": "M0,1.1L1.1,-.85H-1.1Z",
    "D": "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "P": "M-.35,-1.1H.35V-.35H1.1V.35H.35V1.1H-.35V.35H-1.1V-.35H-.35Z",
    "X": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "*": "M0,-1.2L.3,-.4L1.15,-.35L.5,.15L.7,1L0,.5L-.7,1L-.5,.15L-1.15,-.35L-.3,-.4Z",
    "h": "M-.9,-.5L0,-1.05L.9,-.5V.5L0,1.05L-.9,.5Z",
    "<": "M-1.1,0L.85,-1.1V1.1Z",
    ">": "M1.1,0L-.85,-1.1V1.1Z",
    "d": "M0,-1.2L.7,0L0,1.2L-.7,0Z",
    "p": "M0,-1.1L1.05,-.34L.65,.89H-.65L-1.05,-.34Z",
    "H": "M-1.05,0L-.52,-.9H.52L1.05,0L.52,.9H-.52Z",
    "8": "M-.41,-1H.41L1,-.41V.41L.41,1H-.41L-1,.41V-.41Z",
}
"""SVG paths of radius 1 of the markers, by matplotlib's letters."""

INKS = {
    "light": {"ink": "#1d2329", "quiet": "#57616b", "grid": "#e8ecef", "rule": "#d9dfe4", "paper": "#ffffff"},
    "dark": {"ink": "#e8edf1", "quiet": "#a3aeb8", "grid": "#2a3239", "rule": "#38424b", "paper": "#14181c"},
}
"""Colours of text, lines and background, by colour scheme."""

PRINT_WIDTH_PX = 680
PRINT_FONT = "Liberation Sans"


def configuration(
    colours: Sequence[str], markers: Sequence[str], *, font: str = PRINT_FONT, scheme: str = "light"
) -> Spec:
    """Return Vega-Lite's configuration: the look of all charts, and the members' colours and markers.

    Charts for print use one face of their font: vl-convert writes several faces in an order of chance.
    """
    bold, italic = ("normal", "normal") if font == PRINT_FONT else ("bold", "italic")
    ink = INKS[scheme]
    label = {"labelColor": ink["ink"], "titleColor": ink["quiet"], "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": ink["paper"],
        "font": font,
        "padding": 4,
        "view": {"stroke": None},
        "mark": {"aria": False},
        "axis": {
            **label,
            "titleFontWeight": "normal",
            "labelSeparation": 6,
            "gridColor": ink["grid"],
            "domainColor": ink["rule"],
            "tickColor": ink["rule"],
        },
        "header": {**label, "labelFontSize": 13, "labelFontWeight": bold, "labelPadding": 4},
        "legend": {
            **label,
            "labelLimit": 400,
            "symbolStrokeWidth": 2,
            "symbolOpacity": 1,
            "columnPadding": 14,
            "offset": 8,
        },
        "title": {
            "color": ink["quiet"],
            "anchor": "start",
            "fontSize": 12,
            "fontWeight": "normal",
            "offset": 6,
            "limit": 700,
        },
        "text": {"color": ink["ink"], "fontSize": 12, "baseline": "middle"},
        "style": {
            "quiet": {"fill": ink["quiet"], "fontStyle": italic},
        },
        "range": {"category": list(colours), "symbol": [MARKER_PATHS[marker] for marker in markers]},
    }


def filled(
    spec: Spec, rows: Sequence[Mapping[str, Any]], width_px: int = PRINT_WIDTH_PX, **parameters: Any
) -> Spec:
    """Return a specification of `tmt.show.charts.charts` with its rows, its parameters and its width."""
    whole = deepcopy(spec)
    whole["datasets"] = {"rows": list(rows)}
    parameters = INKS["light"] | parameters
    for parameter in whole["params"]:
        parameter["value"] = parameters.get(parameter["name"], parameter.get("value"))
    if "vconcat" in whole:
        for panel in whole["vconcat"]:
            panel["width"] = width_px - 120
    elif "columns" not in whole:
        whole["spec"]["width"] = 170
    elif whole["columns"] == 1:
        whole["spec"]["width"] = width_px - 290
    else:
        whole["spec"]["width"] = width_px // whole["columns"] - 60
    return whole


def save_chart(spec: Spec, config: Spec, paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path]:
    """Write a chart into files, as SVG, PDF or PNG by their endings; give each path once it is written.

    Raises
    ------
    UsageError
        When an ending is another one, or no file can be there.
    OutputError
        When a file cannot be written; nothing half-written stays behind.
    """
    svg = vl_convert.vegalite_to_svg(spec, config=config)
    for path in paths:
        ending = check_format(path)
        with staged(path) as part:
            if ending == "svg":
                part.write_text(svg, encoding="utf-8")
            elif ending == "pdf":
                part.write_bytes(vl_convert.svg_to_pdf(svg))
            else:
                part.write_bytes(vl_convert.svg_to_png(svg, scale=2))
        yield Path(path)


def browser_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that defines `vegaEmbed`.

    Bundling takes seconds, so that the user's cache folder keeps the result, with its hash, for each version.
    """
    snippet = "window.vegaEmbed = vegaEmbed;"
    name = f"vega-{version('vl-convert-python')}.js"
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tmt"
    kept = _read_checked(folder / name)
    if kept is not None:
        return kept
    bundle: str = vl_convert.javascript_bundle(snippet)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / name, f"{_sha256(bundle)}\n{bundle}")
    except OSError:
        pass  # without a cache the next report bundles again
    return bundle


def _read_checked(path: Path) -> str | None:
    """Return the cached script, None when there is none or its hash is wrong."""
    try:
        digest, _, script = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    return script if digest == _sha256(script) else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
