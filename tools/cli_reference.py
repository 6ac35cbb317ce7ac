"""Writes the reference of the command line, `docs/cli.md` and `docs/cli`, from the commands' own help."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tmt.cli.command_line import COMMANDS, SETTINGS
from tmt.cli.main import main
from tmt.spec.option_types import ValueOption

DOCS = Path(__file__).parents[1] / "docs"

SCENARIO = """\
seeds = 3
records = [1]

[[trace]]
file = "traces/sample.parquet"

[[scheme]]
name = ["none", "arq"]

[[path]]
rtt = 0.5

[[traffic]]
tcp = ["cubic", "hybla"]
duration = 60
"""
"""The file `first.toml` of the samples."""

SAMPLES = {
    "generate": (
        "phy.parquet --channel bernoulli --probability 0.05 --rate 1e6 --lldu-bytes 100 --duration 60",
        1,
    ),
    "convert": ("phy.parquet link.parquet --scheme arq --rtt 0.5", 1),
    "inspect": ("link.parquet --lldu-bytes 1000", 14),
    "fit": ("phy.parquet", 7),
    "import": ("mahimahi short.down link-phy.parquet", 1),
    "export": ("link.parquet link.csv", 1),
    "model": ("arq --alpha 0.99 --beta 0.9 --rtt 0.5", 7),
    "replay": ("--rate 1e6 --rtt 0.5 --tcp cubic --duration 30", 10),
    "new": ("mine.toml --trace phy.parquet --tcp cubic --scheme arq --rtt 0.5", 1),
    "run": ("first.toml", 15),
    "report": ("out/first --no-figures --latex", 2),
    "course": ("out/first 4", 10),
    "compare": ("out/first out/first", 3),
    "pack": ("first.toml", 1),
    "tune": ("traces/sample.parquet --rtt 0.5 --scheme none --scheme arq --dry-run", 3),
    "cite": ("first.toml", 7),
    "schema": ("", 6),
    "examples": ("copy", 1),
}
"""Arguments of a sample of each command, one after the other in one folder, and lines of output to show."""

ROW = re.compile(r"\n {4}[a-z-]+ {2}.*(?:\n {5,}.*)*")
"""A class to choose from, with what it is, in a help text."""

KEYS = dict.fromkeys(
    ("Path", "Queue", "Queue droptail", "Wired", "Proxy", "Traffic", "Resume"),
    "[scenario files](../scenarios.md)",
) | dict.fromkeys(("Programs", "Second"), "[programs](../programs.md)")
"""Headings of `tmt replay` whose options are keys of scenario files, and the page that explains these."""

HEAD = """\
# The command line

Choose a command of `tmt`. Each has a page with its arguments and options, as
`tmt COMMAND --help` prints them, and a sample of its output (`python tools/cli_reference.py`). Options
that are keys of [scenario files](scenarios.md) are explained there. An option that several subcommands
share is listed once, with the first of them; all have `--help`. Where an option chooses a class,
such as `--scheme`, the class has its parameters in [Python](api.md) as options, with `-` for `_`.

Times are in seconds. Bad input ends in exit status 2 and one line on stderr that names the file and line,
the key or the option. A failed run ends in exit status 1.

| command | purpose |
| --- | --- |
"""


def reference() -> dict[str, str]:
    """Return the text of each page, by its name below `docs`."""
    rows = (f"| [`tmt {name}`](cli/{name}.md) | {line} |\n" for name, line in COMMANDS.items())
    listing = "\n".join(f"cli/{name}" for name in COMMANDS)
    pages = {"cli.md": f"{HEAD}{''.join(rows)}\n```{{toctree}}\n:hidden:\n\n{listing}\n```\n"}
    explained: dict[tuple[str, str], str] = {}
    for name in COMMANDS:
        command: click.Command = importlib.import_module(f"tmt.cli.{name}_command").command
        sections = _sections(
            command, f"tmt {name}", "#", {} if isinstance(command, click.Group) else explained
        )
        pages[f"cli/{name}.md"] = "\n".join(sections)
    # After the sections: click keeps of each command with which words it was asked for help first.
    for name, sample in _samples().items():
        pages[f"cli/{name}.md"] += "\n" + "\n".join(sample)
    return pages


def _samples() -> dict[str, list[str]]:
    """Run the samples, and return the part of each command's page."""
    with TemporaryDirectory() as name:
        folder, found = Path(name), {}
        (folder / "traces").symlink_to(DOCS.parent / "traces")
        (folder / "first.toml").write_text(SCENARIO)
        (folder / "short.down").write_text("0\n12\n12\n15\n")
        os.environ["COLUMNS"] = "100"
        for command, (arguments, lines) in SAMPLES.items():
            said = _printed([command, *arguments.split()], folder)
            shown = [f"$ tmt {command} {arguments}".rstrip(), *said[:lines], *["..."][: len(said) > lines]]
            found[command] = ["## A sample\n", "```text", *shown, "```", ""]
    return found


