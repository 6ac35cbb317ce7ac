"""Writes the reference of the command line, `docs/cli.md` and `docs/cli`, from the commands' own help."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt.cli.command_line import COMMANDS, SETTINGS
from tmt.cli.values import Values

if TYPE_CHECKING:
    from tmt.core.declaration import Spec

DOCS = Path(__file__).parents[1] / "docs"

HEAD = """\
# The command line

After reading this page you can choose a command of `tmt`. Each has a page with its arguments and options, as
`tmt COMMAND --help` prints them (`python tools/cli_reference.py`).

Times are in seconds. Bad input ends in exit status 2 and one line on stderr that names the file and line,
the key or the option. A failed run ends in exit status 1. `clift` is a second name of `tmt`.

| command | purpose |
| --- | --- |
"""


def reference() -> dict[str, str]:
    """Return the text of each page, by its name below `docs`."""
    rows = (f"| [`tmt {name}`](cli/{name}.md) | {line} |\n" for name, line in COMMANDS.items())
    listing = "\n".join(f"cli/{name}" for name in COMMANDS)
    pages = {"cli.md": f"{HEAD}{''.join(rows)}\n```{{toctree}}\n:hidden:\n\n{listing}\n```\n"}
    shown: dict[type[Spec], str] = {}
    for name in COMMANDS:
        command: click.Command = importlib.import_module(f"tmt.cli.{name}_command").command
        sections = _sections(command, f"tmt {name}", "#", set())
        pages[f"cli/{name}.md"] = "\n".join([*sections, *_classes(command, name, shown)])
    return pages


def _classes(command: click.Command, name: str, shown: dict[type[Spec], str]) -> list[str]:
    """Return sections with the options of each class that a command chooses from.

    A class has them on one page: `shown` holds the commands of earlier pages, and is extended.
    """
    sections = []
    for part in command.parts if isinstance(command, Values) else ():
        before: dict[str, list[str]] = {}
        for word, kind in part.choices.items() if part.is_choice else ():
            options = part.options({part.flag: [word]})
            inner = len(part.place) + 1  # the choice of a part, such as --below
            own = [
                one for one in options if one.heading == part.heading(kind) or one.place[inner:] == ("name",)
            ]
            if kind in shown:
                before.setdefault(shown[kind], []).append(f"`{word}`")
            elif own:
                shown[kind] = name
                formatter = click.HelpFormatter(width=100)
                context = click.Context(command)
                formatter.write_dl([record for one in own if (record := one.get_help_record(context))])
                sections.append(f"## {part.flag} {word}\n\n```text\n{formatter.getvalue()}```\n")
        for page, words in before.items():
            where = f"on the page of [`tmt {page}`]({page}.md)"
            sections.append(f"The options of {', '.join(words)} are {where}.\n")
    return sections


def _sections(command: click.Command, name: str, mark: str, explained: set[tuple[str, str]]) -> list[str]:
    """Return the section of a command, and those of the commands that it holds.

    Each option and paragraph is there once a page: `explained` holds those before, and is extended.
    """
    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100, **SETTINGS)
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    records = {option: option.get_help_record(context) for option in options}
    repeated = [option for option, record in records.items() if record in explained]
    for option in repeated:
        option.hidden = True
    paragraphs = dict.fromkeys(command.get_help(context).split("\n\n"))
    text = "\n\n".join(paragraph for paragraph in paragraphs if (paragraph, "") not in explained)
    explained.update((paragraph, "") for paragraph in paragraphs)
    section = f"{mark} {name}\n\n```text\n{text}\n```\n"
    for option in repeated:
        option.hidden = False
    if names := [f"`{option.opts[-1]}`" for option in repeated if option.opts[-1] != "--help"]:
        section += f"\nAs above: {', '.join(names)}.\n"
    explained.update(filter(None, records.values()))
    sections = [section]
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            inner = command.get_command(context, member)
            assert inner is not None
            sections += _sections(inner, f"{name} {member}", f"{mark}#", explained)
    return sections


if __name__ == "__main__":
    DOCS.joinpath("cli").mkdir(exist_ok=True)
    for page, text in reference().items():
        DOCS.joinpath(page).write_text(text, encoding="utf-8")
