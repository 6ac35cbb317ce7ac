"""`tmt pack`: a campaign as one archive to publish."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tmt.cli.notes import print_warnings
from tmt.cli.options import JSON, output_option
from tmt.cli.values import Values
from tmt.core.declaration import Refused


@click.command(cls=Values, renamed={"--out": "--results"})
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of the results.  [default: out/NAME beside SCENARIO]",
)
@output_option("The archive.  [default: NAME.pack.zip in this folder]")
@click.option("--records", is_flag=True, help="Put the packet records into it, too.")
@JSON
def command(scenario: Path, results: Path | None, output: Path | None, records: bool, as_json: bool) -> None:
    """Write the campaign of the file SCENARIO into one archive: scenario, traces, results, what made them.

    The archive is a ZIP file that `tmt run` repeats. The same campaign makes the same archive, byte for byte.

    \b
    Example:
      tmt run scenarios/quickstart.toml
      tmt pack scenarios/quickstart.toml
      tmt run quickstart.pack.zip
    """
    from tmt.campaign.database import default_folder  # noqa: PLC0415
    from tmt.campaign.pack_writer import write_pack  # noqa: PLC0415
    from tmt.cli.json_output import json_text  # noqa: PLC0415
    from tmt.cli.pack_output import packed_line  # noqa: PLC0415
    from tmt.spec import toml  # noqa: PLC0415

    folder = results or default_folder(scenario)
    pack = output or Path(f"{scenario.stem}.pack.zip")
    asked = toml.read(scenario)
    print_warnings(asked.notes)
    try:
        summary = write_pack(asked.scenario, folder, pack, records=records)
    except Refused as refused:
        raise asked.error(refused) from None
    click.echo(json_text({"pack": str(pack), **asdict(summary)}) if as_json else packed_line(pack, summary))
