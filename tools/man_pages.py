"""Writes a man page for `tmt` and each command from its own help: `python tools/man_pages.py FOLDER`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tmt import __version__
from tmt.cli import command_line
from tmt.cli.command_line import COMMANDS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 74
AS_IT_IS = ".in 4n\n.nf"
"""Requests before lines that are neither filled nor far from the edge."""

HEADING = re.compile(r"(\w[^\n]*):")


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    top = command_line.group
    others = ", ".join(f"tmt-{name}(1)" for name in COMMANDS)
    found = {"tmt.1": _page(top, "tmt", "link traces, and TCP over them", others)}
    context = click.Context(top, info_name="tmt", **SETTINGS)
    for name, line in COMMANDS.items():
        command = top.get_command(context, name)
        assert command is not None
        found |= dict(_with_members(command, f"tmt {name}", line, "tmt(1)"))
    return found


def _with_members(command: click.Command, path: str, line: str, above: str) -> Iterator[tuple[str, str]]:
    name = path.replace(" ", "-")
    yield f"{name}.1", _page(command, path, line, above)
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path, **SETTINGS)
        for member in command.list_commands(context):
            inner = command.get_command(context, member)
            assert inner is not None
            first = (inner.help or "").strip().partition("\n")[0].rstrip(".").removeprefix("Import FILE: ")
            yield from _with_members(inner, f"{path} {member}", first, f"{name}(1)")


def _page(command: click.Command, path: str, line: str, see: str) -> str:
    """Return a page: the help with its lines as they are, each of its headings as a section."""
    context = click.Context(
        command, info_name=path, max_content_width=WIDTH, terminal_width=WIDTH, **SETTINGS
    )
    usage, _, rest = command.get_help(context).partition("\n\n")
    name = path.replace(" ", "-")
    parts = [
        f'.TH "{name.upper()}" 1 "" "tmt {__version__}"',
        f".SH NAME\n{_escaped(name)} \\- {_escaped(line)}",
        f".SH SYNOPSIS\n{AS_IT_IS}\n{_escaped(usage.removeprefix('Usage: '))}\n.fi",
        f".SH DESCRIPTION\n{AS_IT_IS}",
    ]
    for text in rest.splitlines():
        heading = HEADING.fullmatch(text)
        parts.append(f'.fi\n.SH "{heading[1].upper()}"\n{AS_IT_IS}' if heading else _escaped(text[2:]))
    return "\n".join([*parts, f'.fi\n.SH "SEE ALSO"\n{see}\n'])


def _escaped(text: str) -> str:
    """Return text that roff takes as it is: no escapes, no requests, and hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in pages().items():
        (folder / file).write_text(text, encoding="utf-8")
