"""What the judgement comes to: tables for `docs/kernel.md` and a figure of the windows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.judge.cases import CASES, DURATION_NS
from analysis.judge.runs import KERNEL, STACKS, VARIANTS, can_run
from docs.page_tables import filled
from tmt.figures.style import BLUE, INK, ORANGE, new_figure, save
from tmt.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.judge.runs import Transfer
    from analysis.judge.store import Store

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "kernel.md"
FIGURE = ROOT / "docs" / "images" / "kernel-windows.png"
ALLOWED = 0.15
"""Deviation from which on the reason is looked for; such cells are bold."""

DRAWN = ("geo-clean", "loss-0.001", "loss-0.01", "lms-arq")
COLOURS = {KERNEL: INK, "2009": ORANGE, "modern": BLUE}
WIDTHS = {KERNEL: 1.6, "2009": 0.8, "modern": 1.0}


def write_report(store: Store) -> None:
    """Write the tables into the page, and the figure."""
    written = {"written by make judge": "\n".join(tables(store)).rstrip()}
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), written), encoding="utf-8")
    draw(store)


def tables(store: Store) -> list[str]:
    """Return one table per variant: goodput, retransmissions and mean window, of the kernel and of ns-2."""
    lines = []
    for variant in VARIANTS:
        stacks = [stack for stack in STACKS if can_run(stack, variant)]
        heads = ["kernel: goodput", "sent again", "window"]
        for stack in stacks:
            heads += [f"{stack}: goodput", "sent again", "window"]
        lines += [f"### {variant}", "", f"| link | {' | '.join(heads)} |", "| --- |" + " --- |" * len(heads)]
        for case in CASES:
            judge = store.runs(KERNEL, case, variant)
            cells = [_goodput(judge), _again(judge), _window(judge)]
            for stack in stacks:
                runs = store.runs(stack, case, variant)
                cells += [_deviation(runs, judge), _again(runs), _window(runs)]
            lines.append(f"| {case.title} | {' | '.join(cells)} |")
        lines.append("")
    return lines


def _goodput(runs: Sequence[Transfer]) -> str:
    rates = [run.goodput_bps / 1000 for run in runs]
    return f"{np.mean(rates):.0f} ({np.std(rates, ddof=1):.0f})"


def _deviation(runs: Sequence[Transfer], judge: Sequence[Transfer]) -> str:
    own, other = (np.mean([run.goodput_bps for run in some]) for some in (runs, judge))
    relative = own / other - 1
    text = f"{own / 1000:.0f} ({relative:+.0%})"
    return f"**{text}**" if abs(relative) > ALLOWED else text


def _again(runs: Sequence[Transfer]) -> str:
    return f"{sum(run.retransmissions for run in runs) / sum(run.segments_sent for run in runs):.2%}"


def _window(runs: Sequence[Transfer]) -> str:
    return f"{np.mean([run.cwnd_mean_packets for run in runs]):.0f}"


def draw(store: Store) -> None:
    """Draw the windows of the first repeat: a row per link, a column per variant."""
    cases = [case for case in CASES if case.name in DRAWN]
    with new_figure(10.0, 2.1 * len(cases)) as figure:
        rows = figure.subplots(len(cases), len(VARIANTS), sharex=True, squeeze=False)
        for axes_row, case in zip(rows, cases, strict=True):
            for axes, variant in zip(axes_row, VARIANTS, strict=True):
                highest = 1.0
                for stack in (KERNEL, *STACKS):
                    transfer = store.get(stack, case, variant, 0)
                    if transfer is None:
                        continue
                    times_s, windows = np.array(transfer.windows).T
                    axes.plot(
                        times_s,
                        windows,
                        color=COLOURS[stack],
                        linewidth=WIDTHS[stack],
                        drawstyle="steps-post",
                        label=stack if stack == KERNEL else f"ns-2, {stack}",
                    )
                    late = windows[times_s > 0.1 * DURATION_NS / NS_PER_S]
                    highest = max(highest, 1.4 * float(np.quantile(late, 0.99)))
                axes.set_ylim(0, highest)
                axes.set_title(f"{variant}, {case.title}", fontsize=9)
        for axes in rows[:, 0]:
            axes.set_ylabel("window (segments)")
        for axes in rows[-1]:
            axes.set_xlabel("time (s)")
        handles, labels = rows[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))
        save(figure, FIGURE)
