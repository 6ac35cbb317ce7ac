"""`python -m analysis.jin2006 [FOLDER]`: the figures of Jin and Yang, and their statements.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes figures and page there.

  --docs    copy what was written to docs/
"""

from __future__ import annotations

from analysis.command_line import start
from analysis.jin2006.recipe import PAGE, main

if __name__ == "__main__":
    start(main, PAGE, "images/proxy-figure*.png")
