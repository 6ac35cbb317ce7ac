"""`tmt completion`: the shell completes commands, options and values with Tab."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import click
from click.shell_completion import get_completion_class

from tmt.core.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
COMPDEF = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }; "
"""Loads zsh's completion, which click's script for zsh needs."""


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def command(context: click.Context, shell: str | None) -> None:
    """Install completion with Tab of commands, options and values for bash, zsh or fish.

    Without SHELL the variable SHELL of the environment decides. The script goes into the user's data
    folder, and one line of .bashrc or .zshrc loads it; fish loads scripts of its own folder. A second call
    replaces the script. Remove the line or the script to remove the completion.

    \b
    Complete in this shell from its next start on:
      tmt completion
    """
    from tmt.io.atomic import write_text  # noqa: PLC0415

    found = shell or Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(found) if found in SHELLS else None
    if kind is None:
        raise UsageError(f"SHELL is {os.environ.get('SHELL', '')!r}; name one of {', '.join(SHELLS)}")
    root = context.find_root()
    name = root.info_name or "tmt"
    script = kind(root.command, {}, name, f"_{name}_COMPLETE".upper()).source()
    path = _script_path(found, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, script)
    if found != "fish":
        _load_at_start(found, path)
    click.echo(f"{path}: completion of {name} for {found}, from the next start of the shell on")


def _script_path(shell: str, name: str) -> Path:
    """Return the path of the script; that of fish is in its own folder of completions."""
    if shell == "fish":
        return _folder("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / f"{name}.fish"
    return _folder("XDG_DATA_HOME", ".local/share") / "tmt" / f"{name}.{shell}"


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default)


def _load_at_start(shell: str, script: Path) -> None:
    """Append the line that loads the script to the shell's start file, unless it is there."""
    home = Path(os.environ.get("ZDOTDIR") or Path.home()) if shell == "zsh" else Path.home()
    start = home / f".{shell}rc"
    line = f"{COMPDEF if shell == 'zsh' else ''}. {quote(str(script))}"
    text = start.read_text(encoding="utf-8", errors="surrogateescape") if start.exists() else ""
    if line in text.splitlines():
        return
    with start.open("a", encoding="utf-8") as file:
        file.write(f"{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n")
