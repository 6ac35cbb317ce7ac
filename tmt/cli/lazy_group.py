"""A click group that imports the command that is called, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class LazyGroup(click.Group):
    """A group whose help needs none of its commands.

    Parameters
    ----------
    lines
        Of each command, its name and its line in the help.
    find
        Imports a command, by its name.
    heading
        What the help prints above the lines.
    """

    def __init__(
        self,
        *,
        lines: Mapping[str, str],
        find: Callable[[str], click.Command],
        heading: str,
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self._lines, self._find, self._heading = lines, find, heading

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order in which they were given."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None where there is none of that name."""
        return self._find(cmd_name) if cmd_name in self._lines else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lines."""
        with formatter.section(self._heading):
            formatter.write_dl(list(self._lines.items()))
