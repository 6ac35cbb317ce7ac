"""Conclusions of Kuhn et al. 2014 for TCP of 2009 and of today: docs/kuhn2014-today.md.

``python -m analysis.kuhn2014_today [FOLDER]`` needs the kernel of `make linux-kernel`.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from analysis.figure_style import new_figure, save
from analysis.kuhn2014.campaigns import HARQS
from analysis.kuhn2014_today.cells import (
    CLEAR,
    MODERN,
    NOISY,
    OLD,
    PLACES,
    SCENARIOS,
    SCHEMES,
    SPLIT,
    STACK_LABELS,
    TCPS,
    UP,
    Place,
    StackCells,
    label,
    tcps_of,
)
from analysis.kuhn2014_today.conclusions import JUDGES, OTHERS, conclusions
from analysis.pages import render, start, write_csv
from analysis.runs import run_named
from analysis.statements import Statement, count, frame, table
from tmt.io.atomic import write_text
from tmt.show.charts.style import BLUE, INK, MUTED, ORANGE
from tmt.spec.stacks import LINUX
from tools.page_tables import cross_table, two_columns

PAGE, TABLES = "kuhn2014-today.md", ("kuhn2014-today.csv", "kuhn2014-today-schemes.csv")
TEMPLATE = Path(__file__).with_name("page.md.j2")


def main(folder: Path) -> str:
    """Execute the missing runs, write page, tables and figures into `folder`; return the page's place."""
    runs = [run_named(name, folder).assign(scenario=name) for name in SCENARIOS]
    cells = StackCells(pd.concat(runs, ignore_index=True))
    draw(cells, folder / "images")
    found, choices = conclusions(cells), of_choices(cells)
    write_csv(folder / TABLES[0], pd.concat(frame(own, stack=stack) for stack, own in found.items()))
    write_csv(folder / TABLES[1], choices)
    write_text(folder / PAGE, page(cells, found, choices))
    return f"{folder / PAGE}"


def page(cells: StackCells, found: dict[str, list[Statement]], choices: pd.DataFrame) -> str:
    """Return the page as Markdown."""

    def range_of(stack: str) -> str:
        kbps = [cells.kbps(NOISY, stack, tcp, "ARQ").mean for tcp in tcps_of(stack, OTHERS)]
        return " to ".join(dict.fromkeys(f"{bound:.0f}" for bound in (min(kbps), max(kbps))))

    return render(
        TEMPLATE,
        table=table(*found.values(), heads=found),
        ranges=[range_of(stack) for stack in STACK_LABELS],
        held=[count(own) for own in found.values()],
        total=len(JUDGES),
        choices=table_of_choices(choices),
        arq=counts_of_arq(choices),
        seeds=cells.kbps(NOISY, MODERN, "cubic", HARQS[0]).count,
        transfer_seeds=len(cells.of(NOISY, MODERN, "cubic", HARQS[0], transfer=True)),
    )


def of_choices(cells: StackCells) -> pd.DataFrame:
    """Return the best schemes, and the goodput of the best one, by link, variant and stack."""
    rows = []
    for place, tcp, (stack, name) in product(PLACES, TCPS, STACK_LABELS.items()):
        if tcp in tcps_of(stack):
            schemes = cells.choice(place, stack, tcp)
            row = {"link": place.title, "variant": label(tcp), "stack": name, "schemes": " or ".join(schemes)}
            rows.append(row | two_columns("goodput_kbps", cells.kbps(place, stack, tcp, schemes[0])))
    return pd.DataFrame(rows)


def table_of_choices(choices: pd.DataFrame) -> str:
    """Return the best schemes of CUBIC by link and stack."""
    cubic = choices[choices["variant"] == "CUBIC"]

    def text(cell: pd.Series) -> str:
        return f"{cell['schemes']}, {cell['goodput_kbps']} ± {cell['goodput_kbps_95']}"

    return cross_table(cubic, "link", "stack", text)


def counts_of_arq(choices: pd.DataFrame) -> list[str]:
    """Return for how many links and variants of each stack ARQ alone is best."""
    alone = (choices["schemes"] == "ARQ").groupby(choices["stack"], sort=False)
    return [f"{own.sum()} of {len(own)}" for _, own in alone]


FIGURES = {
    "today-interleaved": NOISY,
    "today-interleaved-clear": CLEAR,
    "today-not-interleaved": SPLIT,
    "today-distribution": UP,
}
"""Names of the figures and the links that they show."""

STYLES = {OLD: (MUTED, "o", -0.22), MODERN: (BLUE, "s", 0.0), LINUX: (ORANGE, "D", 0.22)}
"""Colour and marker of each stack, and its place within a row."""


def draw(cells: StackCells, images: Path) -> None:
    """Draw every figure."""
    for name, place in FIGURES.items():
        with new_figure(8.2, 3.4) as figure:
            panels = figure.subplots(1, len(SCHEMES), sharex=True, sharey=True)
            figure.suptitle(f"{place.title}: goodput in kbit/s", x=0.01, ha="left", fontsize=11)
            for axes, scheme in zip(panels, SCHEMES, strict=True):
                _panel(axes, cells, place, scheme)
            panels[0].set_yticks(range(len(TCPS)), [label(tcp) for tcp in TCPS])
            panels[0].set_ylim(len(TCPS) - 0.5, -0.5)
            most = max(cells.capacity_kbps(place, scheme) for scheme in SCHEMES)
            panels[0].set_xlim(0, 1.15 * most)
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
            save(figure, images / f"{name}.png")


def _panel(axes: Axes, cells: StackCells, place: Place, scheme: str) -> None:
    axes.set_title(scheme)
    axes.grid(visible=False, axis="y")
    axes.axvline(cells.capacity_kbps(place, scheme), color=INK, linewidth=1, linestyle="--", label="capacity")
    for stack, (colour, marker, offset) in STYLES.items():
        tcps = tcps_of(stack)
        found = [cells.kbps(place, stack, tcp, scheme) for tcp in tcps]
        axes.errorbar(
            [one.mean for one in found],
            [TCPS.index(tcp) + offset for tcp in tcps],
            xerr=[one.half_width for one in found],
            color=colour,
            marker=marker,
            linestyle="none",
            elinewidth=1.2,
            label=STACK_LABELS[stack],
        )


if __name__ == "__main__":
    start(main, PAGE, *TABLES, "images/today-*.png")
