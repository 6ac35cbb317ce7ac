"""`tmt schema`: the JSON Schema of scenario files."""

from __future__ import annotations

import click

from tmt.cli.options import json_text
from tmt.cli.progress import say
from tmt.spec.scenario import Scenario
from tmt.spec.schema import schema_of


@click.command()
def command() -> None:
    """Print the JSON Schema of scenario files, with which editors complete keys and mark mistakes.

    Editors with Taplo (the extension Even Better TOML) read the name of the schema in the first line of a
    scenario, `#:schema scenario.schema.json`.

    \b
    Example:
      tmt schema > scenario.schema.json
    """
    say(json_text(schema_of(Scenario)))
