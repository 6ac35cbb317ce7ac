"""`tmt examples`: the ready-made scenarios with their traces, copied for the user."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from tmt.cli.progress import say
from tmt.core.errors import OutputError, UsageError
from tmt.io.atomic import own_folder

HERE = Path(__file__).resolve()
INSTALLED, CHECKOUT = HERE.parents[1] / "examples", HERE.parents[2]
NAMES = ("scenarios", "traces")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "contract", "out")
"""Folders of a checkout that hold no examples: results, and damaged traces for the readers' tests."""


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Copy the ready-made scenarios and their traces into FOLDER, which must be new or empty.

    \b
    The first comparison after an installation:
      tmt examples satellite
      tmt run satellite/scenarios/quickstart.toml
    """
    home = INSTALLED if INSTALLED.is_dir() else CHECKOUT
    for name in NAMES:
        if not (home / name).is_dir():
            raise UsageError(
                f"{home / name}: this installation has no examples; the wheel of TMT holds them: "
                "`pip install --force-reinstall --no-deps WHEEL`"
            )
    target = own_folder(folder, "a copy of the examples")
    try:
        for name in NAMES:
            shutil.copytree(home / name, target / name, ignore=LEFT_OUT)
    except OSError as error:
        for name in NAMES:
            shutil.rmtree(target / name, ignore_errors=True)
        # copytree continues after a file that cannot be written, and lists all of them.
        reason = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror
        raise OutputError(f"{folder}: the examples cannot be copied: {reason}") from error
    quickstart = folder / "scenarios" / "quickstart.toml"
    say(f"{folder}: `tmt run {quickstart}` makes the first comparison")
