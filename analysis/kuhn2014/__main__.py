"""`python -m analysis.kuhn2014 [FOLDER]`: the scenarios of Kuhn et al. 2014 beside the paper's numbers.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes cells, figures and
page there.

  --as-is   execute nothing: show the runs that there are
  --docs    copy what was written to docs/
"""

from __future__ import annotations

import sys
from pathlib import Path

from analysis.kuhn2014.recipe import keep_in_docs, main

if __name__ == "__main__":
    options = {"--as-is", "--docs"}.intersection(sys.argv[1:])
    words = [word for word in sys.argv[1:] if word not in options]
    place = Path(words[0]) if words else Path("out/reproduce")
    print(main(place, execute="--as-is" not in options))
    if "--docs" in options:
        keep_in_docs(place)
