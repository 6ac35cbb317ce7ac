"""Figures 5 and 6 of Kuhn 2014: the schemes' models beside conversions of generated traces, point by point.

Each figure is a grid of channels and schemes with many independent traces per channel. The efficiency is
judged by the interval that the replicates give, the recovery delay by its relative deviation.

The paper states RTT, N_D, N_R, alpha, the range of beta and 500 s, for figure 6 also R. Chosen here: R = 2,
N_S = 1, slots of 1.004 ms (33 bytes at 263 kbit/s), decoded after 36 ms (the interleaver of section 4.1).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from analysis.figure_style import new_figure, save
from analysis.pages import start, write_csv, write_tables
from tmt.cli.progress import progress_bar
from tmt.core.channels.gilbert_elliott import GilbertElliott
from tmt.core.convert import convert
from tmt.core.schemes import SCHEMES
from tmt.core.trace import PhyTrace
from tmt.core.units import NS_PER_S
from tmt.results.statistics import LEVEL, t_interval
from tmt.show.charts.style import INK, MUTED, SCHEME_STYLES
from tmt.theory import Parameters, RegularLink, TwoStateChannel, evaluate
from tools.page_tables import markdown_table

PAGE = "validation.md"

MEASURED = ("efficiency", "recovery_delay_s")
"""Figures of a scheme's performance."""

DELAY_TOLERANCE = 0.01
"""Relative deviation of the recovery delay that is allowed."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A scheme of an experiment: its name in the legend, its key, its parameters but for the link's times."""

    label: str
    scheme: str
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class TheoryFigure:
    """A grid of Gilbert-Elliott channels with one alpha, several schemes, and independent traces per channel.

    Errors are 0 in the good state and 1 in the bad one. `slots` is the length of each trace: a multiple of
    every block size, so that no trace ends with a piece of a block as long as nothing is repeated. Each of
    the `replicates` traces of a channel is used by all schemes.
    """

    name: str
    title: str
    alpha: float
    betas: tuple[float, ...]
    contenders: tuple[Contender, ...]
    link: RegularLink
    slots: int
    replicates: int


def run(experiment: TheoryFigure) -> pd.DataFrame:
    """Run an experiment on all processors; see `compare`."""
    traces = len(experiment.betas) * experiment.replicates
    with progress_bar(experiment.name, traces, "traces") as progress:
        return compare(experiment, os.cpu_count() or 1, progress)


def compare(
    experiment: TheoryFigure, processes: int = 1, progress: Callable[[int], None] = lambda done: None
) -> pd.DataFrame:
    """Return one row per channel and scheme: theory, the replicates' mean, intervals and deviations.

    The columns `inside` and `inside_simultaneous` say whether theory lies in the point's own 95 % interval
    and in the one widened for the number of points (Sidak); `docs/validation.md` explains the allowance that
    widens both.
    """
    tasks = list(product(enumerate(experiment.betas), range(experiment.replicates)))
    measure = partial(_measure, experiment)
    samples: list[dict[str, object]] = []
    with ProcessPoolExecutor(processes) if processes > 1 else nullcontext() as pool:
        for rows in pool.map(measure, tasks, chunksize=4) if pool else map(measure, tasks):
            samples += rows
            progress(1)
    measured = pd.DataFrame(samples)
    points = len(experiment.betas) * len(experiment.contenders)
    rows = [
        _judge(experiment, contender, beta, measured, points)
        for contender, beta in product(experiment.contenders, experiment.betas)
    ]
    return pd.DataFrame(rows)


def _measure(experiment: TheoryFigure, task: tuple[tuple[int, float], int]) -> list[dict[str, object]]:
    (index, beta), replicate = task
    seed = index * experiment.replicates + replicate
    link = experiment.link
    erased = GilbertElliott(experiment.alpha, beta).erasures(seed).next(experiment.slots)
    tx_time_ns = np.arange(experiment.slots, dtype=np.int64) * link.slot_interval_ns
    phy = PhyTrace(tx_time_ns, np.where(erased, np.int64(0), np.int64(link.decode_time_ns)))
    rows: list[dict[str, object]] = []
    for contender in experiment.contenders:
        scheme = SCHEMES[contender.scheme](**contender.parameters)
        trace = convert(phy, scheme, link.rtt_ns / NS_PER_S)
        delay_ns = trace.delay_ns[trace.delivered]
        rows.append(
            {
                "label": contender.label,
                "beta": beta,
                "efficiency": len(delay_ns) / experiment.slots,
                "recovery_delay_s": (link.rtt_ns / 2 + delay_ns.mean()) / 1e9,
            }
        )
    return rows


