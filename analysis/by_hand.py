"""How one recipe is started by hand: ``python -m analysis.NAME [FOLDER] [--docs]``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def start(main: Callable[[Path], str], keep_in_docs: Callable[[Path], None]) -> None:
    """Run a recipe in the folder that is named, or out/reproduce; ``--docs`` copies its pages to docs/."""
    words = [word for word in sys.argv[1:] if word != "--docs"]
    target = Path(words[0] if words else "out/reproduce")
    print(main(target))
    if "--docs" in sys.argv[1:]:
        keep_in_docs(target)
