"""Figure 6 of Kuhn 2014: FEC, ARQ and HARQ compared; N_D = 38, N_R = 13, R = 2, alpha = 0.98.

The paper draws theory alone, for beta from 0.1 to 0.93; here TMT stands beside it. N_S = 1, slots and
decoding time as in figure 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.command_line import start
from analysis.kuhn2014.figure5 import LINK
from analysis.kuhn2014.theory_against_tmt import PAGE, Contender, TheoryFigure, run

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = TheoryFigure(
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
    """Run the comparison, write figure and tables into `folder`, and return the report."""
    return run(EXPERIMENT, folder)


if __name__ == "__main__":
    start(main, f"{PAGE}#figure6", "images/figure6.png")
