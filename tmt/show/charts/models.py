"""Charts of analytic results over a swept parameter: of one scheme, of hybrid FEC/ARQ-SR, of a proxy."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import altair as alt

from tmt.show.charts.parts import in_rows, line_looks, picture, source, stacked
from tmt.show.charts.style import BLUE, LINE_LOOKS, SCHEME_STYLES, VERMILLION, MemberStyle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tmt.show.charts.style import Row, Spec

SCHEME_AXES = {
    "alpha": "alpha (probability of staying in the good state)",
    "beta": "beta (probability of staying in the bad state)",
    "erasure_probability": "erasure probability p",
}
"""Swept columns of a scheme's model, and their labels."""

SCHEME_PANELS = {
    "efficiency": "Throughput efficiency",
    "recovery_delay_s": "Recovery delay (s)",
    "residual_loss": "Residual loss",
}
"""Results of a scheme's model, and the headings of their panels."""

HYBRID_AXES = {
    "code_length": "N (units of a frame with its redundancy)",
    "persistency": "delta (most retransmissions of a frame)",
    "unit_loss": "p (probability that a unit is lost)",
}
"""Swept columns of the hybrid model, and their labels; the first that varies is the horizontal axis."""

HYBRID_SYMBOLS = {"code_length": "N", "persistency": "delta", "unit_loss": "p", "delay_s": "D"}

SPLIT_AXES = {
    "wired_delay_s": "one-way delay of the wired link (s)",
    "wireless_loss": "packet loss of the wireless link without ARQ",
    "error_after_success": "q (probability of a frame error after a success)",
}
"""Swept columns of the proxy model, and their labels."""

SPLIT_STYLES = {
    (False, False): MemberStyle("end to end", VERMILLION, "o", "--"),
    (False, True): MemberStyle("end to end, ARQ", VERMILLION, "D", "-"),
    (True, False): MemberStyle("split", BLUE, "s", "--"),
    (True, True): MemberStyle("split, ARQ", BLUE, "^", "-"),
}
"""The systems of the proxy model, by whether they have a proxy and ARQ."""


def scheme_chart(title: str, scheme: str, swept: str, rows: Sequence[Row]) -> Spec:
    """Return efficiency, recovery delay and residual loss of one scheme over the swept parameter.

    `swept` is one of `SCHEME_AXES`; rows are those of `tmt.theory.sweep`.
    """
    style = SCHEME_STYLES[scheme]
    table = [
        {"x": row[swept], "line": style.label} | {name: row[name] for name in SCHEME_PANELS} for row in rows
    ]
    panels = _panels(table, SCHEME_PANELS, [style])
    return picture(stacked(panels, _x(), SCHEME_AXES[swept], height=120), title, {"rows": table})


def hybrid_chart(title: str, rows: Sequence[Row]) -> Spec:
    """Return the throughput over the first column of `HYBRID_AXES` that varies.

    Each combination of the other columns has a line. Rows are those of `tmt.theory.hybrid.sweep`.
    """
    varying = [name for name in HYBRID_SYMBOLS if len({row[name] for row in rows}) > 1]
    swept = next((name for name in HYBRID_AXES if name in varying), "code_length")
    others = [name for name in varying if name != swept]
    table = [
        {
            "x": row[swept],
            "line": ", ".join(f"{HYBRID_SYMBOLS[name]} = {_value(row[name])}" for name in others),
            "throughput": 100.0 * row["throughput"],
        }
        for row in rows
        if row[swept] is not None
    ]
    labels = dict.fromkeys(row["line"] for row in table)
    styles = [MemberStyle(label, *look) for label, look in zip(labels, cycle(LINE_LOOKS), strict=False)]
    (panel,) = _panels(table, {"throughput": "Throughput (% of the link)"}, styles, top=100)
    return picture(stacked([panel], _x(), HYBRID_AXES[swept], height=300), title, {"rows": table})


def split_chart(title: str, swept: str, rows: Sequence[Row]) -> Spec:
    """Return latency and throughput of the four systems over the swept parameter, one of `SPLIT_AXES`.

    Rows are those of `tmt.theory.split.sweep`, with `throughput_bps` beside them.
    """
    table = [
        {
            "x": row[swept],
            "line": SPLIT_STYLES[row["split"], row["arq"]].label,
            "latency": row["latency_s"],
            "throughput": row["throughput_bps"] / 1e3,
        }
        for row in rows
    ]
    headings = {"latency": "Latency (s)", "throughput": "Throughput (kbit/s, IP packets)"}
    panels = _panels(table, headings, list(SPLIT_STYLES.values()))
    x = _x().title(SPLIT_AXES[swept])
    return picture(in_rows([panel.encode(x=x) for panel in panels], height=240), title, {"rows": table})


def _x() -> alt.X:
    return alt.X("x:Q", scale=alt.Scale(zero=False, nice=False, padding=8))


def _panels(
    rows: Sequence[Row], headings: Mapping[str, str], styles: Sequence[MemberStyle], top: float | None = None
) -> list[Any]:
    """Return a panel of lines for each column with a heading; vertical axes begin at 0."""
    looks = line_looks("line", styles)
    panels = []
    for column, heading in headings.items():
        most = top or (None if any(row[column] for row in rows) else 1.0)
        scale = alt.Scale(zero=True) if most is None else alt.Scale(domain=[0, most])
        base = source("rows", heading).encode(y=alt.Y(f"{column}:Q", title=None, scale=scale))
        base = base.encode(color=looks["color"])
        line = base.mark_line(strokeWidth=1.5).encode(strokeDash=looks["strokeDash"])
        points = base.mark_point(filled=True, size=28, opacity=1).encode(shape=looks["shape"])
        panels.append(alt.layer(line, points))
    return panels


def _value(value: Any) -> str:
    return "unlimited" if value is None else f"{value:g}"
