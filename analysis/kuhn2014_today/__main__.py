"""Conclusions of Kuhn et al. 2014 for TCP of 2009 and of today: docs/kuhn2014-today.md.

``python -m analysis.kuhn2014_today [FOLDER]`` needs the kernel of `make linux-kernel`.

  --docs    copy the page and its figures to docs/
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.command_line import start
from analysis.kuhn2014.campaigns import HARQS
from analysis.kuhn2014_today.cells import (
    MODERN,
    NOISY,
    OLD,
    PLACES,
    SCENARIOS,
    STACK_LABELS,
    TCPS,
    Place,
    StackCells,
    label,
    tcps_of,
)
from analysis.kuhn2014_today.conclusions import OTHERS, conclusions
from analysis.kuhn2014_today.figures import draw
from analysis.pages import render
from analysis.scenario_runs import run_named
from analysis.statements import count
from tmt.io.atomic import write_text
from tmt.spec.tcp import LINUX
from tools.page_tables import plus_minus

PAGE = "kuhn2014-today.md"


def main(folder: Path) -> str:
    """Execute the missing runs, write page and figures into `folder`, and return their places."""
    runs = [run_named(name, folder).assign(scenario=name) for name in SCENARIOS]
    cells = StackCells(pd.concat(runs, ignore_index=True))
    draw(cells, folder / "images")
    write_text(folder / PAGE, page(cells))
    return f"{folder / PAGE}"


def page(cells: StackCells) -> str:
    """Return the page as Markdown."""
    found = conclusions(cells)
    choices = {
        (place, stack, tcp): cells.choice(place, stack, tcp)
        for place in PLACES
        for stack in STACK_LABELS
        for tcp in tcps_of(stack)
    }

    def range_of(stack: str) -> str:
        kbps = [cells.kbps(NOISY, stack, tcp, "ARQ").mean for tcp in tcps_of(stack, OTHERS)]
        return " to ".join(dict.fromkeys(f"{bound:.0f}" for bound in (min(kbps), max(kbps))))

    def choice(place: Place, stack: str, tcp: str) -> str:
        if tcp not in tcps_of(stack):
            return ""
        schemes = choices[place, stack, tcp]
        return f"{' or '.join(schemes)}, {plus_minus(cells.kbps(place, stack, tcp, schemes[0]))}"

    def arq(stack: str) -> str:
        rows = [choices[place, stack, tcp] for place in PLACES for tcp in tcps_of(stack)]
        return f"{sum(row == ['ARQ'] for row in rows)} of {len(rows)}"

    return render(
        Path(__file__).with_name("page.md.j2"),
        conclusions=found,
        stacks=STACK_LABELS,
        OLD=OLD,
        MODERN=MODERN,
        LINUX=LINUX,
        places=PLACES,
        tcps=TCPS,
        label=label,
        range_of=range_of,
        choice=choice,
        arq=arq,
        held=lambda stack: count(one.by_stack[stack] for one in found),
        seeds=cells.kbps(NOISY, MODERN, "cubic", HARQS[0]).count,
        transfer_seeds=len(cells.of(NOISY, MODERN, "cubic", HARQS[0], transfer=True)),
    )


if __name__ == "__main__":
    start(main, PAGE, "images/today-*.png")
