"""`tmt cite`: the sources of a campaign as BibTeX."""

from __future__ import annotations

from pathlib import Path

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.progress import print_notes, print_warnings, say
from tmt.core.errors import InputError

with imported_when_used():
    from tmt.campaign import database
    from tmt.spec import sources, toml


@click.command()
@click.argument("campaign", metavar="SCENARIO|FOLDER", type=click.Path(path_type=Path))
def command(campaign: Path) -> None:
    """Print the sources of a campaign as BibTeX: this program, papers, standards, other programs, data.

    SCENARIO is a scenario file; FOLDER is a folder that `tmt run` has written. The entries follow from
    schemes, channels, TCP variants, stacks, disciplines, traces and published values. A note lists the
    sources that only you know, such as that of your own measurement.

    \b
    Example:
      tmt cite scenarios/quickstart.toml > campaign.bib
      tmt cite scenarios/out/quickstart
    """
    file = campaign
    if campaign.is_dir():
        file = campaign / database.SCENARIO
        if not file.is_file():
            allowed = "name a folder that `tmt run` has written, or a scenario file"
            raise InputError(campaign, f"holds no {database.SCENARIO}; {allowed}")
    asked = toml.read(file)
    print_warnings(asked.notes)
    try:
        found = sources.sources_of(asked.scenario)
    except InputError as error:
        if file == campaign:
            raise
        itself = "name the scenario itself, for a pack the campaign/scenario.toml in it"
        raise InputError(file, f"{error}; {itself}") from error
    say(sources.bibtex(found.keys))
    print_notes(found.notes)
