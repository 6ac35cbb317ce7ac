"""Charts of traces: rate and bad rows over time, lengths of bursts, gaps and pauses, delays; fits."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from tmt.core.measure.distribution import share_at_least
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.units import ns_to_seconds
from tmt.core.words.values import rate_unit
from tmt.show.charts.parts import (
    coloured,
    in_rows,
    line_looks,
    log_axis,
    picture,
    source,
    stacked,
    stairs,
    table,
)
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, PALE, SKY, VERMILLION, MemberStyle
from tmt.theory.fit import MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tmt.show.charts.style import Row, Spec
    from tmt.theory.fit import FitReport

Tables = dict[str, list["Row"]]

DOTS: dict[str, Any] = {"filled": True, "opacity": 1, "size": 14}
AREA: dict[str, Any] = {"opacity": 1, "line": False, "clip": True}


def summary_chart(summary: PhySummary | LinkSummary, name: str) -> Spec:
    """Return the chart of a trace's summary; a distribution with only one value has no panel."""
    rows = "slots" if isinstance(summary, PhySummary) else "LLDUs"
    title = f"{name}: {summary.times.rows:,} {rows} in {summary.times.duration_s:,.4g} s"
    tables: Tables = {}
    parts = [part for part in (_over_time(summary, tables), _laws(summary, tables)) if part is not None]
    return picture(alt.vconcat(*parts, spacing=24), title, tables)


def _over_time(summary: PhySummary | LinkSummary, tables: Tables) -> Any:
    """Return the panels over the time of transmission, and put their rows into `tables`; None for one row."""
    phy = isinstance(summary, PhySummary)
    rates, unit = summary.rate_over_time()
    if rates is None:
        return None
    named, scale = (unit, 1.0) if unit == "rows/s" else rate_unit(rates.offered_per_s.max())
    offered, good = scale * rates.offered_per_s, scale * rates.good_per_s
    tables["rate"] = stairs(rates.edges_s, offered=offered, good=good)
    panels = [_rate(summary, named, "decoded" if phy else "delivered", tables)]
    if summary.timeline.bad.any():
        start_s, share = summary.timeline.bad_share()
        edges_s = np.append(start_s, start_s[-1] + ns_to_seconds(summary.timeline.width_ns))
        tables["bad"] = stairs(edges_s, percent=100 * share)
        area = source("bad", "Erased slots (%)" if phy else "LLDUs lost or repeated (%)")
        panels.append(
            area.mark_area(**AREA, color=VERMILLION).encode(y=alt.Y("percent:Q", title=None, stack=None))
        )
    if isinstance(summary, PhySummary) and summary.es_n0_db is not None:
        start_s, mean_db = summary.timeline.mean_es_n0_db()
        tables["signal"] = table(time=start_s, mean_db=mean_db)
        line = source("signal", "Mean Es/N0 (dB)").mark_line(color=INK, strokeWidth=1)
        panels.append(line.encode(y=alt.Y("mean_db:Q", title=None, scale=alt.Scale(zero=False))))
    ends_s = [float(rates.edges_s[place]) for place in (0, -1)]
    x = alt.X("time:Q", scale=alt.Scale(domain=ends_s, nice=False))
    return stacked(panels, x, "time of transmission (s)", height=90).resolve_scale(color="independent")


def _rate(summary: PhySummary | LinkSummary, unit: str, good: str, tables: Tables) -> Any:
    """Return the offered rate, its good part, and the longest pause if pauses are irregular."""
    has_bad = any(row["offered"] != row["good"] for row in tables["rate"])
    colours = {"offered": PALE, good: SKY} if has_bad else {"offered": SKY}
    pause = None if summary.pauses.are_regular else summary.pauses.longest
    longest = ""
    if pause is not None:
        start_s, duration_s = ns_to_seconds(pause.start_ns), ns_to_seconds(pause.duration_ns)
        tables["pause"] = [{"time": start_s, "end": start_s + duration_s}]
        longest = f"longest pause: {duration_s:.3g} s"
        colours[longest] = VERMILLION
    named = coloured(f"Rate ({unit})", colours)
    area = source("rate").mark_area(**AREA)
    layers = [
        named(area.encode(y=alt.Y(f"{field}:Q", title=None, stack=None)), name)
        for field, name in (("offered", "offered"), ("good", good))
        if name in colours
    ]
    if longest:
        band = source("pause").mark_rect(opacity=0.6, stroke=VERMILLION)
        layers.append(named(band.encode(x="time:Q", x2="end"), longest))
    return alt.layer(*layers)


