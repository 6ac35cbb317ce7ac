"""`tmt root`: make the files that programs in simulated time see."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import QUIET, output_option
from tmt.cli.progress import say
from tmt.core.provenance import file_sha256

if TYPE_CHECKING:
    from pathlib import Path

with imported_when_used():
    from tmt.run.programs import debian


@click.command()
@click.argument("system", type=click.Choice(["debian"]))
@click.option(
    "--with",
    "packages",
    metavar="NAMES",
    multiple=True,
    required=True,
    help="Packages of the distribution, with commas between them; may be given several times.",
)
@output_option("Tar file to write.", default="root.tar")
@QUIET
def command(system: str, packages: tuple[str, ...], output: Path, quiet: bool) -> None:
    """Make a root file system for programs in simulated time: one tar file of the distribution's packages.

    The packages and their dependencies come from the archive of this machine's own distribution, through apt.
    They are unpacked; their scripts do not run. The file contains nothing of this machine, and making it
    needs no root rights. Equal versions give an equal file.

    \b
    Example:
      tmt root debian --with nginx-light,curl -o web.tar
      tmt replay link.parquet --rtt 0.1 --root web.tar --ready tcp:80 \\
          --server "nginx -g 'daemon off;'" \\
          --client "curl -s -o page http://server/"
    """
    del system  # there is one
    names = [name.strip() for text in packages for name in text.split(",") if name.strip()]
    chosen = debian.make_root(names, output, (lambda _: None) if quiet else partial(say, err=True))
    size = f"{output.stat().st_size / 1e6:.0f} MB"
    say(f"{output}: {len(chosen)} packages, {size}, SHA-256 {file_sha256(output)}")
