"""`tmt share`: make the PHY traces of users who share a link."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from tmt.cli.options import JSON, json_text, output_option
from tmt.cli.progress import progress_bar, rows_of, say
from tmt.cli.values import Values
from tmt.core.errors import UsageError
from tmt.core.schema import PHY_TRACE
from tmt.core.sharing import SCHEDULERS, Scheduler
from tmt.io.atomic import folded, made_folder
from tmt.io.sharing import check_users, share
from tmt.spec.options import Part

VALUES = {
    "scheduler": Part(
        ("scheduler",), Scheduler, among=SCHEDULERS, meaning="Rule that gives each slot to a user."
    )
}


@click.command(cls=Values, values=VALUES)
@click.argument("paths", metavar="USERS...", nargs=-1, required=True)
@output_option("Write each user's own slots into this folder, under its file's name.", is_folder=True)
@JSON
def command(paths: tuple[str, ...], scheduler: Scheduler, output: Path | None, as_json: bool) -> None:
    """Let users share a link: each slot goes to one of them, and each gets a separate PHY trace.

    USERS are PHY traces of the same slots: each user's trace as if all slots were its own.

    \b
    Two users, the second of whom gets three quarters of the slots:
      tmt share a.parquet b.parquet --scheduler weighted --weights 1,3 \\
          --output shares
    Each slot goes to the user whose mode carries most, relative to its mean rate:
      tmt share a.parquet b.parquet --scheduler proportional-fair \\
          --output shares
    """
    if output is None:
        raise UsageError("--output: is missing; name the folder for the users' own traces")
    check_users(len(paths), scheduler)
    targets = [str(output / PurePath(path).name) for path in paths]
    for at, target in enumerate(targets):
        if folded(target) in map(folded, targets[:at]):
            raise UsageError(f"{paths[at]}: another user's file has this name, too; give each its own")
    progress_of = progress_bar("share", rows_of(paths[0], PHY_TRACE), compiles=True)
    with made_folder(output), progress_of as progress:
        slots = share(paths, targets, scheduler, progress=progress)
    total = sum(slots)
    if as_json:
        users = [{"phy": target, "slots": own} for target, own in zip(targets, slots, strict=True)]
        say(json_text({"scheduler": scheduler.describe(), "slots": total, "users": users}))
        return
    for target, own in zip(targets, slots, strict=True):
        say(f"{target}: {own:,} of {total:,} slots ({100 * own / total:.4g} %)")
