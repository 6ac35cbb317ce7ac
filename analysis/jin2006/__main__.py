"""`python -m analysis.jin2006 [FOLDER]`: the figures of Jin and Yang, and what they say of them.

Executes the runs that FOLDER (default: out/reproduce) does not hold yet, and writes figures and page there.

  --docs    copy what was written to docs/
"""

from __future__ import annotations

import sys
from pathlib import Path

from analysis.jin2006.recipe import keep_in_docs, main

if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--docs"]
    target = Path(words[0] if words else "out/reproduce")
    print(main(target))
    if "--docs" in sys.argv[1:]:
        keep_in_docs(target)
