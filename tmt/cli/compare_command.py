"""`tmt compare`: two campaigns beside each other, or one before and after a change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.options import JSON, output_option

if TYPE_CHECKING:
    from tmt.results.dataset import Results

CAMPAIGN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("first", type=CAMPAIGN)
@click.argument("second", type=CAMPAIGN, required=False)
@JSON
@output_option("Write the comparison as one HTML page into this file.")
def command(first: Path, second: Path | None, as_json: bool, output: Path | None) -> None:
    """Compare the campaigns FIRST and SECOND run by run; each is a folder of results or a pack.

    Two runs are a pair when they have the same place in the grid and the same seed. The command prints the
    differences of each cell, second minus first, with their intervals and tests, the settings and programs
    that differ, and the runs that are in one campaign only. Without SECOND the latest runs of FIRST are
    compared with its runs of earlier programs or traces.

    \b
    Example:
      tmt compare scenarios/out/quickstart other/out/quickstart
      tmt compare scenarios/out/quickstart --output changes.html
      tmt compare quickstart.pack.zip scenarios/out/quickstart
    """
    from tmt.cli import compare_output  # noqa: PLC0415
    from tmt.results.comparison import compare, earlier_runs  # noqa: PLC0415

    found = _read(first)
    if second is None:
        comparison = compare(earlier_runs(found), found, ("earlier", "latest"))
    else:
        comparison = compare(found, _read(second), names_of(first, second))
    if output is not None:
        from tmt.show.page.comparison_page import write_comparison  # noqa: PLC0415

        write_comparison(comparison, output)
    if as_json:
        click.echo(compare_output.as_json(comparison, output))
        return
    compare_output.print_comparison(comparison)
    if output is not None:
        click.echo(f"page: {output}")


def _read(campaign: Path) -> Results:
    """Return the results in a campaign's folder or in a pack."""
    from tmt.campaign.pack_reader import unpacked  # noqa: PLC0415
    from tmt.results.pairing import packed_rows  # noqa: PLC0415
    from tmt.results.reading import read_rows, results_of  # noqa: PLC0415

    if campaign.is_dir():
        return read_rows(campaign)
    with unpacked(campaign) as pack:
        return results_of(packed_rows(pack, campaign), str(pack.manifest.get("title", campaign.stem)))


def names_of(first: Path, second: Path) -> tuple[str, str]:
    """Return the shortest ends of two paths that tell the folders apart; FIRST and SECOND for one folder."""
    one, other = first.resolve().parts, second.resolve().parts
    for length in range(1, max(len(one), len(other)) + 1):
        if one[-length:] != other[-length:]:
            return "/".join(one[-length:]), "/".join(other[-length:])
    return "first", "second"
