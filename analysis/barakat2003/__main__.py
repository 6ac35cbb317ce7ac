"""`python -m analysis.barakat2003 [FOLDER]`: the figures of Barakat and Al Fawal, and their statements.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes figures and page there.

  --docs    copy what was written to docs/
"""

from __future__ import annotations

from analysis.barakat2003.recipe import PAGE, main
from analysis.command_line import start

if __name__ == "__main__":
    start(main, PAGE, "images/hybrid-*.png")
