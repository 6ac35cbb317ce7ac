"""The command line of one recipe: ``python -m analysis.NAME [FOLDER] [--docs]``; FOLDER keeps its runs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

from analysis.pages import to_docs
from tmt.core.errors import TmtError


def start(main: Callable[..., str], *docs: str, default: str = "out/reproduce", **switches: str) -> None:
    """Run a recipe in the given folder, and print its findings; an error that a user can mend is one line.

    `main` takes the folder, `default` where none is named, and each of `switches`, flags with their
    meanings, by its name. `docs` are pages and patterns of files that ``--docs`` copies; see `to_docs`.
    """
    parser = ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    for name, meaning in switches.items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=meaning)
    if docs:
        parser.add_argument("--docs", action="store_true", help="copy what was written to docs/")
    given = parser.parse_args()
    (given.folder / "images").mkdir(parents=True, exist_ok=True)
    try:
        print(main(given.folder, **{name: getattr(given, name) for name in switches}))
        if docs and given.docs:
            to_docs(given.folder, docs)
    except TmtError as error:
        sys.exit(str(error))
