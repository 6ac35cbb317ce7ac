"""`python -m analysis.botos [FOLDER]`: the figures of Botos, Polgar and Bota, and their statements.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes figures and page there.

  --docs    copy what was written to docs/
"""

from __future__ import annotations

from analysis.botos.recipe import PAGE, main
from analysis.command_line import start

if __name__ == "__main__":
    start(main, PAGE, "images/fectcp-figure*.png", "images/fectcp-both-ways.png", "images/fectcp-further.png")
