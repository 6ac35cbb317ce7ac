"""`tmt pack`: a campaign as one archive to publish."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tmt.cli.lazy import imported_when_used
from tmt.cli.options import JSON, json_text, output_option
from tmt.cli.progress import print_warnings, say, working
from tmt.cli.values import Values

with imported_when_used():
    from tmt.campaign import database, pack_writer
    from tmt.spec import toml


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
    """Write the campaign of the file SCENARIO into one archive: scenario, traces, results, and program
    versions.

    The archive is a ZIP file that `tmt run` can repeat. The same campaign makes the same archive, byte for
    byte.

    \b
    Example:
      tmt run scenarios/quickstart.toml
      tmt pack scenarios/quickstart.toml
      tmt run quickstart.pack.zip
    """
    folder = results or database.default_folder(scenario)
    pack = output or Path(f"{scenario.stem}.pack.zip")
    asked = toml.read(scenario)
    print_warnings(asked.notes)
    with working(f"packs {folder}"), asked.named():
        summary = pack_writer.write_pack(asked.scenario, folder, pack, records=records)
    say(json_text({"pack": str(pack), **asdict(summary)}) if as_json else _packed_line(pack, summary))


def _packed_line(pack: Path, summary: pack_writer.PackSummary) -> str:
    missing = summary.runs - summary.done
    rest = f", {summary.failed} failed, {missing - summary.failed} missing" if missing else ""
    size = f"{summary.bytes / 1e6:.1f} MB" if summary.bytes >= 1e5 else f"{summary.bytes / 1e3:.1f} kB"
    return f"{pack}: results of {summary.done} of {summary.runs} runs{rest}; {summary.files} files, {size}"
