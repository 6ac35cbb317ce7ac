"""Writes `docs/cli.md`, the reference of the command line, from the commands' own help."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from tmt.cli import COMMANDS

HEAD = """\
# The command line

After reading this page you know every command, argument and option of `tmt`. `python tools/cli_reference.py`
writes it from the commands themselves; `tmt COMMAND --help` prints the same.

Times are in seconds. Bad input ends in exit status 2 and one line on stderr that names the file and line,
the key or the option. A failed run ends in exit status 1. `tmt completion`, called once, lets the shell
complete commands, options and values with Tab. `clift` is a second name of `tmt`.

| command | purpose |
| --- | --- |
"""


def reference() -> str:
    """Return the text of the page."""
    rows = (f"| [`tmt {name}`](#tmt-{name}) | {line} |\n" for name, line in COMMANDS.items())
    sections = [HEAD + "".join(rows)]
    for name in COMMANDS:
        command: click.Command = importlib.import_module(f"tmt.cli.{name}_command").command
        sections += _sections(command, f"tmt {name}", "##")
    return "\n".join(sections)


def _sections(command: click.Command, name: str, mark: str) -> list[str]:
    """Return the section of a command, and those of the commands that it holds."""
    context = click.Context(
        command, info_name=name, max_content_width=100, terminal_width=100, help_option_names=["-h", "--help"]
    )
    sections = [f"{mark} {name}\n\n```text\n{command.get_help(context)}\n```\n"]
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            inner = command.get_command(context, member)
            assert inner is not None
            sections += _sections(inner, f"{name} {member}", f"{mark}#")
    return sections


if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "cli.md").write_text(reference())
