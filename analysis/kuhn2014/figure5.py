"""Figure 5 of Kuhn 2014: the models validate TMT, alpha = 0.99, beta from 0.1 to 0.98.

The paper states RTT, N_D, N_R, alpha, the range of beta and 500 s; it does not state R and N_S of HARQ, the
interval of the slots or their decoding time. Chosen here: R = 2, N_S = 1, 1.004 ms (a 33-byte LLDU at
263 kbit/s) and 36 ms (the interleaver of section 4.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.command_line import start
from analysis.kuhn2014.theory_against_tmt import PAGE, Contender, TheoryFigure, run
from tmt.theory import RegularLink

if TYPE_CHECKING:
    from pathlib import Path

LINK = RegularLink(rtt_ns=500_000_000, slot_interval_ns=1_004_000, decode_time_ns=36_000_000)

EXPERIMENT = TheoryFigure(
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


def main(folder: Path) -> str:
    """Run the comparison, write figure and tables into `folder`, and return the report."""
    return run(EXPERIMENT, folder)


if __name__ == "__main__":
    start(main, f"{PAGE}#figure5", "images/figure5.png")
