"""Drawings of traces: offered rate and bad rows over time, lengths of bursts, gaps and pauses, delays."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tmt.core.measure.distribution import share_at_least
from tmt.core.measure.summaries import LinkSummary, PhySummary
from tmt.core.units import ns_to_seconds
from tmt.core.words.display_units import rate_unit
from tmt.show.charts.style import BLUE, GREEN, INK, MUTED, PALE, SKY, VERMILLION, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes


def draw_summary(
    summary: PhySummary | LinkSummary, trace: str | PathLike[str], path: str | PathLike[str]
) -> None:
    """Draw the summary of `tmt inspect`; a distribution with only one value has no panel.

    Parameters
    ----------
    trace
        The trace's file, for the title.
    path
        The picture; its ending is one of `tmt.show.charts.style.FORMATS`.
    """
    phy = isinstance(summary, PhySummary)
    rows, bad = ("slots", "erased") if phy else ("LLDUs", "lost")
    lengths, has_bad = summary.pattern, bool(summary.timeline.bad.any())
    levels = summary.signal_levels if isinstance(summary, PhySummary) else None
    over_time = ["rate", *(["bad"] if has_bad else []), *(["Es/N0"] if levels is not None else [])]
    laws = ["bursts", "gaps"] if lengths.burst_lengths else []
    laws += [] if summary.pauses.are_regular else ["pauses"]
    laws += ["delays"] if not laws or len(summary.delays.values_and_counts()[0]) > 1 else []
    laws += ["Es/N0"] if levels is not None else []
    with new_figure(7.6, 3.6 + 1.3 * len(over_time)) as figure:
        halves = figure.add_gridspec(2, 1, height_ratios=(1.3 * len(over_time), 2.4))
        above, below = (figure.add_subfigure(halves[part]) for part in range(2))
        figure.suptitle(
            f"{PurePath(trace).name}: {summary.times.rows:,} {rows} in {summary.times.duration_s:,.4g} s",
            x=0.01,
            ha="left",
            color=INK,
        )
        time = above.subplots(len(over_time), 1, sharex=True, squeeze=False)[:, 0]
        _draw_rate(time[0], summary, "decoded" if phy else "delivered")
        if has_bad:
            _draw_bad(time[1], summary, "share erased" if phy else "share lost\nor repeated")
        if levels is not None:
            time[-1].plot(*summary.timeline.mean_es_n0_db(), color=INK, linewidth=0.8)
            time[-1].set_ylabel("mean Es/N0, dB")
        time[-1].set_xlabel("time of transmission, s")
        axes = dict(zip(laws, below.subplots(1, len(laws), squeeze=False)[0], strict=True))
        if lengths.burst_lengths:
            draw_lengths(axes["bursts"], lengths.burst_lengths, f"burst: {rows} {bad} in a row", VERMILLION)
            draw_lengths(axes["gaps"], lengths.gap_lengths, f"gap: {rows} between bursts", GREEN)
        if "pauses" in axes:
            _draw_pauses(axes["pauses"], summary)
        if "delays" in axes:
            _draw_delays(axes["delays"], *summary.delays.share_at_least(), "decode time" if phy else "delay")
        if levels is not None:
            axes["Es/N0"].semilogy(*levels.share_at_most(), drawstyle="steps-post", color=INK)
            axes["Es/N0"].set(xlabel="Es/N0, dB", ylabel="share with at most as much", ylim=(None, 1.6))
        axes[laws[0]].set_ylabel("share at least as long")
    save(figure, path)


def draw_lengths(axes: Axes, lengths: Mapping[int, int], label: str, colour: str) -> None:
    """Draw the share of runs of at least each length; a geometric law is a straight line here."""
    if not lengths:
        _say_empty(axes, label)
        return
    values, share = share_at_least(lengths)
    axes.semilogy(values, share, "o", color=colour, markersize=3, markeredgewidth=0)
    axes.set(xlabel=label, ylim=(share[-1] / 2, 1.6))
    axes.set_xlim(left=0)


def _draw_rate(axes: Axes, summary: PhySummary | LinkSummary, good: str) -> None:
    """Draw the offered rate, the good part of it, and the longest pause where the pauses are not regular."""
    rates, unit = summary.rate_over_time()
    if rates is None:
        _say_empty(axes, "")
        return
    named, scale = (unit, 1.0) if unit == "rows/s" else rate_unit(rates.offered_per_s.max())
    edges_s, offered, received = rates.edges_s, rates.offered_per_s * scale, rates.good_per_s * scale
    has_bad = bool((rates.offered_per_s != rates.good_per_s).any())
    axes.stairs(offered, edges_s, fill=True, color=PALE if has_bad else SKY, label="offered")
    if has_bad:
        axes.stairs(received, edges_s, fill=True, color=SKY, label=good)
    pause = summary.pauses.longest
    if pause is not None and not summary.pauses.are_regular:
        start_s, duration_s = ns_to_seconds(pause.start_ns), ns_to_seconds(pause.duration_ns)
        label = f"longest pause: {duration_s:.3g} s"
        axes.axvspan(start_s, start_s + duration_s, color=VERMILLION, alpha=0.35, linewidth=1, label=label)
    axes.set_ylabel(f"rate, {named}")
    axes.set_ylim(bottom=0)
    axes.set_xlim(edges_s[0], edges_s[-1])
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.1)


def _draw_bad(axes: Axes, summary: PhySummary | LinkSummary, label: str) -> None:
    start_s, share = summary.timeline.bad_share()
    axes.fill_between(start_s, share, step="post", color=VERMILLION, linewidth=0)
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)


def _draw_pauses(axes: Axes, summary: PhySummary | LinkSummary) -> None:
    """Draw the law of the times from row to row on two logarithmic axes: a power law is a straight line."""
    pauses_ns, share = summary.pauses.histogram.share_at_least()
    axes.loglog(pauses_ns / 1e6, share, drawstyle="steps-pre", color=INK)
    axes.plot(pauses_ns[-1] / 1e6, share[-1], "o", color=VERMILLION, markersize=4)
    axes.set(xlabel="pause: row to row, ms", ylim=(share[-1] / 2, 1.6))


def _draw_delays(
    axes: Axes, delay_ns: npt.NDArray[np.int64], share: npt.NDArray[np.float64], label: str
) -> None:
    if len(delay_ns) == 0:
        _say_empty(axes, label)
        return
    axes.semilogy(delay_ns / 1e6, share, drawstyle="steps-pre", color=BLUE, marker="o", markersize=2.5)
    axes.set_xlabel(f"{label}, ms")
    axes.set_ylim(min(share[-1] / 2, 0.05), 1.6)
    axes.set_xlim(left=0)


def _say_empty(axes: Axes, label: str) -> None:
    axes.text(0.5, 0.5, "none", transform=axes.transAxes, ha="center", color=MUTED)
    axes.set(xlabel=label, xticks=[], yticks=[])