def _judge(
    experiment: TheoryFigure, contender: Contender, beta: float, samples: pd.DataFrame, points: int
) -> dict[str, object]:
    channel = TwoStateChannel(experiment.alpha, beta)
    theory = evaluate(contender.scheme, channel, experiment.link, contender.parameters)
    own = samples[(samples["label"] == contender.label) & (samples["beta"] == beta)]
    efficiency, delay = t_interval(own["efficiency"]), t_interval(own["recovery_delay_s"])
    allowance = _end_allowance(contender, experiment.slots)
    simultaneous = t_interval(own["efficiency"], LEVEL ** (1 / points)).half_width
    off = abs(theory.efficiency - efficiency.mean)
    return {
        "scheme": contender.scheme,
        "label": contender.label,
        "alpha": experiment.alpha,
        "beta": beta,
        "erasure_probability": channel.erasure_probability,
        "efficiency_theory": theory.efficiency,
        "efficiency_tmt": efficiency.mean,
        "efficiency_half_width": efficiency.half_width,
        "efficiency_deviation": efficiency.mean / theory.efficiency - 1.0,
        "inside": off <= efficiency.half_width + allowance,
        "inside_simultaneous": off <= simultaneous + allowance,
        "delay_s_theory": theory.recovery_delay_s,
        "delay_s_tmt": delay.mean,
        "delay_s_half_width": delay.half_width,
        "delay_s_deviation": delay.mean / theory.recovery_delay_s - 1.0,
    }


def _end_allowance(contender: Contender, slots: int) -> float:
    """Bound on the error of one trace's efficiency that replicates do not show.

    Events too rare to be seen shift the mean by less than one LLDU a trace. A HARQ block that the end of the
    trace cuts short has sent its data first: at most N_D N_R / N more data LLDUs than its share.
    """
    lldus = 1.0
    if contender.scheme == "harq":
        data, repair = (contender.parameters[name] or 0 for name in ("data", "repair"))
        lldus += data * repair / (data + repair)
    return lldus / slots


