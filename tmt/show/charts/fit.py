"""Drawing of erasure models fitted to a trace: lengths of bursts and gaps, and autocorrelation."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from tmt.show.charts.link import draw_lengths
from tmt.show.charts.style import BLUE, INK, MUTED, VERMILLION, new_figure, save
from tmt.theory.fit.models import MODELS

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes

    from tmt.theory.fit import FitReport

MODEL_LINES = {"bernoulli": (MUTED, ":"), "gilbert": (VERMILLION, "--"), "gilbert-elliott": (BLUE, "-")}
"""Colour and dashes of each model."""


def draw_fit(report: FitReport, trace: str | PathLike[str], path: str | PathLike[str]) -> None:
    """Draw the result of `tmt fit`.

    Parameters
    ----------
    trace
        The trace's file, for the title.
    path
        The picture; its ending is one of `tmt.show.charts.style.FORMATS`.
    """
    with new_figure(7.6, 3.4) as figure:
        bursts, gaps, memory = figure.subplots(1, 3)
        name = PurePath(trace).name
        figure.suptitle(f"{name}. {report.verdict}", x=0.01, ha="left", color=INK, fontsize=9, wrap=True)
        draw_lengths(bursts, report.burst_lengths, "burst: slots erased in a row", INK)
        draw_lengths(gaps, report.gap_lengths, "gap: slots between bursts", INK)
        bursts.set_ylabel("share at least as long")
        for model, (colour, dash) in MODEL_LINES.items():
            curves = report.curves[model]
            line = {"color": colour, "linestyle": dash, "label": MODELS[model]}
            bursts.plot(report.burst_grid, curves.burst_share, **line)
            gaps.plot(report.gap_grid, curves.gap_share, **line)
            memory.plot(report.lags, curves.correlation, **line)
        _draw_memory(memory, report)
        figure.legend(*memory.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, path)


def _draw_memory(axes: Axes, report: FitReport) -> None:
    axes.semilogx(report.lags, report.correlation, "o", color=INK, markersize=3, label="trace")
    axes.axhline(0.0, color=MUTED, linewidth=0.6)
    axes.set(xlabel="lag, slots", ylabel="autocorrelation of erasures")
    axes.set_ylim(top=max(0.05, 1.1 * float(np.max(report.correlation))))