def _printed(words: list[str], folder: Path) -> list[str]:
    """Run a command in this process, whose imports serve all, and return the lines that it prints."""
    out = io.StringIO()
    sys.argv = ["tmt", *words]
    with chdir(folder), redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"tmt {' '.join(words)}: exit status {ended.code}") from ended
    return out.getvalue().splitlines()


def _sections(
    command: click.Command, name: str, mark: str, explained: dict[tuple[str, str], str]
) -> list[str]:
    """Return the section of a command, and those of the commands that it holds.

    An option or paragraph that has been there is not repeated: `explained` holds the page of each, and is
    extended. A member has no usage of its own. The sections of members stand in place of their list.
    """
    page = name.split()[1]
    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100, **SETTINGS)
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    records = {option: option.get_help_record(context) for option in options}
    repeated: dict[str, list[click.Option]] = {}
    for option, record in records.items():
        if record in explained and (option.opts[-1] != "--json" or explained[record] == page):
            repeated.setdefault(explained[record], []).append(option)
    keys = [one for one in options if isinstance(one, ValueOption) and one.heading in KEYS]
    keys = keys if page == "replay" else []
    helps = [option for option in options if option.opts[-1] == "--help"]
    for option in chain(keys, helps, *repeated.values()):
        option.hidden = True
    *most, last = command.get_help(context).split("\n\n")
    paragraphs = dict.fromkeys(most if isinstance(command, click.Group) else [*most, last])
    is_member = context.info_name != f"tmt {page}"
    text = "\n\n".join(
        _new_rows(one, explained)
        for one in paragraphs
        if explained.get((one, "")) != page and not (is_member and one.startswith("Usage:"))
    )
    explained |= {(one, ""): page for each in paragraphs for one in (each, *ROW.findall(each))}
    section = f"{mark} {name}\n\n```text\n{text}\n```\n"
    for heading, own in groupby(keys, lambda option: option.heading):
        flags = ", ".join(f"`{option.opts[-1]}`" for option in own)
        section += f"\n{heading}, keys of {KEYS[heading]}: {flags}.\n"
    for option in chain(keys, helps, *repeated.values()):
        option.hidden = False
    for first, hidden in repeated.items():
        if first != page and (names := _headings(hidden)):
            section += f"\nAs on the page of [`tmt {first}`]({first}.md): {', '.join(names)}.\n"
    explained |= {record: page for record in records.values() if record and record not in explained}
    sections = [section]
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            inner = command.get_command(context, member)
            assert inner is not None
            sections += _sections(inner, f"{name} {member}", f"{mark}#", explained)
    return sections


def _new_rows(paragraph: str, explained: dict[tuple[str, str], str]) -> str:
    """Return a paragraph without the classes to choose from that another page has."""
    old = [row for row in ROW.findall(paragraph) if (row, "") in explained]
    pages = {explained[row, ""] for row in old}
    more = f"\n    Others: as on the page of `tmt {min(pages)}`." if pages else ""
    return ROW.sub(lambda row: "" if row[0] in old else row[0], paragraph) + more


def _headings(options: list[click.Option]) -> list[str]:
    """Return the headings under which another page has options, or their flags; without --help."""
    names = (
        f"*{option.heading}*" if isinstance(option, ValueOption) else f"`{option.opts[-1]}`"
        for option in options
        if option.opts[-1] != "--help"
    )
    return list(dict.fromkeys(names))


if __name__ == "__main__":
    DOCS.joinpath("cli").mkdir(exist_ok=True)
    for page, text in reference().items():
        DOCS.joinpath(page).write_text(text, encoding="utf-8")