def worst(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per scheme: points, how many of them lie outside, and the worst deviations."""
    inside, deviations = ["inside", "inside_simultaneous"], ["efficiency_deviation", "delay_s_deviation"]
    columns = {"points": 1} | {name: ~table[name] for name in inside}
    groups = table.assign(**columns).groupby("label", sort=False)
    found = groups[["points", *inside]].sum().join(groups[deviations].agg(lambda one: one.abs().max()))
    heads = ["points", "outside own interval", "outside simultaneous interval"]
    return found.set_axis([*heads, "worst efficiency deviation", "worst delay deviation"], axis=1)


def write(experiment: TheoryFigure, table: pd.DataFrame, folder: Path) -> list[Path]:
    """Write the figure (PNG and SVG), all points and the worst deviations; return the files."""
    images = folder / "images"
    images.mkdir(parents=True, exist_ok=True)
    figures = [images / f"{experiment.name}.{ending}" for ending in ("png", "svg")]
    parameters = {one.label: one.parameters for one in experiment.contenders}
    printed = [
        evaluate(
            str(row.scheme),
            TwoStateChannel(row.alpha, row.beta),
            experiment.link,
            parameters[str(row.label)],
            "printed",
        )
        for row in table.itertuples()
    ]
    efficiencies, delays_s = ([getattr(one, name) for one in printed] for name in MEASURED)
    drawn = table.assign(efficiency_printed=efficiencies, delay_s_printed=delays_s)
    draw(figures, experiment.title, drawn)
    tables = {
        folder / f"{experiment.name}.csv": table,
        folder / f"{experiment.name}-worst.csv": worst(table).reset_index(),
    }
    for path, content in tables.items():
        write_csv(path, content)
    return [*figures, *tables]


_POINT: dict[str, Any] = {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": "none"}
_PRINTED: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (1, 2))}


def draw(paths: Sequence[Path], title: str, table: pd.DataFrame) -> None:
    """Draw theory as curves and measurement as points, and below them how far the two are apart.

    Efficiency stands on the left, recovery delay on the right; the printed formulas are thin curves.
    """
    with new_figure(7.2, 5.6) as figure:
        panels = figure.subplots(2, 2, sharex=True, height_ratios=(3, 1))
        headings = {"efficiency": "throughput efficiency", "delay_s": "recovery delay (s)"}
        for (values, deviations), (column, heading) in zip(panels.T, headings.items(), strict=True):
            for index, (label, own) in enumerate(table.groupby("label", sort=False)):
                style, p = SCHEME_STYLES[own["scheme"].iloc[0]], own["erasure_probability"]
                theory, colour = own[f"{column}_theory"], style.colour
                values.plot(p, theory, color=colour, linestyle=style.dash, label=label)
                values.plot(p, own[f"{column}_tmt"], color=colour, **_POINT)
                values.plot(p, own[f"{column}_printed"], color=colour, **_PRINTED)
                percent = 100 * own[f"{column}_deviation"]
                halves = 100 * own[f"{column}_half_width"] / theory
                _draw_deviations(deviations, p, percent, halves, colour, aside_points=4.0 * (index - 1))
            values.set_ylabel(heading)
            values.set_ylim(bottom=0.0)
            deviations.axhline(0.0, color=MUTED, linewidth=0.8)
            deviations.set_ylabel("TMT against\ntheory (%)")
            deviations.set_xlabel("erasure probability p")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        handles += panels[0, 0].plot([], [], color=MUTED, **_POINT)
        handles += panels[0, 0].plot([], [], color=MUTED, **_PRINTED)
        labels += ["TMT, with 95 % interval", "as printed in the paper"]
        figure.align_ylabels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, color=INK)
        for path in paths:
            save(figure, path)


def _draw_deviations(
    panel: Axes, x: pd.Series, percent: pd.Series, halves: pd.Series, colour: str, aside_points: float
) -> None:
    """Draw intervals, set aside from their place so that those of one place can be told apart."""
    aside = ScaledTranslation(aside_points / 72, 0.0, panel.figure.dpi_scale_trans)
    place = panel.transData + aside
    panel.errorbar(x, percent, yerr=halves, color=colour, capsize=2, transform=place, **_POINT)
    # Points that are set aside do not count for the limits, so the ends are named here.
    for ends in (percent - halves, percent + halves):
        panel.update_datalim(list(zip(x, ends, strict=True)))
    panel.autoscale_view()


def page_table(found: pd.DataFrame) -> str:
    """Return the worst deviations as a table of the page."""
    rows = (
        [str(label), *map(str, counts), f"{100 * efficiency:.3f} %", f"{100 * delay:.3f} %"]
        for label, *counts, efficiency, delay in found.itertuples()
    )
    return markdown_table(["scheme", *found], rows)


def report(experiment: TheoryFigure, table: pd.DataFrame) -> str:
    """Return the comparison's result as text: the worst deviations and the verdict."""
    found = worst(table)
    shown = found.to_string(float_format=lambda value: f"{value:.3%}")
    efficient = bool(table["inside_simultaneous"].all())
    prompt = bool((table["delay_s_deviation"].abs() <= DELAY_TOLERANCE).all())
    outside = int(found["outside own interval"].sum())
    return "\n".join(
        [
            f"{experiment.title}: {experiment.replicates} traces of {experiment.slots} slots per point",
            shown,
            f"efficiency: {outside} of {len(table)} points outside their own 95 % interval "
            f"({0.05 * len(table):.1f} expected by chance), "
            f"{'all' if efficient else 'NOT all'} within the simultaneous 95 % intervals",
            f"delay: {'all' if prompt else 'NOT all'} within {DELAY_TOLERANCE:.0%} of theory",
        ]
    )


LINK = RegularLink(rtt_ns=500_000_000, slot_interval_ns=1_004_000, decode_time_ns=36_000_000)

FIGURE_5 = TheoryFigure(
    name="figure5",
    title="Theory and TMT, alpha = 0.99, RTT 500 ms (Kuhn 2014, figure 5)",
    alpha=0.99,
    betas=(0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.965, 0.98),
    contenders=(
        Contender("FEC 10+12", "fec", {"data": 10, "repair": 12}),
        Contender("ARQ", "arq", {}),
        Contender("HARQ 5+7", "harq", {"data": 5, "repair": 7, "extra": 1, "rounds": 2}),
    ),
    link=LINK,
    slots=498_036,  # 500 s, a multiple of 22 and of 12
    replicates=100,
)
FIGURE_6 = TheoryFigure(
    name="figure6",
    title="FEC, ARQ and HARQ, alpha = 0.98, RTT 500 ms (Kuhn 2014, figure 6)",
    alpha=0.98,
    betas=(0.1, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.84, 0.87, 0.9, 0.915, 0.93),
    contenders=(
        Contender("FEC 38+13", "fec", {"data": 38, "repair": 13}),
        Contender("ARQ", "arq", {}),
        Contender("HARQ 38+13", "harq", {"data": 38, "repair": 13, "extra": 1, "rounds": 2}),
    ),
    link=LINK,
    slots=498_015,  # 500 s, a multiple of 51
    replicates=100,
)


def main(folder: Path) -> str:
    """Run both comparisons, write figures and tables into `folder`, and return the reports."""
    compared = [(figure, run(figure)) for figure in (FIGURE_5, FIGURE_6)]
    for one in compared:
        write(*one, folder)
    write_tables(folder, PAGE, {figure.name: page_table(worst(table)) for figure, table in compared})
    return "\n\n".join(report(*one) for one in compared)


if __name__ == "__main__":
    start(main, PAGE, "images/figure5.png", "images/figure6.png")
