"""`python -m analysis.kuhn2014 [FOLDER]`: the scenarios of Kuhn et al. 2014 beside the paper's numbers.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes cells, figures and
page there.

  --as-is   execute nothing: show the runs that there are
  --docs    copy what was written to docs/
"""

from __future__ import annotations

from analysis.command_line import start
from analysis.kuhn2014.page import CELLS, PAGE, READINGS
from analysis.kuhn2014.recipe import main

if __name__ == "__main__":
    start(
        main,
        PAGE,
        CELLS,
        READINGS,
        "images/kuhn-*.png",
        as_is="execute nothing: show the runs that there are",
    )
