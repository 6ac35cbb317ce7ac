"""The argument of commands that read the folder of a campaign's results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


class _Folder(click.Path):
    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a file; the scenario's file stands for its results' folder in people's minds."""
        if (file := Path(value)).is_file():
            usual = file.parent / "out" / file.stem
            there = f", here {usual}" if usual.is_dir() else ""
            wanted = f"name the folder of results that `tmt run` prints{there}"
            self.fail(f"{file} is a file; {wanted}.", param, ctx)
        return super().convert(value, param, ctx)


def results_argument() -> Callable[..., Any]:
    """Return the argument RESULTS."""
    return click.argument("results", type=_Folder())
