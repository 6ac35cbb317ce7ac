"""Figures 5 and 6 of Kuhn 2014: the models validate TMT.

The paper states RTT, N_D, N_R, alpha, the range of beta and 500 s, for figure 6 also R. Chosen here: R = 2,
N_S = 1, slots of 1.004 ms (33 bytes at 263 kbit/s), decoded after 36 ms (the interleaver of section 4.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.command_line import start
from analysis.kuhn2014.theory_against_tmt import PAGE, Contender, TheoryFigure, run
from tmt.theory import RegularLink

if TYPE_CHECKING:
    from pathlib import Path

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
    return "\n\n".join(run(figure, folder) for figure in (FIGURE_5, FIGURE_6))


if __name__ == "__main__":
    start(main, PAGE, "images/figure5.png", "images/figure6.png")
