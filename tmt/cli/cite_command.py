"""`tmt cite`: the sources of a campaign as BibTeX."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import print_notes, print_warnings, say
from tmt.core.errors import InputError

with imported_when_used():
    from tmt.campaign import database, pack_reader
    from tmt.spec import sources, toml


@click.command()
@click.argument("campaign", metavar="SCENARIO|FOLDER|PACK", type=click.Path(path_type=Path))
def command(campaign: Path) -> None:
    """Print the sources of a campaign as BibTeX: this program, papers, standards, other programs, data.

    SCENARIO is a scenario file; FOLDER is a folder that `tmt run` has written; PACK is a pack of `tmt pack`.
    The entries follow from schemes, channels, TCP variants, stacks, disciplines, traces and published values.
    A note lists the sources that only you know, such as that of your own measurement.

    \b
    Example:
      tmt cite scenarios/quickstart.toml > campaign.bib
      tmt cite scenarios/out/quickstart
    """
    with ExitStack() as stack:
        file, unpacked = campaign, ""
        if campaign.is_dir():
            file = campaign / database.SCENARIO
            if not file.is_file():
                allowed = "name a folder that `tmt run` has written, a scenario file or a pack"
                raise InputError(campaign, f"holds no {database.SCENARIO}; {allowed}")
        elif pack_reader.is_pack(campaign):
            file = stack.enter_context(pack_reader.scenario_inside(campaign, with_traces=True))
            unpacked = f"{file.parent}/"
        asked = toml.read(file)
        print_warnings(asked.notes)
        try:
            found = sources.sources_of(asked.scenario)
        except InputError as error:
            if not campaign.is_dir():
                raise
            raise InputError(file, f"{error}; name the scenario itself, or its pack") from error
    say(sources.bibtex(found.keys))
    print_notes(note.removeprefix(unpacked) for note in found.notes)
