"""`python -m analysis.tuning [FOLDER]`: searches whose right answers are known, and the page about them.

Executes the runs that FOLDER (default: out/tune-check) does not hold yet, and writes the page there.

  --docs    copy the page to docs/
"""

from __future__ import annotations

from analysis.command_line import start
from analysis.tuning.recipe import PAGE, main

if __name__ == "__main__":
    start(main, PAGE, default="out/tune-check")
