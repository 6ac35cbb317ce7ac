"""`tmt root`: make the files that programs in simulated time see."""

from __future__ import annotations

from pathlib import Path

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import QUIET, FilePath
from tmt.cli.progress import say
from tmt.core.provenance import file_sha256

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
@click.option(
    "-o",
    "--output",
    type=FilePath(Path),
    default="root.tar",
    help="Tar file to write.",
)
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
    chosen = debian.make_root(names, output, (lambda _: None) if quiet else _tell)
    size = f"{output.stat().st_size / 1e6:.0f} MB"
    say(f"{output}: {len(chosen)} packages, {size}, SHA-256 {file_sha256(output)}")


def _tell(what: str) -> None:
    say(what, err=True)
