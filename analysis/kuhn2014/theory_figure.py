"""The figure of theory beside measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from analysis.figure_style import new_figure, save
from tmt.show.charts.style import INK, MUTED, SCHEME_STYLES


@dataclass(frozen=True, slots=True)
class ComparedCurve:
    """One scheme's theory and measured points over the same horizontal axis.

    `scheme` chooses colour and dash. `deviation` is (measured - theory) / theory in per cent, `half_width`
    half the length of its interval, `printed` a second, thin curve: the paper's printed formula.
    """

    scheme: str
    label: str
    x: Sequence[float]
    theory: Sequence[float]
    measured: Sequence[float]
    deviation: Sequence[float]
    half_width: Sequence[float]
    printed: Sequence[float]


def draw_comparison(
    paths: Sequence[Path],
    title: str,
    x_label: str,
    efficiency: Sequence[ComparedCurve],
    recovery_delay_s: Sequence[ComparedCurve],
) -> None:
    """Draw theory as curves and measurement as points, and below them how far the two are apart.

    Efficiency stands on the left, recovery delay on the right.
    """
    with new_figure(7.2, 5.6) as figure:
        panels = figure.subplots(2, 2, sharex=True, height_ratios=(3, 1))
        for column, comparisons, heading in (
            (0, efficiency, "throughput efficiency"),
            (1, recovery_delay_s, "recovery delay (s)"),
        ):
            values, deviations = panels[0, column], panels[1, column]
            for index, comparison in enumerate(comparisons):
                _draw_values(values, comparison)
                _draw_deviations(deviations, comparison, aside_points=4.0 * (index - 1))
            values.set_ylabel(heading)
            values.set_ylim(bottom=0.0)
            deviations.axhline(0.0, color=MUTED, linewidth=0.8)
            deviations.set_ylabel("TMT against\ntheory (%)")
            deviations.set_xlabel(x_label)
        handles, labels = panels[0, 0].get_legend_handles_labels()
        handles += panels[0, 0].plot([], [], color=MUTED, **_POINT)
        handles += panels[0, 0].plot([], [], color=MUTED, **_PRINTED)
        labels += ["TMT, with 95 % interval", "as printed in the paper"]
        figure.align_ylabels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, color=INK)
        for path in paths:
            save(figure, path)


_POINT: dict[str, Any] = {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": "none"}
_PRINTED: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (1, 2))}


def _draw_values(panel: Axes, comparison: ComparedCurve) -> None:
    style = SCHEME_STYLES[comparison.scheme]
    panel.plot(
        comparison.x, comparison.theory, color=style.colour, linestyle=style.dash, label=comparison.label
    )
    panel.plot(comparison.x, comparison.measured, color=style.colour, **_POINT)
    panel.plot(comparison.x, comparison.printed, color=style.colour, **_PRINTED)


def _draw_deviations(panel: Axes, comparison: ComparedCurve, aside_points: float) -> None:
    """Draw intervals, set aside from their place so that those of one place can be told apart."""
    aside = ScaledTranslation(aside_points / 72, 0.0, panel.figure.dpi_scale_trans)
    panel.errorbar(
        comparison.x,
        comparison.deviation,
        yerr=comparison.half_width,
        color=SCHEME_STYLES[comparison.scheme].colour,
        capsize=2,
        transform=panel.transData + aside,
        **_POINT,
    )
    # Points that are set aside do not count for the limits, so the ends are named here.
    for sign in (-1, 1):
        ends = (d + sign * w for d, w in zip(comparison.deviation, comparison.half_width, strict=True))
        panel.update_datalim(list(zip(comparison.x, ends, strict=True)))
    panel.autoscale_view()