def _laws(summary: PhySummary | LinkSummary, tables: Tables) -> Any:
    """Return the panels of the distributions, and put their rows into `tables`."""
    phy, lengths = isinstance(summary, PhySummary), summary.pattern
    rows, bad = ("slots", "erased") if phy else ("LLDUs", "lost")
    panels: list[Any] = []
    if lengths.burst_lengths:
        tables["bursts"], tables["gaps"] = _lengths(lengths.burst_lengths), _lengths(lengths.gap_lengths)
        bursts = _at_least("bursts", f"{rows} {bad} in a row", tables).mark_point(**DOTS, color=VERMILLION)
        gaps = _at_least("gaps", f"{rows} between bursts", tables).mark_point(**DOTS, color=GREEN)
        panels += [bursts, gaps]
    if not summary.pauses.are_regular:
        pauses_ns, share = summary.pauses.histogram.share_at_least()
        tables["pauses"] = table(value=pauses_ns / 1e6, share=share)
        x = alt.X("value:Q", title="time from row to row (ms)", **log_axis(tables["pauses"], "value"))
        panels.append(_steps(_at_least("pauses", "", tables).encode(x=x)))
    if not panels or len(summary.delays.values_and_counts()[0]) > 1:
        delay_ns, share = summary.delays.share_at_least()
        tables["delays"] = table(value=delay_ns / 1e6, share=share)
        panels.append(_steps(_at_least("delays", f"{'decode time' if phy else 'delay'} (ms)", tables)))
    if isinstance(summary, PhySummary) and summary.signal_levels is not None:
        level_db, share = summary.signal_levels.share_at_most()
        tables["levels"] = table(value=level_db, share=share)
        line = source("levels", "Slots with at most this Es/N0").mark_line(
            color=INK, interpolate="step-after"
        )
        x = alt.X("value:Q", title="Es/N0 (dB)", scale=alt.Scale(zero=False))
        panels.append(line.encode(x=x, y=alt.Y("share:Q", title=None, **log_axis(tables["levels"], "share"))))
    return in_rows(panels)


def _lengths(lengths: Mapping[int, int]) -> list[Row]:
    values, share = share_at_least(lengths)
    return table(value=values, share=share)


def _at_least(name: str, label: str, tables: Tables) -> Any:
    """Return axes for the share of values that are at least as large: a geometric law is a straight line."""
    x = alt.X("value:Q", title=label, axis=alt.Axis(tickCount=5))
    y = alt.Y("share:Q", title=None, **log_axis(tables[name], "share"))
    return source(name, f"{name.capitalize()} at least as long").encode(x=x, y=y)


def _steps(axes: Any) -> Any:
    line = axes.mark_line(color=BLUE, interpolate="step-before", strokeWidth=1.5)
    return alt.layer(line, axes.mark_point(**DOTS | {"size": 8}, color=BLUE))


FIT_STYLES = {
    "trace": MemberStyle("trace", INK, "o", "-"),
    "bernoulli": MemberStyle(MODELS["bernoulli"], MUTED, "", ":"),
    "gilbert": MemberStyle(MODELS["gilbert"], VERMILLION, "", "--"),
    "gilbert-elliott": MemberStyle(MODELS["gilbert-elliott"], BLUE, "", "-"),
}
"""Looks of the trace and of each model."""


def fit_chart(report: FitReport, name: str = "") -> Spec:
    """Return the chart of fitted erasure models: lengths of bursts and gaps, and autocorrelation."""
    title = [*filter(None, [name]), *wrap(report.verdict, 90)]
    tables: Tables = {"bursts": _lengths(report.burst_lengths), "gaps": _lengths(report.gap_lengths)}
    tables["lags"] = table(value=report.lags, share=report.correlation)
    lags = source("lags", "Autocorrelation of erasures").encode(
        x=alt.X("value:Q", title="lag (slots)", **log_axis(tables["lags"], "value")),
        y=alt.Y("share:Q", title=None, scale=alt.Scale(domainMax=max(0.05, 1.1 * report.correlation.max()))),
    )
    panels = [
        _at_least("bursts", "slots erased in a row", tables),
        _at_least("gaps", "slots between bursts", tables),
        lags,
    ]
    grids = (report.burst_grid, report.gap_grid, report.lags)
    looks = line_looks("of", list(FIT_STYLES.values()))
    layers, trace = [], alt.datum.of == "trace"
    for place, (of, axes, grid) in enumerate(zip(tuple(tables), panels, grids, strict=True)):
        tables[of] = [row | {"of": "trace"} for row in tables[of]]
        for model, curves in report.curves.items():
            curve = (curves.burst_share, curves.gap_share, curves.correlation)[place]
            tables[of] += [row | {"of": FIT_STYLES[model].label} for row in table(value=grid, share=curve)]
        line = axes.transform_filter(~trace).mark_line(clip=True)
        dots = axes.transform_filter(trace).mark_point(size=14, strokeWidth=1, opacity=1)
        dots = dots.encode(color=looks["color"], shape=looks["shape"])
        layers.append(dots + line.encode(color=looks["color"], strokeDash=looks["strokeDash"]))
    return picture(in_rows(layers).resolve_scale(color="shared"), title, tables)
