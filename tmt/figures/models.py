"""Figures of analytic results: a sweep of one scheme, and theory beside measured points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tmt.figures.style import INK, MUTED, SCHEME_STYLES, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from matplotlib.axes import Axes

AXIS_LABELS = {
    "alpha": "alpha (probability of staying in the good state)",
    "beta": "beta (probability of staying in the bad state)",
    "erasure_probability": "erasure probability p",
    "efficiency": "throughput efficiency",
    "recovery_delay_s": "recovery delay (s)",
    "residual_loss": "residual loss",
}
"""How a column of a sweep is written along an axis."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One scheme's theory and measured points over the same horizontal axis.

    Attributes
    ----------
    scheme, label
        Key of the scheme, which chooses colour and dash, and its name in the legend.
    x
        Where the points lie; theory and measurement share them.
    theory, measured, half_width
        The curve, the points, and half the length of the points' error bars.
    printed
        A second, thin curve: the paper's printed formula; empty where there is none.
    """

    scheme: str
    label: str
    x: Sequence[float]
    theory: Sequence[float]
    measured: Sequence[float]
    half_width: Sequence[float]
    printed: Sequence[float] = ()


def draw_sweep(path: str | PathLike[str], scheme: str, swept: str, rows: Sequence[dict[str, float]]) -> None:
    """Draw efficiency, recovery delay and residual loss of one scheme over the swept parameter.

    Parameters
    ----------
    path
        File to write; its ending chooses the format.
    scheme
        Key of the scheme.
    swept
        Column of `rows` along the horizontal axis.
    rows
        Rows of `tmt.models.catalogue.sweep`.
    """
    style = SCHEME_STYLES[scheme]
    columns = ("efficiency", "recovery_delay_s", "residual_loss")
    with new_figure(7.2, 6.0) as figure:
        panels = figure.subplots(len(columns), 1, sharex=True)
        for panel, column in zip(panels, columns, strict=True):
            values = [row[column] for row in rows]
            panel.plot([row[swept] for row in rows], values, color=style.colour, marker=".")
            panel.set_ylabel(AXIS_LABELS[column])
            panel.set_ylim(bottom=0.0)
        panels[0].set_title(f"Scheme {style.label} on a Gilbert-Elliott channel")
        panels[-1].set_xlabel(AXIS_LABELS[swept])
        save(figure, path)


def draw_comparison(
    paths: Sequence[str | PathLike[str]],
    title: str,
    x_label: str,
    efficiency: Sequence[Comparison],
    recovery_delay_s: Sequence[Comparison],
) -> None:
    """Draw theory as curves and measurement as points, efficiency beside recovery delay."""
    with new_figure(7.2, 3.9) as figure:
        panels = figure.subplots(1, 2)
        for panel, comparisons, column in (
            (panels[0], efficiency, "efficiency"),
            (panels[1], recovery_delay_s, "recovery_delay_s"),
        ):
            for comparison in comparisons:
                _draw_one(panel, comparison)
            panel.set_xlabel(x_label)
            panel.set_ylabel(AXIS_LABELS[column])
            panel.set_ylim(bottom=0.0)
        _add_legend(panels[0], printed=any(c.printed for c in (*efficiency, *recovery_delay_s)))
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, color=INK)
        for path in paths:
            save(figure, path)


def _draw_one(panel: Axes, comparison: Comparison) -> None:
    style = SCHEME_STYLES[comparison.scheme]
    panel.plot(
        comparison.x, comparison.theory, color=style.colour, linestyle=style.dash, label=comparison.label
    )
    panel.errorbar(
        comparison.x,
        comparison.measured,
        yerr=comparison.half_width,
        color=style.colour,
        linestyle="none",
        marker="o",
        markersize=3.5,
        markerfacecolor="white",
        capsize=2,
    )
    if comparison.printed:
        panel.plot(comparison.x, comparison.printed, color=style.colour, linewidth=0.8, linestyle=(0, (1, 2)))


def _add_legend(panel: Axes, *, printed: bool) -> None:
    handles, labels = panel.get_legend_handles_labels()
    handles += panel.plot([], [], color=MUTED, marker="o", markerfacecolor="white", linestyle="none")
    labels.append("TMT, mean and 95 % interval")
    if printed:
        handles += panel.plot([], [], color=MUTED, linewidth=0.8, linestyle=(0, (1, 2)))
        labels.append("as printed in the paper")
    panel.legend(handles, labels, loc="lower left")
